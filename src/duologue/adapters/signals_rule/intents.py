"""Which intent a text has, by the words that it shares with the examples."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from duologue.adapters.signals_rule.text import END, plain_words
from duologue.model.signals import Intent, IntentAlternate
from duologue.ports.signal_adapter import IntentExamples

_LEAST: Final = 0.35
"""Less in common with every example is no intent."""

_FEW: Final = 8
"""Words of so many examples are never too frequent to tell."""

_ALTERNATES: Final = 3
"""How many others are told: who reads them looks at two or three."""

_ALTERNATE_SHARE: Final = 0.4
"""An alternate has so much of the winner's score at least."""


class ByWords:
    """Looks for the example that has most words in common; rare words count more than frequent ones."""

    def __init__(self, intents: Sequence[IntentExamples]) -> None:
        read = [(intent.name, frozenset(plain_words(text))) for intent in intents for text in intent.examples]
        spread = Counter(word for _, words in read for word in words)
        # What stands in most examples tells nothing, and would be looked up most.
        plain = {word for word, count in spread.items() if count > max(_FEW, len(read) / 4)}
        read = [(name, words - plain or words) for name, words in read]
        self._weight = {
            word: 0.0 if word in plain else math.log(1 + len(read) / count) for word, count in spread.items()
        }
        self._unknown = math.log(1 + len(read)) if read else 0.0
        self._examples = [(name, self._sum(words)) for name, words in read]
        self._having: dict[str, list[int]] = {}
        for place, (_, words) in enumerate(read):
            for word in words:
                self._having.setdefault(word, []).append(place)

    def estimate(self, said: Sequence[str]) -> Intent | None:
        """The intent that fits best; `None` where none does."""
        words = frozenset(said) - {END}
        shared: dict[int, float] = {}
        for word in words:
            for place in self._having.get(word, ()):
                shared[place] = shared.get(place, 0.0) + self._weight[word]
        if not shared:
            return None
        mine = self._sum(words)
        best: dict[str, float] = {}
        for place, common in shared.items():
            name, whole = self._examples[place]
            # Of both together: 1 where they are the same (Dice's coefficient, weighted).
            best[name] = max(best.get(name, 0.0), 2 * common / (mine + whole))
        return _chosen(best)

    def _sum(self, words: frozenset[str]) -> float:
        return sum(self._weight.get(word, self._unknown) for word in words)


def _chosen(scores: dict[str, float]) -> Intent | None:
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    first = scores[ranked[0]]
    if first < _LEAST:
        return None
    second = scores[ranked[1]] if len(ranked) > 1 else 0.0
    others = [name for name in ranked[1 : 1 + _ALTERNATES] if scores[name] >= _ALTERNATE_SHARE * first]
    return Intent(
        intent=ranked[0],
        score=round(first, 3),
        confidence=round(min(0.9, first * (0.5 + 0.5 * (first - second) / first)), 3),
        alternates=tuple(IntentAlternate(intent=name, score=round(scores[name], 3)) for name in others),
    )
