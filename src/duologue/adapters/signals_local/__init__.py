"""Signals by a small classifier on this machine. Needs the extra `signals`."""

from duologue.adapters.signals_local.adapter import LocalSignals
from duologue.adapters.signals_local.examples import Example

__all__ = ["Example", "LocalSignals"]
