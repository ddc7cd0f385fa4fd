"""The port: estimates by rules, in process and at once."""

from collections.abc import Sequence
from typing import Final

from duologue.adapters.signals_rule.feelings import mood
from duologue.adapters.signals_rule.intents import ByWords
from duologue.adapters.signals_rule.lexicon import Lexicon
from duologue.adapters.signals_rule.text import read
from duologue.adapters.signals_rule.words import LISTS
from duologue.model.signals import Signal, SignalSource
from duologue.ports.signal_adapter import Heard, IntentExamples


class RuleSignals:
    """Estimates a mood by word lists, and an intent by the words of its examples.

    Needs no model and no package. A text is looked at once, up to `limits.SIGNAL_TEXT_CHARS`; `python -m
    benchmarks.signals` measures it. Source: `duologue.ports.signal_adapter.InstantSignals`.

    Args:
        intents: those that are told; none where empty.
    """

    def __init__(self, intents: Sequence[IntentExamples] = ()) -> None:
        self._lexicons: Final = {language: Lexicon(lists) for language, lists in LISTS.items()}
        self._intents: Final = ByWords(intents) if intents else None

    @property
    def source(self) -> SignalSource:
        """Rules."""
        return "rule"

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return "duologue-words"

    def estimate(self, heard: Heard) -> tuple[Signal, ...]:
        """Estimate what was said, as the port says."""
        said = read(heard.text)
        sentiment = mood(heard, said, self._lexicons.get(heard.language.lower().partition("-")[0]))
        intent = self._intents.estimate(said.words) if self._intents is not None else None
        return (sentiment,) if intent is None else (sentiment, intent)
