"""Sensors that read what a test says."""

from duologue.model.condition import Readings


class ScriptedSensors:
    """Reads what it was told last. Source: `duologue.ports.sensors.Sensors`.

    Attributes:
        now: what is read from now on.
        reads: how often it was asked.
    """

    def __init__(self, now: Readings | None = None) -> None:
        self.now = now or Readings()
        self.reads = 0

    def read(self) -> Readings:
        """Read what was said last."""
        self.reads += 1
        return self.now
