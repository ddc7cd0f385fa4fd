"""Counters of the running server; a metrics page reads them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from duologue.model import limits
from duologue.model.content import Usage
from duologue.runtime.histogram import Histogram

MODEL_CHARS = 128
"""How much of a model's name is shown: those of today are shorter."""


@dataclass(slots=True)
class Figures:
    """Counts since the start.

    Attributes:
        turns: ended turns by outcome.
        events: stored events.
        failures: failed runs by code.
        repeats: turns that were recognised as repeats.
        refusals: refused inputs by code.
        tokens: by model and kind, as agents report them.
        durations: of ended turns' last responses, by agent and protocol.
        first_texts: the time to their first text, where there was any.
    """

    turns: dict[str, int] = field(default_factory=dict[str, int])
    events: int = 0
    failures: dict[str, int] = field(default_factory=dict[str, int])
    repeats: int = 0
    refusals: dict[str, int] = field(default_factory=dict[str, int])
    tokens: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    durations: dict[tuple[str, str], Histogram] = field(default_factory=dict[tuple[str, str], Histogram])
    first_texts: dict[tuple[str, str], Histogram] = field(default_factory=dict[tuple[str, str], Histogram])

    def measure(self, agent: str, protocol: str, *, duration_ms: int, ttft_ms: int | None) -> None:
        """Count how long an answer took."""
        self.durations.setdefault((agent, protocol), Histogram()).add(duration_ms)
        if ttft_ms is not None:
            self.first_texts.setdefault((agent, protocol), Histogram()).add(ttft_ms)


def count(table: dict[str, int], key: str) -> None:
    """Add one."""
    table[key] = table.get(key, 0) + 1


def count_tokens(tokens: dict[str, dict[str, int]], usage: Iterable[Usage]) -> None:
    """Add what the models of a run counted. Cached ones are part of input, and reasoning ones of output."""
    for entry in usage:
        model = (entry.model or "unknown")[:MODEL_CHARS]
        if model not in tokens and len(tokens) >= limits.COUNTED_MODELS:
            model = "other"
        kinds = tokens.setdefault(model, {})
        for kind, number in (
            ("input", entry.input_tokens),
            ("output", entry.output_tokens),
            ("cached", entry.cached_tokens),
            ("reasoning", entry.reasoning_tokens),
        ):
            if number is not None and number > 0:
                kinds[kind] = kinds.get(kind, 0) + number
