"""The port through which Duologue reads time."""

from typing import Protocol


class Clock(Protocol):
    """Wall time that never runs backwards within a process."""

    def now_ms(self) -> int:
        """Return ms since 1970, never less than an earlier call returned."""
        ...
