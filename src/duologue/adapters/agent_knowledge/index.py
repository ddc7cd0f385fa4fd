"""Finds passages by words: SQLite's FTS5 in memory, ranked by BM25."""

import math
import sys
from collections.abc import Container, Sequence
from typing import Final, cast

import apsw

from duologue.adapters.agent_knowledge.markdown import Passage
from duologue.model.base import Value

TOKENIZER: Final = ["unicode61", "remove_diacritics", "2"]
COLUMNS: Final = "title, heading, body"
TITLE_WEIGHT: Final = 2.0
HEADING_WEIGHT: Final = 4.0
BODY_WEIGHT: Final = 1.0
"""A word in a heading says what the passage is about; one in the body may be said in passing."""

HEADED: Final = 10
"""Passages more, whose headings have all the words."""

CANDIDATES: Final = 30
"""Passages that BM25 hands on to be judged one by one: about 2 ms."""

STRETCH_CHARS: Final = 3
"""How much longer a word may be than the one asked for: `token` finds `tokenised`."""

STRETCH_FROM_CHARS: Final = 4
TYPO_FROM_CHARS: Final = 6
"""Shorter words are too often one letter away from another."""

NEAR_CREDIT: Final = 0.75
"""What a word that is only like the one asked for counts, beside 1 for the word itself."""

NEAR_FORMS: Final = 12
"""Most like words for one word asked for."""


class Word(Value, frozen=True, kw_only=True):
    """A word of a text: as written but folded, and its stem."""

    raw: str
    stem: str


class Term(Value, frozen=True, kw_only=True):
    """What a question asks for.

    Attributes:
        near: the stems that count as the word, and how much, from 0 to 1.
        weight: how much the word tells passages apart: its inverse document frequency.
        soft: a passage need not have it.
    """

    word: Word
    near: dict[str, float]
    weight: float
    soft: bool = False

    def credit(self, stems: Container[str]) -> float:
        """Return how well a text with these stems has the word, from 0 to 1."""
        return max((credit for stem, credit in self.near.items() if stem in stems), default=0.0)


class Entry(Value, frozen=True, kw_only=True):
    """A passage in the index, and the stems of its parts."""

    passage: Passage
    heading_stems: frozenset[str]
    title_stems: frozenset[str]
    unit_stems: tuple[frozenset[str], ...]
    stems: frozenset[str]


class Found(Value, frozen=True, kw_only=True):
    """A candidate; `bm25` is higher for a better one."""

    entry: Entry
    bm25: float


class Index:
    """All passages, in memory. One thread at a time may use it."""

    def __init__(self) -> None:
        self._db = apsw.Connection(":memory:")
        self._rows(
            f'create virtual table passage using fts5({COLUMNS}, tokenize="porter {" ".join(TOKENIZER)}");'
            "create virtual table vocabulary using fts5vocab(passage, 'row');"
        )
        self._fold = self._db.fts5_tokenizer("unicode61", TOKENIZER[1:])
        self._stem = self._db.fts5_tokenizer("porter", TOKENIZER)
        self._entries: dict[int, Entry] = {}
        self._pages: dict[str, list[int]] = {}
        self._by_heading: dict[tuple[str, ...], set[int]] = {}
        self._last_id = 0

    def __len__(self) -> int:
        return len(self._entries)

    def replace(self, page: str, passages: Sequence[Passage]) -> None:
        """Put a page's passages in the place of its earlier ones, if any."""
        with self._db:
            self._remove(page)
            self._pages[page] = [self._add(passage) for passage in passages]

    def remove(self, page: str) -> None:
        """Forget a page; harmless where it is not known."""
        with self._db:
            self._remove(page)

    def pages(self) -> list[Entry]:
        """List the first passage of each page: start pages first, then by depth and name."""
        firsts = [self._entries[ids[0]] for ids in self._pages.values() if ids]
        return sorted(firsts, key=lambda entry: page_order(entry.passage.page))

    def page(self, page: str) -> list[Entry]:
        """List a page's passages in order."""
        return [self._entries[at] for at in self._pages.get(page, ())]

    def words(self, text: str) -> list[Word]:
        """Cut a text into words, as the index does with its pages."""
        data = _bytes(text)
        stems = self._tokens(self._stem, data)
        return [Word(raw=raw, stem=stem) for raw, stem in zip(self._tokens(self._fold, data), stems, strict=True)]

    def stems(self, text: str) -> tuple[str, ...]:
        """Return the stems of a text in order."""
        return self._tokens(self._stem, _bytes(text))

    def term(self, word: Word, *, soft: bool) -> Term:
        """Weigh a word that is asked for, and find the words that are like it."""
        known = self._frequency(word.stem)
        near = self._stretched(word)
        if not known and not near:
            near = self._misspelt(word)
        frequency = known or max((self._frequency(stem) for stem in near), default=0)
        credit = dict.fromkeys(near, NEAR_CREDIT) | ({word.stem: 1.0} if known else {})
        return Term(word=word, near=credit, weight=self._weight(frequency), soft=soft)

    def search(self, terms: Sequence[Term]) -> list[Found]:
        """Find the passages that have any of the terms: the best by BM25, and those headed by all of them."""
        forms = [form for form in map(self._forms, terms) if form]
        if not forms:
            return []
        # A long section ranks low by BM25, yet one whose heading has all the words is what was asked for.
        headed = self._match("{title heading} : (" + " AND ".join(forms) + ")", most=HEADED)
        found = headed | self._match(" OR ".join(forms), most=CANDIDATES)
        return [Found(entry=self._entries[at], bm25=bm25) for at, bm25 in found.items()]

    def headed(self, words: Sequence[str]) -> Entry | None:
        """Find the one passage whose heading, or heading and page title, is exactly these stems."""
        ids = self._by_heading.get(tuple(words), set())
        return self._entries[next(iter(ids))] if len(ids) == 1 else None

    def _forms(self, term: Term) -> str:
        """Write what counts as a term as a query; empty where nothing does."""
        # FTS5 stems what it is asked for, so of the stems only those find themselves that stay the same.
        forms = {stem for stem in term.near if self.stems(stem) == (stem,)}
        if term.word.stem in term.near:
            forms.add(term.word.raw)
        # The tokenizer made them, so they are letters and digits; in quotes they are no syntax either.
        return "(" + " OR ".join(f'"{form}"' for form in sorted(forms)) + ")" if forms else ""

    def _match(self, query: str, *, most: int) -> dict[int, float]:
        """Run a query; the passages by BM25, higher is better."""
        rows = self._rows(
            "select rowid, bm25(passage, ?, ?, ?) as rank from passage where passage match ? order by rank limit ?",
            (TITLE_WEIGHT, HEADING_WEIGHT, BODY_WEIGHT, query, most),
        )
        # The columns of the statement above.
        return {at: -rank for at, rank in cast(list[tuple[int, float]], rows)}

    def _add(self, passage: Passage) -> int:
        self._last_id += 1
        heading = " ".join(passage.trail) or passage.title
        body = "\n".join(unit.text for unit in passage.units)
        self._rows(
            f"insert into passage (rowid, {COLUMNS}) values (?, ?, ?, ?)",
            (self._last_id, _bytes(passage.title).decode(), _bytes(heading).decode(), _bytes(body).decode()),
        )
        heading_stems, title_stems = frozenset(self.stems(heading)), frozenset(self.stems(passage.title))
        unit_stems = tuple(frozenset(self.stems(unit.text)) for unit in passage.units)
        self._entries[self._last_id] = Entry(
            passage=passage,
            heading_stems=heading_stems,
            title_stems=title_stems,
            unit_stems=unit_stems,
            stems=heading_stems.union(title_stems, *unit_stems),
        )
        for key in self._keys(passage):
            self._by_heading.setdefault(key, set()).add(self._last_id)
        return self._last_id

    def _remove(self, page: str) -> None:
        for at in self._pages.pop(page, ()):
            self._rows("delete from passage where rowid = ?", (at,))
            for key in self._keys(self._entries.pop(at).passage):
                self._by_heading[key].discard(at)
                if not self._by_heading[key]:
                    del self._by_heading[key]

    def _keys(self, passage: Passage) -> set[tuple[str, ...]]:
        if passage.part:
            return set()
        return {self.stems(passage.heading), self.stems(f"{passage.heading} {passage.title}")}

    def _tokens(self, tokenizer: apsw.FTS5Tokenizer, data: bytes) -> tuple[str, ...]:
        found = tokenizer(data, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
        # Without offsets and colocated tokens the result is a list of strings; the stub names the union.
        return tuple(map(sys.intern, cast(list[str], found)))

    def _frequency(self, stem: str) -> int:
        rows = self._rows("select doc from vocabulary where term = ?", (stem,))
        return int(str(rows[0][0])) if rows else 0

    def _weight(self, frequency: int) -> float:
        """Return a word's inverse document frequency, as BM25 has it; never quite nothing."""
        return math.log(1 + (len(self._entries) - frequency + 0.5) / (frequency + 0.5)) + 0.1

    def _stretched(self, word: Word) -> list[str]:
        """Find longer words that begin with this one; not where the stemmer cut it (`paris`, `parity`)."""
        stem = word.stem
        if word.raw != stem or len(stem) < STRETCH_FROM_CHARS:
            return []
        return self._terms(
            "term > ? and term < ? and length(term) <= ?",
            (stem, stem + "\U0010ffff", len(stem) + STRETCH_CHARS),
        )

    def _misspelt(self, word: Word) -> list[str]:
        """Find words that are one typing error away and begin with the same letter."""
        stem = word.stem
        if len(word.raw) < TYPO_FROM_CHARS or stem.isdigit():
            return []
        first = stem[0]
        candidates = self._terms(
            "term > ? and term < ? and length(term) between ? and ?",
            (first, first + "\U0010ffff", len(stem) - 1, len(stem) + 1),
            most=None,
        )
        return [term for term in candidates if one_error(stem, term)][:NEAR_FORMS]

    def _terms(self, where: str, values: tuple[str | int, ...], most: int | None = NEAR_FORMS) -> list[str]:
        limit = -1 if most is None else most
        rows = self._rows(
            f"select term from vocabulary where {where} order by doc desc, term limit ?", (*values, limit)
        )
        return [str(row[0]) for row in rows]

    def _rows(self, statement: str, values: tuple[str | int | float, ...] = ()) -> list[tuple[object, ...]]:
        # apsw's stubs use a Buffer type that is not known on Python 3.11.
        cursor = self._db.execute(statement, values)  # pyright: ignore[reportUnknownMemberType]
        # The values' types are those of the statement, which only its writer knows.
        return cast(list[tuple[object, ...]], cursor.fetchall())  # pyright: ignore[reportUnknownMemberType]


def _bytes(text: str) -> bytes:
    """Encode a text as it is indexed and asked for; the tokenizer folds accents, but not `ß`."""
    return text.replace("ß", "ss").encode("utf-8", "replace")


def page_order(page: str) -> tuple[bool, int, str]:
    """Order pages for people: start pages first, then the less deep ones, then by name."""
    name = page.rsplit("/", 1)[-1].lower()
    return (name not in ("index", "readme"), page.count("/"), page.lower())


def one_error(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter too many, missing, wrong or swapped with its neighbour."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
