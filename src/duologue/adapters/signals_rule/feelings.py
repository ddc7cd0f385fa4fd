"""From words to evidence, and from evidence to a mood.

Evidence adds up: an entry of the lists counts 1, a strong one 2, and what stands around it makes it count more, less,
or for something else. A mood's score grows with its evidence towards 1: `1 - exp(-0.9 e)`, which is 0.59 for one plain
word and 0.83 for a strong one.
"""

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from duologue.adapters.signals_rule import emphasis
from duologue.adapters.signals_rule.lexicon import FEELINGS, Feeling, Lexicon, Match
from duologue.adapters.signals_rule.text import END, Said
from duologue.model.signals import Polarity, Sentiment
from duologue.ports.signal_adapter import Heard

Evidence = dict[Feeling, float]

_GROWTH: Final = 0.9
_NEUTRAL_BELOW: Final = 0.28
"""A mood whose score is less is none: half a weak word."""

_BEFORE: Final = 3
"""How many words before a feeling may turn it round or make it stronger, within its clause."""

_STRONGER: Final = 1.5
_WEAKER: Final = 0.6
_LOUDER: Final = 1.3
_AFTER_BUT: Final = 1.3
_BEFORE_BUT: Final = 0.6
_SAID_AGAIN: Final = 1.2
"""Evidence of frustration where nearly the same was said before."""

_SHOUTED: Final = 0.7
_DOUBTED: Final = 0.6
_MIXED: Final = 0.35
"""Where both sides have such a score, the mood is mixed."""

_NEGATIVE: Final[tuple[Feeling, ...]] = ("frustration", "anger", "confusion")
_POSITIVE: Final[tuple[Feeling, ...]] = ("satisfaction", "delight")

_TURNED: Final[dict[Feeling, tuple[Feeling, float]]] = {
    "satisfaction": ("frustration", 0.9),
    "delight": ("frustration", 0.7),
    "frustration": ("satisfaction", 0.3),
    "anger": ("satisfaction", 0.1),
    "confusion": ("satisfaction", 0.3),
}
"""What a feeling becomes where it is negated, and how much of it; urgency becomes nothing."""


def mood(heard: Heard, said: Said, lexicon: Lexicon | None) -> Sentiment:
    """Estimate the mood.

    Args:
        heard: what was said; of a turn, how it went counts too.
        said: its text, read.
        lexicon: of its language; `None` where there is none: then only signs and faces tell.
    """
    evidence = _from_words(said, lexicon) if lexicon is not None else {}
    _from_signs(evidence, heard, said)
    if heard.scope == "turn":
        _from_outcome(evidence, heard)
    return _weigh(evidence, known=lexicon is not None, length=len(said.words))


def _from_words(said: Said, lexicon: Lexicon) -> Evidence:
    evidence: Evidence = {}
    words = said.words
    turn = _last_turn(words, lexicon)
    place = 0
    while place < len(words):
        match = lexicon.find(words, place)
        if match is None:
            place += 1
            continue
        feeling, weight = _in_context(match, said, lexicon)
        if turn:
            weight *= _AFTER_BUT if place > turn else _BEFORE_BUT
        evidence[feeling] = evidence.get(feeling, 0.0) + weight
        place = match.last + 1
    return evidence


def _last_turn(words: Sequence[str], lexicon: Lexicon) -> int:
    """The place of the last "but" that has something before and after it; 0 where there is none."""
    if lexicon.turns.single.isdisjoint(words):
        return 0
    return next((place for place in range(len(words) - 2, 0, -1) if words[place] in lexicon.turns.single), 0)


def _in_context(match: Match, said: Said, lexicon: Lexicon) -> tuple[Feeling, float]:
    """What a match counts for, and how much, by the words around it."""
    weight = match.weight
    before = _clause_before(said.words, match.first)
    near = before[-2:]
    if near:
        if lexicon.diminishers.among(near):
            weight *= _WEAKER
        elif lexicon.intensifiers.among(near):
            weight *= _STRONGER
    if said.stressed and not said.stressed.isdisjoint(said.words[match.first : match.last + 1]):
        weight *= _LOUDER
    if match.fixed or not _negated(match, before, said.words, lexicon):
        return match.feeling, weight
    feeling, part = _TURNED.get(match.feeling, (match.feeling, 0.0))
    return feeling, weight * part


def _negated(match: Match, before: Sequence[str], words: Sequence[str], lexicon: Lexicon) -> bool:
    if before and lexicon.negations.among(before):
        return True
    after = words[match.last + 1 : match.last + 1 + lexicon.negated_after]
    return any(word in lexicon.negations.single for word in takewhile(lambda word: word is not END, after))


def _clause_before(words: Sequence[str], place: int) -> Sequence[str]:
    first = place
    while first > 0 and place - first < _BEFORE and words[first - 1] is not END:
        first -= 1
    return words[first:place]


def _from_signs(evidence: Evidence, heard: Heard, said: Said) -> None:
    """Add what is felt beside the words."""
    for feeling, weight in emphasis.faces(heard.text).items():
        evidence[feeling] = evidence.get(feeling, 0.0) + weight
    if again := emphasis.said_before(said.words, heard.earlier):
        evidence["frustration"] = evidence.get("frustration", 0.0) + _SAID_AGAIN * again
    if emphasis.stammered(said.words):
        evidence["frustration"] = evidence.get("frustration", 0.0) + _DOUBTED
    if emphasis.doubted(heard.text):
        feeling: Feeling = "frustration" if _strongest(evidence) in ("frustration", "anger") else "confusion"
        evidence[feeling] = evidence.get(feeling, 0.0) + _DOUBTED
    if emphasis.shouted(heard.text):
        loud = _strongest(evidence)
        feeling = "anger" if loud in (None, "frustration", "anger") else loud
        evidence[feeling] = evidence.get(feeling, 0.0) + _SHOUTED
    louder = emphasis.exclaimed(heard.text)
    for one in evidence:
        evidence[one] *= louder


def _from_outcome(evidence: Evidence, heard: Heard) -> None:
    """Add how the turn went: no answer frustrates, and so does one that has to be stopped, a little."""
    if heard.outcome == "failed":
        evidence["frustration"] = evidence.get("frustration", 0.0) + 1.0
    elif heard.outcome in ("interrupted", "cancelled"):
        evidence["frustration"] = evidence.get("frustration", 0.0) + 0.4
    elif heard.answer and heard.outcome == "completed":
        # Who was answered is less lost than who had only asked.
        for feeling in ("confusion", "urgency"):
            if feeling in evidence:
                evidence[feeling] *= 0.8


def _strongest(evidence: Evidence) -> Feeling | None:
    return max(evidence, key=evidence.__getitem__, default=None)


def _weigh(evidence: Evidence, *, known: bool, length: int) -> Sentiment:
    scores: dict[Feeling, float] = {
        feeling: 1 - math.exp(-_GROWTH * evidence.get(feeling, 0.0)) for feeling in FEELINGS
    }
    ranked = sorted(FEELINGS, key=scores.__getitem__, reverse=True)
    first, second = scores[ranked[0]], scores[ranked[1]]
    polarity = _polarity(scores)
    if first < _NEUTRAL_BELOW:
        sure = 0.5 if known and length > 2 else 0.3 if known else 0.1
        return Sentiment(category="neutral", score=_round(1 - first), confidence=_round(sure), polarity="neutral")
    # Words alone are never quite sure, and less so where two moods are near each other.
    sure = 0.35 + 0.5 * (first - second) if known else 0.25 + 0.2 * (first - second)
    return Sentiment(category=ranked[0], score=_round(first), confidence=_round(sure), polarity=polarity)


def _polarity(scores: dict[Feeling, float]) -> Polarity:
    negative = max(scores[feeling] for feeling in _NEGATIVE)
    positive = max(scores[feeling] for feeling in _POSITIVE)
    if negative >= _MIXED and positive >= _MIXED:
        return "mixed"
    if max(negative, positive) < _NEUTRAL_BELOW:
        return "neutral"
    return "negative" if negative > positive else "positive"


def _round(value: float) -> float:
    return round(value, 3)
