"""Routing: which tier answers, and when a better one takes over. Source: Ghost AG-UI 1.0, `turn.*`."""

from typing import Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.content import Tier
from duologue.model.kinds import ActingEvent, Input

UpgradeReason = Literal["complexity", "hedging", "user_requested_detail"]


class RoutingRules(Value, kw_only=True):
    """How turns are routed, as set when the session was opened.

    Attributes:
        tiers: those that have an agent, the cheapest first; with fewer than two nothing is routed.
        workhorse_above: the complexity, 0 to 1, from which on the workhorse answers at once.
        gate_below: the complexity below which the gate answers itself, where it has an agent; 0 never.
        gate_judges: the gate's agent is asked for the complexity.
        upgrade: the reasons for which a reflex answer is replaced.
        bridge: what is said by voice before the better answer; empty takes one of the language.
    """

    tiers: tuple[Tier, ...] = ()
    workhorse_above: float = 0.6
    gate_below: float = 0.0
    gate_judges: bool = False
    upgrade: tuple[UpgradeReason, ...] = ("complexity", "hedging", "user_requested_detail")
    bridge: str = ""


class Upgrade(Value, kw_only=True):
    """An agent's item: this needs a better tier. What was said so far is replaced; nothing may follow."""

    reason: UpgradeReason = "complexity"


class UpgradeAsked(Input, kw_only=True):
    """The run stopped, as a better tier is to answer."""

    response_id: str
    reason: UpgradeReason


class ComplexityJudged(Input, kw_only=True):
    """The gate's model told how complex a turn is, or did not within its time (`None`)."""

    response_id: str
    score: float | None
    judge_ms: int = 0


RoutingInput: TypeAlias = UpgradeAsked | ComplexityJudged


class TurnRouted(ActingEvent, kw_only=True):
    """Which tier is to answer the turn.

    Attributes:
        complexity: 0 to 1.
        reasons: what made it so, for people, the weightiest first.
        workhorse_required: no other tier may answer it.
        judged_by: `rules`, or the gate's model.
    """

    response_id: str
    complexity: float
    target: Tier
    workhorse_required: bool
    reasons: tuple[str, ...] = ()
    judged_by: Literal["rules", "gate"] = "rules"


class AnswerUpgraded(ActingEvent, kw_only=True):
    """A better answer takes the place of the running one; its `ResponseEnded` and the next one's start follow.

    Attributes:
        heard: how many characters of the replaced answer the person heard already, in a call.
        text: the bridge that is said before the better answer, in a call.
    """

    response_id: str
    reason: UpgradeReason
    target: Tier
    heard: int | None = None
    text: str = ""


AnyRoutingEvent: TypeAlias = TurnRouted | AnswerUpgraded


class JudgeComplexity(Value, kw_only=True):
    """Ask the gate's agent how complex a turn is, and tell by `ComplexityJudged` within `wait_ms`."""

    response_id: str
    text: str
    wait_ms: int
