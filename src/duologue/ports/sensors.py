"""The port through which the machine's condition is read."""

from typing import Protocol

from duologue.model.condition import Readings


class Sensors(Protocol):
    """Something that can be asked how the machine is: its own sensors, a file that is fed, a script in a test."""

    def read(self) -> Readings:
        """Read all there is; called in a thread, one reading at a time.

        Returns:
            What is known now: degrees Celsius, MiB, a share of 1. What the machine has no sensor for is absent, and
            so is what cannot be read now: a sensor that fails is no reason to raise.
        """
        ...
