"""Which intent a text has: that of the nearest example, by letters."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from duologue.model.signals import Intent, IntentAlternate
from duologue.ports.signal_adapter import IntentExamples

_LEAST: Final = 0.22
"""A text that is less like every example has no intent that is known."""

_ALTERNATES: Final = 3
_ALTERNATE_SHARE: Final = 0.5
"""An alternate is at least so near, of what the winner is."""


class Nearest:
    """Compares groups of two to four letters within words (cosine of tf-idf); inflections and typing errors fit too."""

    def __init__(self, intents: Sequence[IntentExamples]) -> None:
        self._names = [intent.name for intent in intents for _ in intent.examples]
        # scikit-learn has no types.
        self._letters: Any = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, strip_accents="unicode"
        )
        self._examples: Any = self._letters.fit_transform([text for intent in intents for text in intent.examples])

    def estimate(self, text: str) -> Intent | None:
        """The nearest intent; `None` where none is near."""
        near: list[float] = np.asarray((self._examples @ self._letters.transform([text]).T).todense())[:, 0].tolist()
        best: dict[str, float] = {}
        for name, one in zip(self._names, near, strict=True):
            best[name] = max(best.get(name, 0.0), min(1.0, one))
        ranked = sorted(best, key=lambda name: (-best[name], name))
        first = best[ranked[0]]
        if first < _LEAST:
            return None
        second = best[ranked[1]] if len(ranked) > 1 else 0.0
        others = [name for name in ranked[1 : 1 + _ALTERNATES] if best[name] >= _ALTERNATE_SHARE * first]
        return Intent(
            intent=ranked[0],
            score=round(first, 3),
            # Near, and nearer than the next one.
            confidence=round(min(0.95, 0.5 * first + 0.5 * (first - second) / first), 3),
            alternates=tuple(IntentAlternate(intent=name, score=round(best[name], 3)) for name in others),
        )
