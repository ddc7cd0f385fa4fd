"""Condition: how much of the machine there is. Source: Ghost AG-UI 1.0, `agent.ready`, `agent.degraded`."""

from typing import Literal

from duologue.model.base import Value
from duologue.model.content import Tier
from duologue.model.kinds import ActingEvent, Input

ConditionState = Literal["full_power", "balanced", "conservative", "minimal", "emergency"]
ConditionReason = Literal["thermal", "battery", "ram", "model_unloaded"]


class Readings(Value, kw_only=True):
    """What the machine's sensors say; absent where it has none.

    Attributes:
        temperature_c: the hottest of the processor's, in degrees Celsius.
        battery: 0 to 1; `plugged` where it is charging.
        free_memory_mb: what can still be had, in MiB.
        unloaded: tiers that are set but not loaded.
    """

    temperature_c: float | None = None
    battery: float | None = None
    plugged: bool | None = None
    free_memory_mb: int | None = None
    unloaded: tuple[Tier, ...] = ()


class ConditionChanged(Input, kw_only=True):
    """The machine's condition, or what is loaded, is another than this session was told last; `tiers` are loaded."""

    condition: ConditionState
    reason: ConditionReason
    readings: Readings
    tiers: tuple[Tier, ...] = ()


class AgentDegraded(ActingEvent, kw_only=True):
    """The condition has changed, to better or worse, or other models are loaded; `reason` is what decided it.

    Attributes:
        previous: the condition before, as this session was told it.
        readings: what the sensors said.
        tiers: those whose models are loaded.
    """

    condition: ConditionState
    reason: ConditionReason
    previous: ConditionState
    readings: Readings
    tiers: tuple[Tier, ...] = ()
