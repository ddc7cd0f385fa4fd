"""Splits Markdown into passages by heading. The server's docs use the same parser and the same slugs."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from duologue.model.base import Value

Kind: TypeAlias = Literal["prose", "item", "row", "code"]

FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n.{0,8000}?^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
SENTENCE_END: Final = re.compile(r"(?<=[.!?…])(?P<close>[\"'”’»)\]`]*)\s+(?=[\"'“‘«(\[`]*[^\W_a-z])|(?<=[。！？])")
ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|no|nr|fig|dr|mr|mrs|ms|st|bzw|ca|z\. ?b|d\. ?h|u\. ?a)|\b[A-Z])\.$",
    re.IGNORECASE,
)

UNIT_CHARS: Final = 2_000
"""Longest unit; a longer one is cut. To tokenize one holds the interpreter for about 0.5 ms."""

PASSAGE_CHARS: Final = 6_000
"""About how long a passage may be: two pages of paper, so that its words belong together."""

TAG: Final = re.compile(r"<!--.*?-->|<[^<>]*>", re.DOTALL)


class Unit(Value, frozen=True, kw_only=True, gc=False):
    """The smallest thing that is quoted: a sentence, a list item, a table row, a code block.

    Attributes:
        block: which paragraph, list, table or code block of the passage it belongs to; rises with the text.
    """

    kind: Kind
    text: str
    block: int


class Passage(Value, frozen=True, kw_only=True, gc=False):
    """What stands under one heading, up to the next heading of any level.

    Attributes:
        page: the page's path below the folder, without `.md`.
        title: the page's title.
        trail: the headings that lead to it, outermost first, without the page's title; empty at the top.
        slug: the heading's id; empty before the first heading.
        order: its place on the page, from 0.
        part: a very long section is several passages; which of them this is, from 0.
    """

    page: str
    title: str
    trail: tuple[str, ...]
    slug: str
    order: int
    part: int = 0
    units: tuple[Unit, ...]

    @property
    def heading(self) -> str:
        """Its own heading, or the page's title at the page's top."""
        return self.trail[-1] if self.trail else self.title


class Heading(Value, frozen=True, kw_only=True):
    """A heading of a page; `at` is the index of its opening token."""

    at: int
    level: int
    text: str
    slug: str


class Slugs:
    """Gives headings the ids that GitHub gives them; one instance serves one page.

    Source: github-slugger 2.0, as GitHub's own code is not public.
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def make(self, text: str) -> str:
        """Return the id of the next heading."""
        plain = slug = "".join(_slug_char(char) for char in text.lower())
        while slug in self._times:
            self._times[plain] += 1
            slug = f"{plain}-{self._times[plain]}"
        self._times[slug] = 0
        return slug


def parse(text: str) -> list[Token]:
    """Parse a page: CommonMark with tables and strikethrough, without front matter.

    Returns:
        Tokens without HTML: tags and comments are left out, the text between them stays text. So a comment is
        neither shown nor quoted, and nothing that renders these tokens can let markup through.
    """
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [kept for token in parser.parse(without_front_matter(text)) for kept in _without_html(token)]


def without_front_matter(text: str) -> str:
    """Leave out the settings that some tools write at the top of a page."""
    return FRONT_MATTER.sub("", text.replace("\r\n", "\n").lstrip("\ufeff"), count=1)


def headings(tokens: Sequence[Token]) -> list[Heading]:
    """List the headings of a page in order, with their ids."""
    slugs = Slugs()
    found: list[Heading] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = plain(tokens[at + 1])
            found.append(Heading(at=at, level=int(token.tag[1]), text=text, slug=slugs.make(text)))
    return found


def title_of(page: str, found: Sequence[Heading]) -> str:
    """Return a page's title: its first heading of the first level, else its name made readable."""
    for heading in found:
        if heading.level == 1 and heading.text:
            return heading.text
    words = page.rsplit("/", 1)[-1].replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def split(page: str, text: str) -> list[Passage]:
    """Split a page into its passages, in order; a heading with nothing under it gives none."""
    tokens = parse(text)
    found = headings(tokens)
    title = title_of(page, found)
    trails = _trails(found, title=title)
    passages: list[Passage] = []
    for heading, body in _sections(tokens, found):
        cutter = _Cutter()
        for token in body:
            cutter.take(token)
        for part, units in enumerate(_parts(cutter.units)):
            passages.append(
                Passage(
                    page=page,
                    title=title,
                    trail=trails[heading.at] if heading else (),
                    slug=heading.slug if heading else "",
                    order=len(passages),
                    part=part,
                    units=units,
                )
            )
    return passages


def plain(inline: Token, *, code_mark: str = "") -> str:
    """Return the text of an inline token without its markup; `code_mark` stands around code."""
    parts: list[str] = []
    for child in inline.children or ():
        match child.type:
            case "text" | "text_special":
                parts.append(child.content)
            case "code_inline":
                parts.append(f"{code_mark}{child.content}{code_mark}")
            case "softbreak" | "hardbreak":
                parts.append(" ")
            case "image":
                parts.append(child.content)
            case _:
                pass
    return " ".join("".join(parts).split())


def sentences(text: str) -> list[str]:
    """Split a paragraph into sentences."""
    whole: list[str] = []
    start = 0
    for end in SENTENCE_END.finditer(text):
        sentence = text[start : end.start()] + (end["close"] or "")
        if ABBREVIATION.search(sentence):
            continue
        whole.append(sentence.strip())
        start = end.end()
    whole.append(text[start:].strip())
    return [sentence for sentence in whole if sentence]


def _slug_char(char: str) -> str:
    if char == " ":
        return "-"
    category = unicodedata.category(char)
    return char if char == "-" or category[0] in "LM" or category in ("Nd", "Nl", "Pc") else ""


def _sections(tokens: Sequence[Token], found: Sequence[Heading]) -> Iterator[tuple[Heading | None, Sequence[Token]]]:
    heading: Heading | None = None
    begin = 0
    for following in found:
        yield heading, tokens[begin : following.at]
        heading, begin = following, following.at + 3  # The opening, the text and the closing of the heading.
    yield heading, tokens[begin:]


def _trails(found: Sequence[Heading], *, title: str) -> dict[int, tuple[str, ...]]:
    """Return, for each heading's place, the headings above it and its own, without the page's title."""
    first = next((heading.at for heading in found if heading.level == 1 and heading.text == title), None)
    trails: dict[int, tuple[str, ...]] = {}
    open_now: list[Heading] = []
    for heading in found:
        while open_now and open_now[-1].level >= heading.level:
            open_now.pop()
        open_now.append(heading)
        trails[heading.at] = tuple(above.text for above in open_now if above.at != first and above.text)
    return trails


def _parts(units: Sequence[Unit]) -> Iterator[tuple[Unit, ...]]:
    """Cut a very long section into parts."""
    part: list[Unit] = []
    room = PASSAGE_CHARS
    for unit in units:
        if part and room < len(unit.text):
            yield tuple(part)
            part, room = [], PASSAGE_CHARS
        part.append(unit)
        room -= len(unit.text)
    if part:
        yield tuple(part)


def _without_html(token: Token) -> Iterator[Token]:
    """Leave out the tags of a token; what is between them stays, as text."""
    match token.type:
        case "html_block":
            text = " ".join(TAG.sub(" ", token.content).split())
            if text:
                child = Token("text", "", 0, content=text)
                yield Token("paragraph_open", "p", 1, level=token.level, block=True)
                yield Token("inline", "", 0, level=token.level + 1, content=text, children=[child])
                yield Token("paragraph_close", "p", -1, level=token.level, block=True)
        case "inline":
            for child in token.children or ():
                if child.type == "html_inline":
                    is_break = child.content.lower().startswith("<br")
                    child.type, child.tag = ("hardbreak", "br") if is_break else ("text", "")
                    child.content = ""
            yield token
        case _:
            yield token


class _Cutter:
    """Cuts a passage into what can be quoted of it; holds where in lists and tables the walk is."""

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self._block = 0
        self._list_depth = 0
        self._row: list[str] = []
        self._cell: Literal["td", "th"] | None = None

    def take(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._block += self._list_depth == 0
                self._list_depth += 1
            case "bullet_list_close" | "ordered_list_close":
                self._list_depth -= 1
            case "table_open":
                self._block += 1
            case "tr_open":
                self._row = []
            case "th_open":
                self._cell = "th"
            case "td_open":
                self._cell = "td"
            case "td_close" | "th_close":
                self._cell = None
            case "tr_close":
                self._add("row", row_text(self._row))
            case "fence" | "code_block":
                self._block += self._list_depth == 0
                self._add("code", token.content.rstrip("\n"))
            case "inline":
                self._take_text(plain(token, code_mark="`"))
            case _:
                pass

    def _take_text(self, text: str) -> None:
        if self._cell == "td":
            self._row.append(text)
        elif self._cell is None and self._list_depth:
            self._add("item", text)
        elif self._cell is None:
            self._block += 1
            for sentence in sentences(text):
                self._add("prose", sentence)

    def _add(self, kind: Kind, text: str) -> None:
        for start in range(0, len(text), UNIT_CHARS):
            piece = text[start : start + UNIT_CHARS]
            if piece.strip():
                self.units.append(Unit(kind=kind, text=piece, block=self._block))


def row_text(cells: Sequence[str]) -> str:
    """Write a table's row as a phrase: what it is about, then what is said of it."""
    filled = [cell for cell in cells if cell]
    return ": ".join([*filled[:1], "; ".join(filled[1:])]) if len(filled) > 1 else "".join(filled)
