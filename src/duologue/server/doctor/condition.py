"""The machine's condition: what the sensors read, and what that would switch off."""

from collections.abc import Iterator

from duologue.engine.standing import Standing, judge
from duologue.engine.tiers import ORDER
from duologue.model.condition import Readings
from duologue.model.content import Tier
from duologue.server.condition_parts import make_sensors
from duologue.server.doctor.findings import Finding, ok, skip, warn
from duologue.server.settings import Settings


def look(settings: Settings) -> Iterator[Finding]:
    """Read the sensors once, as a server would; tiers' models are not loaded for it."""
    asked = settings.condition
    if not asked.watch:
        yield skip("machine.condition", "not watched", "set condition.watch to have things switched off")
        return
    readings = make_sensors(asked).read()
    asked_for = {settings.agent.tier, *(agent.tier for agent in settings.agents)}
    tiers: list[Tier] = [tier for tier in ORDER if tier in asked_for]
    standing = judge(Standing(), readings, tiers=tuple(tiers), thresholds=asked.thresholds(), now_ms=0)
    shown = f"{standing.condition}: {_shown(readings)}"
    if standing.condition == "full_power":
        yield ok("machine.condition", shown)
    else:
        yield warn("machine.condition", shown, "see the docs page on degradation for what is switched off")


def _shown(readings: Readings) -> str:
    """The readings in words; what the machine does not have is said to be absent."""
    celsius, battery, free = readings.temperature_c, readings.battery, readings.free_memory_mb
    charging = ", charging" if readings.plugged else ""
    parts = (
        "no temperature sensor" if celsius is None else f"{celsius:.0f} °C",
        "no battery" if battery is None else f"battery {battery:.0%}{charging}",
        "free memory unknown" if free is None else f"{free:,} MiB free",
    )
    return ", ".join(parts)
