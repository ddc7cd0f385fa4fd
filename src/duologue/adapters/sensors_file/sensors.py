"""The port around a file of readings."""

from pathlib import Path
from typing import Final

import msgspec

from duologue.model.condition import Readings
from duologue.ports.sensors import Sensors

FILE_BYTES: Final = 4_096
"""Largest file of readings: it has a few numbers."""


class FileSensors:
    """Reads readings from a JSON object, such as `{"battery": 0.1}`; what it leaves out comes from the machine.

    Source: `duologue.ports.sensors.Sensors`.

    Args:
        path: the file. Where there is none, or none that can be read, the machine alone counts.
        machine: what is read besides.
    """

    def __init__(self, path: Path, machine: Sensors) -> None:
        self._path, self._machine = path, machine

    def read(self) -> Readings:
        """Read both, as the port says."""
        readings = self._machine.read()
        try:
            with self._path.open("rb") as file:
                given = msgspec.json.decode(file.read(FILE_BYTES), type=dict[str, object])
            told = msgspec.convert(given, Readings)
        except (OSError, ValueError, msgspec.MsgspecError):
            return readings
        own = {name: getattr(told, name) for name in given if name in Readings.__struct_fields__}
        return msgspec.structs.replace(readings, **own)
