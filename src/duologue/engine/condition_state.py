"""The state of the machine's condition, as this session was told it last."""

import msgspec

from duologue.model.condition import ConditionState
from duologue.model.content import Tier


class Condition(msgspec.Struct):
    """How it stands.

    Attributes:
        state: which policy holds.
        loaded: the tiers whose models are loaded; `None` where that was not told: all of them.
    """

    state: ConditionState = "full_power"
    loaded: tuple[Tier, ...] | None = None
