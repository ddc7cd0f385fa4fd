"""Counters of the calls; a metrics page reads them."""

from dataclasses import dataclass, field
from typing import Final

from duologue.model.voice import Latency
from duologue.runtime.histogram import Histogram

PARTS: Final = ("transcriber", "turn_detection", "model", "cutting", "voice", "total")
"""What a turn waits for, as `model/voice.py` has it, without the unit."""


@dataclass(slots=True)
class CallFigures:
    """Counts since the start.

    Attributes:
        begun: calls.
        ended: calls that are over, by reason.
        barge_ins: how often somebody interrupted the assistant.
        preflights: what became of answers that were prepared early: `hit`, `miss`, or `pending`, which was wanted
            before it had any words.
        latencies: what turns of calls waited for, by part.
    """

    begun: int = 0
    ended: dict[str, int] = field(default_factory=dict[str, int])
    barge_ins: int = 0
    preflights: dict[str, int] = field(default_factory=dict[str, int])
    latencies: dict[str, Histogram] = field(default_factory=dict[str, Histogram])

    def measure(self, latency: Latency) -> None:
        """Count what a turn waited for."""
        waited = (
            latency.transcriber_ms,
            latency.turn_detection_ms,
            latency.model_ms,
            latency.cutting_ms,
            latency.voice_ms,
            latency.total_ms,
        )
        for part, ms in zip(PARTS, waited, strict=True):
            if ms is not None:
                self.latencies.setdefault(part, Histogram()).add(ms)
