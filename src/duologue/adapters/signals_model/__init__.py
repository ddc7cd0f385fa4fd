"""Signals by a language model's structured output, through Pydantic AI. Needs the extra `llm`."""

from duologue.adapters.signals_model.adapter import ModelSignals

__all__ = ["ModelSignals"]
