"""Which condition the machine's readings make, with hysteresis: worse at once, better only once it has lasted.

A reading has to be better than the step by a margin before it counts as better, and all of them for some time. So a
reading that trembles around a step changes the condition once, and not each time.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from duologue.engine.policies import STATES
from duologue.model.base import Value
from duologue.model.condition import ConditionReason, ConditionState, Readings
from duologue.model.content import Tier

_ORDER: Final = {state: level for level, state in enumerate(STATES)}


class Steps(Value, kw_only=True):
    """From which value on a reading makes each of the four worse states.

    Attributes:
        margin: by how much it has to be better than a step before that state is left.
        falling: lower is worse, as of a battery.
    """

    balanced: float
    conservative: float
    minimal: float
    emergency: float
    margin: float
    falling: bool

    def level(self, value: float, *, leaving: bool) -> int:
        """Which state a value makes, as a place in `STATES`; with `leaving`, which it does not leave yet."""
        sign = -1 if self.falling else 1
        slack = self.margin if leaving else 0
        steps = (self.balanced, self.conservative, self.minimal, self.emergency)
        return sum(sign * value > sign * step - slack if leaving else sign * value >= sign * step for step in steps)


class Thresholds(Value, kw_only=True):
    """What the readings are judged by.

    Attributes:
        temperature_c: of the processor, in degrees Celsius.
        battery: 0 to 1; a battery that is being charged does not count.
        free_memory_mb: in MiB.
        settle_ms: how long all readings have to be better before the condition is.
    """

    temperature_c: Steps = Steps(balanced=85, conservative=90, minimal=95, emergency=100, margin=5, falling=False)
    battery: Steps = Steps(balanced=0.4, conservative=0.2, minimal=0.1, emergency=0.05, margin=0.03, falling=True)
    free_memory_mb: Steps = Steps(balanced=768, conservative=512, minimal=256, emergency=128, margin=64, falling=True)
    settle_ms: int = 30_000


class Standing(Value, kw_only=True):
    """How it stands.

    Attributes:
        condition: the state.
        reason: what decided it.
        better_ms: since when the readings have been better than it, on the caller's clock; `None` where they are not.
    """

    condition: ConditionState = "full_power"
    reason: ConditionReason = "ram"
    better_ms: int | None = None


def judge(
    standing: Standing, readings: Readings, *, tiers: tuple[Tier, ...], thresholds: Thresholds, now_ms: int
) -> Standing:
    """Judge readings.

    Args:
        standing: as it was judged last.
        readings: what the sensors say; what is absent is taken to be well.
        tiers: those that have an agent, the smallest first.
        thresholds: the steps.
        now_ms: on any clock that never goes back.
    """
    here = _ORDER[standing.condition]
    worst, why = max(_levels(readings, tiers, thresholds, leaving=False), key=_level, default=(0, standing.reason))
    if worst > here:
        return Standing(condition=STATES[worst], reason=why)
    # Of what is as bad, the reason that stands goes on standing.
    kept = max(_levels(readings, tiers, thresholds, leaving=True), key=_level, default=(0, standing.reason))
    if kept[0] >= here:
        return msgspec.structs.replace(standing, better_ms=None)
    since_ms = now_ms if standing.better_ms is None else standing.better_ms
    if now_ms - since_ms < thresholds.settle_ms:
        return Standing(condition=standing.condition, reason=standing.reason, better_ms=since_ms)
    # Where all is well again, the reason is what was not.
    return Standing(condition=STATES[kept[0]], reason=kept[1] if kept[0] else standing.reason)


def _level(found: tuple[int, ConditionReason]) -> int:
    return found[0]


def _levels(
    readings: Readings, tiers: tuple[Tier, ...], thresholds: Thresholds, *, leaving: bool
) -> Iterator[tuple[int, ConditionReason]]:
    if readings.temperature_c is not None:
        yield thresholds.temperature_c.level(readings.temperature_c, leaving=leaving), "thermal"
    if readings.battery is not None and not readings.plugged:
        yield thresholds.battery.level(readings.battery, leaving=leaving), "battery"
    if readings.free_memory_mb is not None:
        yield thresholds.free_memory_mb.level(readings.free_memory_mb, leaving=leaving), "ram"
    yield missing(readings.unloaded, tiers), "model_unloaded"


def missing(unloaded: tuple[Tier, ...], tiers: tuple[Tier, ...]) -> int:
    """Which state missing models make, as a place in `STATES`.

    All missing: emergency. Only the gate left where there are more: minimal. The largest missing: conservative. Another
    one missing: balanced.
    """
    left = [tier for tier in tiers if tier not in unloaded]
    if not tiers or len(left) == len(tiers):
        return _ORDER["full_power"]
    if not left:
        return _ORDER["emergency"]
    if tiers[-1] in left:
        return _ORDER["balanced"]
    return _ORDER["minimal"] if left == ["gate"] else _ORDER["conservative"]
