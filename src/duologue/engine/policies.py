"""What is switched off in which condition of the machine: the policy of each state, as data.

Each state leaves out what the one before it leaves out, and more. Source of the states: Ghost AG-UI 1.0,
`agent.degraded`; what each leaves out is ours. `docs/degradation.md` is the same table for people.
"""

from collections.abc import Mapping
from typing import Final, Literal

from duologue.model.base import Value
from duologue.model.condition import ConditionState
from duologue.model.routing import UpgradeReason

STATES: Final[tuple[ConditionState, ...]] = ("full_power", "balanced", "conservative", "minimal", "emergency")
"""From the best to the worst."""

Adapter = Literal["rule", "local", "model", "server"]
"""Where an estimate of a signal comes from."""


class Policy(Value, kw_only=True):
    """What may be done in a condition.

    Attributes:
        early: answers are prepared before it is sure that the turn is over.
        gate_model: the gate's agent is asked how hard a turn is; the rules tell it else.
        upgrade: why a smaller tier's answer may be replaced by a larger one's.
        workhorse: the largest tier is used where a smaller one is loaded.
        recall: what is remembered is looked up before an answer.
        extraction: what a turn says is looked through for what is worth remembering.
        signals: what may estimate signals.
        new_calls: calls may begin.
        new_sessions: conversations may begin.
    """

    early: bool = True
    gate_model: bool = True
    upgrade: tuple[UpgradeReason, ...] = ("complexity", "hedging", "user_requested_detail")
    workhorse: bool = True
    recall: bool = True
    extraction: bool = True
    signals: tuple[Adapter, ...] = ("rule", "local", "model", "server")
    new_calls: bool = True
    new_sessions: bool = True


_BALANCED: Final = Policy(early=False, signals=("rule", "local", "server"))

_CONSERVATIVE: Final = Policy(
    early=False,
    gate_model=False,
    upgrade=("user_requested_detail",),
    extraction=False,
    signals=("rule", "server"),
)

_MINIMAL: Final = Policy(
    early=False,
    gate_model=False,
    upgrade=(),
    workhorse=False,
    extraction=False,
    signals=("rule", "server"),
    new_calls=False,
)

_EMERGENCY: Final = Policy(
    early=False,
    gate_model=False,
    upgrade=(),
    workhorse=False,
    recall=False,
    extraction=False,
    signals=("rule", "server"),
    new_calls=False,
    new_sessions=False,
)

POLICIES: Final[Mapping[ConditionState, Policy]] = {
    "full_power": Policy(),
    "balanced": _BALANCED,
    "conservative": _CONSERVATIVE,
    "minimal": _MINIMAL,
    "emergency": _EMERGENCY,
}
