"""The word lists of a language, made ready to be looked up."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from duologue.adapters.signals_rule.text import plain_words
from duologue.adapters.signals_rule.words import Words
from duologue.model.base import Value

Feeling: TypeAlias = Literal["frustration", "anger", "confusion", "urgency", "satisfaction", "delight"]

FEELINGS: Final[tuple[Feeling, ...]] = ("frustration", "anger", "confusion", "urgency", "satisfaction", "delight")

_STRONG: Final = 2.0
_USUAL: Final = 1.0
_WEAK: Final = 0.4
_BEGIN: Final = 3
"""How many letters tell that a word may begin with a stem; no stem is shorter."""


class Entry(Value, kw_only=True):
    """What some words mean.

    Attributes:
        rest: the words after the first one, each exactly; the last one only its begin where `open_end`.
        open_end: any ending may follow.
        fixed: no negation turns it round: it has one itself, or is a whole phrase.
    """

    feeling: Feeling
    weight: float
    rest: tuple[str, ...] = ()
    open_end: bool = False
    fixed: bool = False


class Match(Value, kw_only=True):
    """An entry that was found; `first` and `last` are places of words."""

    feeling: Feeling
    weight: float
    first: int
    last: int
    fixed: bool


class Phrases:
    """Words, and pairs of words, that change what is beside them."""

    def __init__(self, listed: str) -> None:
        read = [plain_words(one) for one in listed.split(",")]
        self.single = frozenset(words[0] for words in read if len(words) == 1)
        self._pairs = frozenset(words for words in read if len(words) == 2)

    def among(self, near: Sequence[str]) -> bool:
        """Whether one of them is among some words that follow each other."""
        if not self.single.isdisjoint(near):
            return True
        return any(pair in self._pairs for pair in pairwise(near))


class Lexicon:
    """All that is known of how feelings are said in a language."""

    def __init__(self, lists: Words) -> None:
        self.negations = Phrases(lists.negations)
        self.intensifiers = Phrases(lists.intensifiers)
        self.diminishers = Phrases(lists.diminishers)
        self.turns = Phrases(lists.turns)
        self.negated_after = lists.negated_after
        self._whole: dict[str, list[Entry]] = {}
        self._stems: dict[str, Entry] = {}
        for feeling, text in _by_feeling(lists):
            for words, entry in _entries(feeling, text, self.negations.single):
                if entry.open_end and not entry.rest:
                    self._stems[words[0]] = entry
                else:
                    self._whole.setdefault(words[0], []).append(entry)
        # The longest entry that fits is what was meant.
        for entries in self._whole.values():
            entries.sort(key=lambda entry: -len(entry.rest))
        self._lengths: Sequence[int] = sorted({len(stem) for stem in self._stems}, reverse=True)
        # Most words begin like no stem, and need not be compared at each length.
        self._begins = frozenset(stem[:_BEGIN] for stem in self._stems)

    def find(self, words: Sequence[str], place: int) -> Match | None:
        """The longest entry that begins at a word; `None` where none does."""
        text = words[place]
        for entry in self._whole.get(text, ()):
            if _fits(entry, words, place):
                return _matched(entry, place)
        if text[:_BEGIN] not in self._begins:
            return None
        for length in self._lengths:
            if length <= len(text) and (entry := self._stems.get(text[:length])) is not None:
                return _matched(entry, place)
        return None


def _matched(entry: Entry, place: int) -> Match:
    return Match(
        feeling=entry.feeling,
        weight=entry.weight,
        first=place,
        last=place + len(entry.rest),
        fixed=entry.fixed,
    )


def _fits(entry: Entry, words: Sequence[str], place: int) -> bool:
    rest = entry.rest
    if place + len(rest) >= len(words):
        return False
    for offset, wanted in enumerate(rest, 1):
        text = words[place + offset]
        if text != wanted and not (entry.open_end and offset == len(rest) and text.startswith(wanted)):
            return False
    return True


def _by_feeling(lists: Words) -> Iterator[tuple[Feeling, str]]:
    yield "frustration", lists.frustration
    yield "anger", lists.anger
    yield "confusion", lists.confusion
    yield "urgency", lists.urgency
    yield "satisfaction", lists.satisfaction
    yield "delight", lists.delight


def _entries(feeling: Feeling, text: str, negations: frozenset[str]) -> Iterator[tuple[tuple[str, ...], Entry]]:
    for raw in text.split(","):
        one = raw.strip()
        weight = {"!": _STRONG, "~": _WEAK}.get(one[:1], _USUAL)
        words = plain_words(one)
        yield (
            words,
            Entry(
                feeling=feeling,
                weight=weight,
                rest=words[1:],
                open_end=one.endswith("*"),
                fixed=len(words) > 1 or not negations.isdisjoint(words),
            ),
        )
