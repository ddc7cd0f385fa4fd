"""Telling by a language model what a turn leaves to be remembered. Needs the extra `llm`."""

from duologue.adapters.memory_model.extractor import ModelExtractor

__all__ = ["ModelExtractor"]
