"""Signals by rules: word lists of our own in eight languages, and the examples of intents."""

from duologue.adapters.signals_rule.adapter import RuleSignals
from duologue.adapters.signals_rule.words import LISTS

LANGUAGES = tuple(LISTS)
"""The languages whose words are known, as BCP 47 primary subtags."""

__all__ = ["LANGUAGES", "RuleSignals"]
