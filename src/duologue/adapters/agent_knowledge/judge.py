"""Judges the passages that a search found: which answer the question, and whether any does."""

from collections.abc import Iterable, Sequence
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

ENOUGH_OWN: Final = 0.5
"""Share of what a follow-up question itself names: the topic before must not answer for it."""

FOCUS_SHARE: Final = 0.5
BM25_SHARE: Final = 0.3
HEADING_SHARE: Final = 0.8
HEADING_FIT_SHARE: Final = 0.3
TITLE_SHARE: Final = 0.15
"""What the signs weigh in the order of answers, beside 1 for coverage; tried on the tests' questions."""

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
    return sorted(
        judged, key=lambda hit: (-hit.score, hit.entry.passage.page.lower(), hit.entry.passage.order)
    )


def judge(index: Index, hit: Found, reading: Reading, *, best_bm25: float) -> Judged:
    """Weigh one candidate."""
    entry, terms = hit.entry, reading.terms
    covered = coverage(entry.stems, terms)
    above = entry.heading_stems | entry.title_stems
    units = [index.stems(unit.text) for unit in entry.passage.units]
    kinds = [unit.kind for unit in entry.passage.units]
    # The sentence before counts too, as the second often says "it"; of a list each line is for itself.
    windows = [
        above.union(stems, units[at - 1] if at and kinds[at] == "prose" else ())
        for at, stems in enumerate(units)
    ]
    focus = max(coverage(window, terms) for window in windows)
    in_heading = coverage(entry.heading_stems, terms)
    fits = covered >= ENOUGH_COVERAGE and focus >= ENOUGH_FOCUS
    if reading.own and not all(term.soft for term in reading.own):
        fits = fits and coverage(entry.stems, reading.own) >= ENOUGH_OWN
    if all(term.soft for term in terms):
        fits = in_heading >= ENOUGH_COVERAGE
    return Judged(
        entry=entry,
        asked=frozenset(term.word.stem for term in terms if term.credit(entry.stems)),
        about=in_heading >= ENOUGH_COVERAGE and entry.passage.part == 0,
        fits=fits,
        score=covered
        + FOCUS_SHARE * focus
        + BM25_SHARE * (hit.bm25 / best_bm25 if best_bm25 > 0 else 0.0)
        + HEADING_SHARE * in_heading
        + HEADING_FIT_SHARE * _heading_fit(index, entry, terms)
        + TITLE_SHARE * coverage(entry.title_stems, terms),
        unit_scores=tuple(
            _unit_score(stems, reading) * (CODE_SHARE if kind == "code" else 1.0)
            for kind, stems in zip(kinds, units, strict=True)
        ),
    )


def whole(entry: Entry) -> Judged:
    """Take a passage that was asked for by name; its first units are its best."""
    nothing = (0.0,) * len(entry.passage.units)
    return Judged(entry=entry, asked=frozenset(), about=True, fits=True, score=1.0, unit_scores=nothing)


def coverage(stems: Iterable[str], terms: Sequence[Term]) -> float:
    """Return the share of the terms, by weight, that a text with these stems has, from 0 to 1."""
    total = sum(weight(term) for term in terms)
    if total <= 0:
        return 0.0
    have = frozenset(stems)
    return sum(weight(term) * term.credit(have) for term in terms) / total


def _unit_score(stems: Sequence[str], reading: Reading) -> float:
    """Return how well one sentence fits; in a follow-up question, what it names itself counts double."""
    score = coverage(stems, reading.terms)
    return (score + 2 * coverage(stems, reading.own)) / 3 if reading.goes_on and reading.own else score


def _heading_fit(index: Index, entry: Entry, terms: Sequence[Term]) -> float:
    """Return the share of the heading's own words that the question has."""
    telling = {word.stem for word in index.words(entry.passage.heading) if word.raw not in STOP}
    asked = {stem for term in terms for stem in term.near}
    return len(telling & asked) / len(telling) if telling else 0.0
