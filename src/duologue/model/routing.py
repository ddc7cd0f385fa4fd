"""Routing: which tier answers, and when a better one takes over. Source: Ghost AG-UI 1.0, `turn.*`."""

from typing import Literal, TypeAlias

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.content import Tier
from duologue.model.kinds import ActingEvent, Input

UpgradeReason = Literal["complexity", "hedging", "user_requested_detail"]
JudgedBy = Literal["rules", "gate"]
"""Who told how hard a turn is: `engine/complexity.py`, or the gate's agent."""


class RoutingRules(Value, kw_only=True):
    """How turns are routed, as set when the session was opened.

    Attributes:
        tiers: those that have an agent, the cheapest first; with fewer than two nothing is routed.
        workhorse_above: the complexity, 0 to 1, from which on the workhorse answers at once.
        gate_below: the complexity below which the gate answers itself, where it has an agent; 0 never.
        gate_judges: the gate's agent is asked for the complexity.
        gate_ms: how long it has for that; then the rules tell it.
        upgrade: the reasons for which a smaller tier's answer is replaced.
        bridge: what is said by voice before the better answer; empty takes one of the language.
    """

    tiers: tuple[Tier, ...] = ()
    workhorse_above: float = 0.6
    gate_below: float = 0.0
    gate_judges: bool = False
    gate_ms: int = limits.GATE_MS
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
    """Which tier is to answer the turn; once more where the gate, which was to, has passed it on unanswered.

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
    judged_by: JudgedBy = "rules"


class AnswerUpgraded(ActingEvent, kw_only=True):
    """A better answer takes the place of another.

    Of the running one: then its `TextCompleted`, where a message is open, its `ResponseEnded` as `replaced` and the
    next one's `ResponseStarted` follow. Or, where the person has asked for more detail, of the turn before: that one
    was given and stays, and the next one's `ResponseStarted` follows.

    Attributes:
        response_id: the answer that is improved.
        next_id: the better one.
        target: which tier gives it.
        heard: how many characters of the replaced answer the person heard already, in a call; they stay said.
        text: the bridge that is said before the better answer, by voice; its first text says it.
        replaced: what was shown of the old answer is no longer valid: take it back.
        messages: the ids of its messages that were shown.
        why: the words that decided it, such as those that hedged; empty where none did.
    """

    response_id: str
    reason: UpgradeReason
    target: Tier
    heard: int | None = None
    text: str = ""
    next_id: str = ""
    replaced: bool = True
    messages: tuple[str, ...] = ()
    why: str = ""


AnyRoutingEvent: TypeAlias = TurnRouted | AnswerUpgraded


class JudgeComplexity(Value, kw_only=True):
    """Ask the gate's agent how complex a turn is, and tell by `ComplexityJudged` within `wait_ms`."""

    response_id: str
    text: str
    wait_ms: int
