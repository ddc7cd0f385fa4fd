"""Telling without a model what a turn leaves to be remembered: patterns of what people say of themselves."""

from duologue.adapters.memory_rules.extractor import RuleExtractor

__all__ = ["RuleExtractor"]
