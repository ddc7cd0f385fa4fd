"""The port around what the system tells of the machine.

Temperatures come from psutil, and on Linux from the thermal zones of `/sys` where psutil finds none, as on many phones
and small boards. Only what is plausible counts: sensors that are not connected show absurd values.
"""

from pathlib import Path
from typing import Final, NamedTuple, cast

import psutil

from duologue.model.condition import Readings

SYS: Final = Path("/sys")

COLDEST_C: Final = -40
HOTTEST_C: Final = 150
"""What a processor's sensor can show while the machine runs."""

_NOT_THE_PROCESSOR: Final = ("nvme", "iwlwifi", "bat", "battery", "acpitz", "wifi", "charger", "skin")
"""Sensors of other parts: a warm disk or battery is no reason to think less."""


class Battery(NamedTuple):
    """How full it is, 0 to 1, and whether it is being charged; `None` where that is not known."""

    level: float
    plugged: bool | None


class MachineSensors:
    """Reads the machine. Source: `duologue.ports.sensors.Sensors`.

    Args:
        sys: where the kernel shows its devices.
    """

    def __init__(self, *, sys: Path = SYS) -> None:
        self._sys = sys

    def read(self) -> Readings:
        """Read all there is, as the port says; some 2 ms."""
        battery = self.battery()
        return Readings(
            temperature_c=self.temperature_c(),
            battery=None if battery is None else battery.level,
            plugged=None if battery is None else battery.plugged,
            free_memory_mb=_free_memory_mb(),
        )

    def temperature_c(self) -> float | None:
        """The hottest of the processor's sensors, in degrees Celsius; `None` where there is none."""
        found = [*_by_psutil()] or [*self._zones()]
        plausible = [celsius for celsius in found if COLDEST_C < celsius < HOTTEST_C]
        return max(plausible, default=None)

    def battery(self) -> Battery | None:
        """The battery; `None` where there is none."""
        return _psutil_battery() or self._supply()

    def _zones(self) -> list[float]:
        """The thermal zones that the kernel shows, in degrees Celsius."""
        zones: list[float] = []
        for zone in sorted(self._sys.glob("class/thermal/thermal_zone*")):
            kind = (_text(zone / "type") or "").lower()
            milli = _number(zone / "temp")
            if milli is not None and not any(part in kind for part in _NOT_THE_PROCESSOR):
                zones.append(milli / 1000)
        return zones

    def _supply(self) -> Battery | None:
        """The first battery among the power supplies that the kernel shows."""
        for supply in sorted(self._sys.glob("class/power_supply/*")):
            percent = _number(supply / "capacity")
            if (_text(supply / "type") or "").lower() != "battery" or percent is None:
                continue
            status = (_text(supply / "status") or "").lower()
            plugged = None if status in ("", "unknown") else status != "discharging"
            return Battery(level=min(1.0, max(0.0, percent / 100)), plugged=plugged)
        return None


def _by_psutil() -> list[float]:
    read = getattr(psutil, "sensors_temperatures", None)
    if read is None:
        # psutil has none on this system.
        return []
    try:
        groups = psutil.sensors_temperatures()
    except (OSError, ValueError):
        return []
    return [
        one.current
        for name, sensors in groups.items()
        if not any(part in name.lower() for part in _NOT_THE_PROCESSOR)
        for one in sensors
    ]


def _psutil_battery() -> Battery | None:
    if getattr(psutil, "sensors_battery", None) is None:
        return None
    try:
        # psutil's types leave this one open.
        found: object = psutil.sensors_battery()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    except (OSError, ValueError):
        return None
    percent: object = getattr(cast(object, found), "percent", None)
    plugged: object = getattr(cast(object, found), "power_plugged", None)
    if not isinstance(percent, int | float):
        return None
    return Battery(level=min(1.0, max(0.0, percent / 100)), plugged=plugged if isinstance(plugged, bool) else None)


def _free_memory_mb() -> int | None:
    try:
        return psutil.virtual_memory().available // 2**20
    except (OSError, ValueError):
        return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _number(path: Path) -> int | None:
    try:
        return int(_text(path) or "")
    except ValueError:
        return None
