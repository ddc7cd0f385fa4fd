"""What happens beside the answers, as values of AG-UI's CUSTOM events: tools, handoffs, signals, memory, tiers.

AG-UI has them, and AgentCall, which carries AG-UI. The schemas `agui-custom` and `agentcall-server` have them too.
"""

from typing import Any, TypeAlias, assert_never

import msgspec

from duologue.model import events as e
from duologue.model.condition import ConditionReason, ConditionState
from duologue.model.content import Tier
from duologue.model.handoff import HandoffCause, HandoffStatus, TransferType
from duologue.model.memory import MemoryKind
from duologue.model.resuming import ResumeCause
from duologue.model.routing import UpgradeReason
from duologue.model.signals import Intent, Polarity, SentimentCategory, SignalScope, SignalSource
from duologue.model.tools import Approval, ApprovalPolicy, DecidedBy, ToolStatus


class _Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """The base of all; a member that says nothing is left out."""


class Resumed(_Value, frozen=True, kw_only=True):
    """Of `duologue.turn.resumed`: the last turn goes on by itself."""

    cause: ResumeCause
    author: str = ""


class Waits(_Value, frozen=True, kw_only=True):
    """A decision that a call waits for; `expires_ms` since 1970."""

    approval_id: str
    prompt: str
    digest: str
    expires_ms: int


class ToolStep(_Value, frozen=True, kw_only=True):
    """Of `duologue.tool.moved`: a call of the server's own took a step that is not its last."""

    response_id: str
    tool_call_id: str
    tool_name: str
    status: ToolStatus
    policy: ApprovalPolicy
    key: str = ""
    approval: Waits | None = None
    decided_by: str = ""
    decided_via: DecidedBy | None = None
    reason: str = ""


class Who(_Value, frozen=True, kw_only=True):
    """An operator, by the name that customers see."""

    name: str


class Route(_Value, frozen=True, kw_only=True):
    """Why it went where it went."""

    target: str
    rule: str = ""
    reasons: tuple[str, ...] = ()


class Handoff(_Value, frozen=True, kw_only=True):
    """Of `duologue.handoff`: a handoff took a step, or its place in the queue has changed."""

    handoff_id: str
    status: HandoffStatus
    transfer: TransferType
    reason: str = ""
    target: str = ""
    position: int = 0
    wait_ms: int | None = None
    operator: Who | None = None
    failure: str = ""
    bundle_id: str = ""
    # JSON of the bundle: told as it is.
    bundle: dict[str, Any] | None = None
    route: Route | None = None
    path: tuple[str, ...] = ()
    # JSON of what carries the call: told as it is.
    voice: dict[str, Any] | None = None
    cause: HandoffCause | None = None


class Mood(_Value, frozen=True, kw_only=True, tag_field="kind", tag="sentiment"):
    """A mood, as it was estimated."""

    category: SentimentCategory
    score: float
    confidence: float
    polarity: Polarity | None = None


class Alternate(_Value, frozen=True, kw_only=True):
    """Another intent that it may be."""

    intent: str
    score: float


class Wish(_Value, frozen=True, kw_only=True, tag_field="kind", tag="intent"):
    """What the person wants, as it was estimated."""

    intent: str
    score: float
    confidence: float
    alternates: tuple[Alternate, ...] = ()


class Signal(_Value, frozen=True, kw_only=True):
    """Of `duologue.signal`: an estimate of the person's mood or intent."""

    response_id: str
    signal: Mood | Wish
    source: SignalSource
    adapter: str
    scope: SignalScope
    message_id: str = ""
    latency_ms: float
    replaces: bool = False
    of_turn: int = 0


class Recalled(_Value, frozen=True, kw_only=True):
    """Of `duologue.memory.recalled`: memories were found for the run."""

    response_id: str
    count: int
    retrieve_ms: int
    memory_ids: tuple[str, ...] = ()


class Stored(_Value, frozen=True, kw_only=True):
    """Of `duologue.memory.stored`: something new is remembered."""

    memory_id: str
    type: MemoryKind
    importance: float
    superseded: tuple[str, ...] = ()


class Erased(_Value, frozen=True, kw_only=True):
    """Of `duologue.memory.erased`: memories were forgotten, as the person asked."""

    count: int


class Routed(_Value, frozen=True, kw_only=True):
    """Of `duologue.turn.routed`: which tier is to answer."""

    response_id: str
    complexity: float
    target: Tier
    workhorse_required: bool
    reasons: tuple[str, ...] = ()
    judged_by: str


class Upgraded(_Value, frozen=True, kw_only=True):
    """Of `duologue.answer.upgraded`: a better answer follows.

    Where `replaced`, nothing is to be shown of this one any more; else it was given in the turn before, and stays.
    """

    response_id: str
    next_id: str = ""
    reason: UpgradeReason
    target: Tier
    replaced: bool
    why: str = ""
    heard: int | None = None
    text: str = ""


class Degraded(_Value, frozen=True, kw_only=True):
    """Of `duologue.agent.degraded`: the machine can do less than before, or more again."""

    condition: ConditionState
    reason: ConditionReason
    previous: ConditionState
    tiers: tuple[Tier, ...] = ()


ActingValue: TypeAlias = (
    Resumed | ToolStep | Handoff | Signal | Recalled | Stored | Erased | Routed | Upgraded | Degraded
)
"""The values of what happens beside the answers."""

Told: TypeAlias = (
    e.TurnResumed
    | e.ToolMoved
    | e.HandoffMoved
    | e.SignalUpdated
    | e.AnyMemoryEvent
    | e.AnyRoutingEvent
    | e.AgentDegraded
)
"""What the person's clients are told; what operators say among themselves is not in it."""


def custom(event: Told) -> tuple[str, ActingValue]:
    """Name what happened and say its value; the names are documented and never change."""
    match event:
        case e.TurnResumed():
            return "duologue.turn.resumed", Resumed(cause=event.cause, author=event.author)
        case e.ToolMoved():
            return "duologue.tool.moved", _step(event)
        case e.HandoffMoved():
            return "duologue.handoff", _handoff(event)
        case e.SignalUpdated():
            return "duologue.signal", _signal(event)
        case e.MemoryRecalled():
            return "duologue.memory.recalled", Recalled(
                response_id=event.response_id,
                count=event.count,
                retrieve_ms=event.retrieve_ms,
                memory_ids=event.memory_ids,
            )
        case e.MemoryStored():
            return "duologue.memory.stored", Stored(
                memory_id=event.memory_id,
                type=event.memory_kind,
                importance=event.importance,
                superseded=event.superseded,
            )
        case e.MemoryErased():
            return "duologue.memory.erased", Erased(count=event.count)
        case e.TurnRouted():
            return "duologue.turn.routed", _routed(event)
        case e.AnswerUpgraded():
            return "duologue.answer.upgraded", Upgraded(
                response_id=event.response_id,
                next_id=event.next_id,
                reason=event.reason,
                target=event.target,
                replaced=event.replaced,
                why=event.why,
                heard=event.heard,
                text=event.text,
            )
        case e.AgentDegraded():
            return "duologue.agent.degraded", Degraded(
                condition=event.condition, reason=event.reason, previous=event.previous, tiers=event.tiers
            )
        case _:
            assert_never(event)


def _step(event: e.ToolMoved) -> ToolStep:
    return ToolStep(
        response_id=event.response_id,
        tool_call_id=event.call_id,
        tool_name=event.name,
        status=event.status,
        policy=event.policy,
        key=event.key,
        approval=None if event.approval is None else _waits(event.approval),
        decided_by=event.decided_by,
        decided_via=event.decided_via,
        reason=event.reason,
    )


def _waits(approval: Approval) -> Waits:
    return Waits(
        approval_id=approval.approval_id,
        prompt=approval.prompt,
        digest=approval.digest,
        expires_ms=approval.expires_ms,
    )


def _handoff(event: e.HandoffMoved) -> Handoff:
    route = event.route
    return Handoff(
        handoff_id=event.handoff_id,
        status=event.status,
        transfer=event.transfer,
        reason=event.reason,
        target=event.target,
        position=event.position,
        wait_ms=event.wait_ms,
        operator=None if event.operator is None else Who(name=event.operator.name),
        failure=event.failure,
        bundle_id=event.bundle_id,
        bundle=event.bundle,
        route=None if route is None else Route(target=route.target, rule=route.rule, reasons=route.reasons),
        path=event.path,
        voice=event.voice,
        cause=event.cause,
    )


def _signal(event: e.SignalUpdated) -> Signal:
    return Signal(
        response_id=event.response_id,
        signal=_estimate(event),
        source=event.source,
        adapter=event.adapter,
        scope=event.scope,
        message_id=event.message_id,
        latency_ms=event.latency_ms,
        replaces=event.replaces,
        of_turn=event.of_turn,
    )


def _estimate(event: e.SignalUpdated) -> Mood | Wish:
    said = event.signal
    if isinstance(said, Intent):
        return Wish(
            intent=said.intent,
            score=said.score,
            confidence=said.confidence,
            alternates=tuple(Alternate(intent=one.intent, score=one.score) for one in said.alternates),
        )
    return Mood(category=said.category, score=said.score, confidence=said.confidence, polarity=said.polarity)


def _routed(event: e.TurnRouted) -> Routed:
    return Routed(
        response_id=event.response_id,
        complexity=event.complexity,
        target=event.target,
        workhorse_required=event.workhorse_required,
        reasons=event.reasons,
        judged_by=event.judged_by,
    )
