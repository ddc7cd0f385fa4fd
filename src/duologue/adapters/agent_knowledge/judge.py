"""Judges the passages that a search found: which answer the question, and whether any does."""

from collections.abc import Container, Sequence
from typing import Final

from duologue.adapters.agent_knowledge.index import Entry, Found, Index, Term
from duologue.adapters.agent_knowledge.question import Reading, weight
from duologue.adapters.agent_knowledge.words import STOP
from duologue.model.base import Value

ENOUGH_COVERAGE: Final = 0.6
"""Share of the question, by weight, that a passage has to speak of. Of two equal words it takes both, so that
"weather in Paris" is not answered by a page that has the weather as an example."""

ENOUGH_FOCUS: Final = 0.55
"""Share that one of its sentences has, with the one before and the headings above: words strewn over a page
answer nothing."""

ENOUGH_TOPIC: Final = 0.3
"""Share of the topic from before that a passage has to speak of, to answer a follow-up question. What the
question itself names has to be there as in any other: the topic must not answer for it."""

FOCUS_SHARE: Final = 0.5
BM25_SHARE: Final = 0.3
HEADING_SHARE: Final = 0.8
HEADING_FIT_SHARE: Final = 0.3
TITLE_SHARE: Final = 0.15
DEFINES_SHARE: Final = 0.4
"""What the signs weigh in the order of answers, beside 1 for coverage; tried on the tests' questions."""

ENOUGH_HEADING: Final = 0.5
"""Share of the question's known words that a heading has to have for its section to be what was asked for."""

MANY_TERMS: Final = 3
MOST_TERMS: Final = 0.65
"""Of a question with so many words, so many are enough where one is in a heading: people do not know which
words the pages use, and one that no page has would weigh more than all others."""

CODE_SHARE: Final = 0.5
"""What code counts beside a sentence with the same words: names in it are not said of anything."""


class Judged(Value, frozen=True, kw_only=True):
    """A passage with what speaks for it.

    Attributes:
        asked: the stems of the question's words that it has.
        about: its heading is what was asked for, so that it is quoted from its beginning.
        fits: it answers the question well enough to be quoted.
        score: for the order; higher is better.
        unit_scores: how well each of its units fits, from 0 to 1.
    """

    entry: Entry
    asked: frozenset[str]
    about: bool
    fits: bool
    score: float
    unit_scores: tuple[float, ...]


def search(index: Index, reading: Reading) -> list[Judged]:
    """Find passages for one reading of a question, best first; ties are in the order of the pages.

    BM25 orders; it cannot say that nothing fits, as its figure has no scale: it is next to 0 for a word that
    half of the passages have. That is for the share of the question's words, weighed by inverse frequency.
    """
    found = index.search(reading.terms)
    best_bm25 = max((hit.bm25 for hit in found), default=0.0)
    judged = [judge(index, hit, reading, best_bm25=best_bm25) for hit in found]
    return sorted(judged, key=lambda hit: (-hit.score, hit.entry.passage.page.lower(), hit.entry.passage.order))


def judge(index: Index, hit: Found, reading: Reading, *, best_bm25: float) -> Judged:
    """Weigh one candidate."""
    entry, terms = hit.entry, reading.terms
    windows = _windows(entry)
    score = (
        coverage(entry.stems, terms)
        + FOCUS_SHARE * max(coverage(window, terms) for window in windows)
        + BM25_SHARE * (hit.bm25 / best_bm25 if best_bm25 > 0 else 0.0)
        + HEADING_SHARE * coverage(entry.heading_stems, terms)
        + HEADING_FIT_SHARE * _heading_fit(index, entry, terms)
        + TITLE_SHARE * coverage(entry.title_stems, terms)
        + DEFINES_SHARE * _defines(index, entry, terms)
    )
    known = [term for term in terms if term.near]
    return Judged(
        entry=entry,
        asked=frozenset(term.word.stem for term in terms if term.credit(entry.stems)),
        about=coverage(entry.heading_stems, known) >= ENOUGH_HEADING and entry.passage.part == 0,
        fits=_fits(entry, windows, reading),
        score=score,
        unit_scores=tuple(
            _unit_score(stems, reading) * (CODE_SHARE if unit.kind == "code" else 1.0)
            for unit, stems in zip(entry.passage.units, entry.unit_stems, strict=True)
        ),
    )


def whole(entry: Entry) -> Judged:
    """Take a passage that was asked for by name; its first units are its best."""
    nothing = (0.0,) * len(entry.passage.units)
    return Judged(entry=entry, asked=frozenset(), about=True, fits=True, score=1.0, unit_scores=nothing)


def coverage(stems: Container[str], terms: Sequence[Term]) -> float:
    """Return the share of the terms, by weight, that a text with these stems has, from 0 to 1."""
    total = sum(weight(term) for term in terms)
    if total <= 0:
        return 0.0
    return sum(weight(term) * term.credit(stems) for term in terms) / total


def _windows(entry: Entry) -> list[frozenset[str]]:
    """Return, for each unit, the stems that are understood with it: its own and those of the headings above.

    Of a text the sentence before counts too, as the next often says "it"; of a list each line is for itself.
    """
    above = entry.heading_stems | entry.title_stems
    units, stems = entry.passage.units, entry.unit_stems
    return [above.union(own, stems[at - 1] if at and units[at].kind == "prose" else ()) for at, own in enumerate(stems)]


def _fits(entry: Entry, windows: Sequence[frozenset[str]], reading: Reading) -> bool:
    """Tell whether a passage answers a question well enough to be quoted."""
    terms = reading.terms
    own = [term for term in reading.own if not term.soft]
    if reading.goes_on and own:
        topic = [term for term in terms if term not in reading.own]
        return coverage(entry.stems, topic) >= ENOUGH_TOPIC and _covers(entry, windows, reading.own)
    if all(term.soft for term in terms):
        return coverage(entry.heading_stems, terms) >= ENOUGH_COVERAGE
    return _covers(entry, windows, terms) or _mostly(entry, windows, terms)


def _covers(entry: Entry, windows: Sequence[frozenset[str]], terms: Sequence[Term]) -> bool:
    """Tell whether a passage has enough of the words, and has them together."""
    if coverage(entry.stems, terms) < ENOUGH_COVERAGE:
        return False
    return any(coverage(window, terms) >= ENOUGH_FOCUS for window in windows)


def _mostly(entry: Entry, windows: Sequence[frozenset[str]], terms: Sequence[Term]) -> bool:
    """Tell whether a passage has most words of a long question, together, and one of them in its heading."""
    hard = [term for term in terms if not term.soft]
    if len(hard) < MANY_TERMS or not any(term.credit(entry.heading_stems) for term in hard):
        return False
    return any(sum(term.credit(window) for term in hard) >= MOST_TERMS * len(hard) for window in windows)


def _defines(index: Index, entry: Entry, terms: Sequence[Term]) -> bool:
    """Tell whether it explains the thing: as the top of its page, or in its own row of a table."""
    if entry.passage.order == 0 and coverage(entry.title_stems, terms) >= ENOUGH_COVERAGE:
        return True
    hard = {stem for term in terms if not term.soft for stem in term.near}
    asked = {stem for term in terms for stem in term.near}
    return any(
        unit.kind == "row" and stems & hard and set(index.stems(unit.text.partition(":")[0])) <= asked
        for unit, stems in zip(entry.passage.units, entry.unit_stems, strict=True)
    )


def _unit_score(stems: frozenset[str], reading: Reading) -> float:
    """Return how well one sentence fits; in a follow-up question, what it names itself counts double."""
    score = coverage(stems, reading.terms)
    return (score + 2 * coverage(stems, reading.own)) / 3 if reading.goes_on and reading.own else score


def _heading_fit(index: Index, entry: Entry, terms: Sequence[Term]) -> float:
    """Return the share of the heading's own words that the question has."""
    telling = {word.stem for word in index.words(entry.passage.heading) if word.raw not in STOP}
    asked = {stem for term in terms for stem in term.near}
    return len(telling & asked) / len(telling) if telling else 0.0
