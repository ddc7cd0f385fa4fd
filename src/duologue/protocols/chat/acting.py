"""What happens beside the answers, as chat frames: tools, handoffs and signals in the contract's words, else notes."""

from typing import Final, TypeAlias, assert_never

from msgspec import UNSET, UnsetType

from duologue.model import events as e
from duologue.model import tooljson
from duologue.model.signals import Intent
from duologue.model.tools import Approval, ToolStatus
from duologue.protocols.chat import wire
from duologue.protocols.chat.moment import rfc3339
from duologue.protocols.chat.voice import Noted

TOOL_EXECUTION_FAILED: Final = "TOOL_EXECUTION_FAILED"
TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"
SERVER_TOOL_HTTP_FAILED: Final = "SERVER_TOOL_HTTP_FAILED"
"""Words of the SDK for a tool that failed."""

HTTP_CODES: Final = "http_"
"""Begins the precise codes of what went wrong between this server and a tool's address."""

Stamp: TypeAlias = tuple[str, str, int, str | UnsetType]
"""What all frames begin with."""


def called(event: e.ToolCalled, stamp: Stamp) -> wire.ToolCallFrame:
    """Write a call, whoever runs it."""
    given = tooljson.arguments(event.arguments)
    return wire.ToolCallFrame(*stamp, event.response_id, event.call_id, event.name, given, event.runs_on)


def moved(event: e.ToolMoved, stamp: Stamp) -> wire.ToolResultFrame:
    """Write a step of a call that is not its last."""
    return wire.ToolResultFrame(
        *stamp,
        event.response_id,
        event.call_id,
        {},
        event.status,
        idempotency_key=event.key or UNSET,
        approval_policy=event.policy,
        reason=event.reason or UNSET,
        approval=UNSET if event.approval is None else _approval(event.approval),
        decided_by=event.decided_by or UNSET,
        decided_via=event.decided_via or UNSET,
    )


def _approval(asked: Approval) -> wire.ApprovalPart:
    return wire.ApprovalPart(
        approval_id=asked.approval_id,
        prompt=asked.prompt,
        digest=asked.digest,
        expires_at=rfc3339(asked.expires_ms),
    )


def returned(event: e.ToolReturned, stamp: Stamp) -> wire.ToolResultFrame:
    """Write the end of a call; of one that is not the registry's it is told by whether it failed."""
    status = event.status or ("failed" if event.is_error else "completed")
    return wire.ToolResultFrame(
        *stamp,
        event.response_id,
        event.call_id,
        {} if event.is_error else tooljson.result(event.result),
        status,
        error=event.result if event.is_error else UNSET,
        idempotency_key=event.key or UNSET,
        duplicate_disposition=event.disposition or UNSET,
        approval_policy=event.policy or UNSET,
        code=failure(status, event.error_code) or UNSET,
        reason=event.error_code or UNSET,
        earlier=event.earlier,
        duration_ms=event.duration_ms,
    )


def failure(status: ToolStatus, code: str) -> str:
    """The SDK's word for how a call failed; empty where it did not, or was not tried."""
    match status:
        case "timed_out":
            return TOOL_TIMEOUT
        case "failed":
            return SERVER_TOOL_HTTP_FAILED if code.startswith(HTTP_CODES) else TOOL_EXECUTION_FAILED
        case _:
            return ""


def handoff(event: e.HandoffMoved, stamp: Stamp) -> wire.HandoffStatusFrame:
    """Write a step of a handoff."""
    operator, route = event.operator, event.route
    return wire.HandoffStatusFrame(
        *stamp,
        _turn(event),
        event.handoff_id,
        event.status,
        event.transfer,
        target_agent=(operator.name if operator is not None else event.target) or UNSET,
        reason=event.reason or UNSET,
        queue_position=event.position or UNSET,
        estimated_wait_time=event.wait_text or UNSET,
        estimated_wait_ms=UNSET if event.wait_ms is None else event.wait_ms,
        failure_reason=event.failure or UNSET,
        warm_context=UNSET if event.bundle is None else event.bundle,
        voice=UNSET if event.voice is None else event.voice,
        bundle_id=event.bundle_id or UNSET,
        route_decision=UNSET
        if route is None
        else wire.RoutePart(target=route.target, rule=route.rule or UNSET, reasons=route.reasons),
        graph_path=event.path,
        operator=UNSET if operator is None else wire.OperatorPart(name=operator.name),
        cause=event.cause or UNSET,
    )


def signal(event: e.SignalUpdated, stamp: Stamp) -> wire.SignalUpdateFrame:
    """Write an estimate."""
    return wire.SignalUpdateFrame(
        *stamp,
        event.response_id or _turn(event),
        _estimate(event),
        event.source,
        event.adapter,
        event.scope,
        event.message_id or UNSET,
        event.latency_ms,
        event.replaces,
        event.of_turn or UNSET,
    )


def _estimate(event: e.SignalUpdated) -> wire.SentimentPart | wire.IntentPart:
    said = event.signal
    if isinstance(said, Intent):
        return wire.IntentPart(
            intent=said.intent,
            score=said.score,
            confidence=said.confidence,
            alternates=tuple(wire.AlternatePart(intent=one.intent, score=one.score) for one in said.alternates),
        )
    return wire.SentimentPart(
        category=said.category, score=said.score, confidence=said.confidence, polarity=said.polarity or UNSET
    )


Untold: TypeAlias = e.TurnResumed | e.AnyMemoryEvent | e.AnyRoutingEvent | e.AgentDegraded
"""What the contract has no event for."""


def note(event: Untold) -> Noted:
    """Say in a diagnostic what the contract has no event for."""
    match event:
        case e.TurnResumed():
            author: dict[str, object] = {"author": event.author} if event.author else {}
            details: dict[str, object] = {"turn": event.turn, "cause": event.cause} | author
            return Noted("turn.resumed", f"turn {event.turn} goes on: {event.cause}", details, _turn(event))
        case e.MemoryRecalled():
            message = f"{event.count} memories found in {event.retrieve_ms} ms"
            details = {"count": event.count, "retrieveMs": event.retrieve_ms, "memoryIds": event.memory_ids}
            return Noted("memory.recalled", message, details, event.response_id)
        case e.MemoryStored():
            details = {
                "memoryId": event.memory_id,
                "type": event.memory_kind,
                "importance": event.importance,
                "superseded": event.superseded,
            }
            return Noted("memory.stored", f"a {event.memory_kind} is remembered", details)
        case e.MemoryErased():
            return Noted("memory.erased", f"{event.count} memories are forgotten", {"count": event.count})
        case e.AgentDegraded():
            details = {
                "state": event.condition,
                "reason": event.reason,
                "previous": event.previous,
                "tiers": event.tiers,
            }
            return Noted("agent.degraded", f"{event.previous} to {event.condition}: {event.reason}", details)
        case _:
            return _routing(event)


def _routing(event: e.AnyRoutingEvent) -> Noted:
    match event:
        case e.TurnRouted():
            details: dict[str, object] = {
                "complexity": event.complexity,
                "target": event.target,
                "workhorseRequired": event.workhorse_required,
                "reasons": event.reasons,
                "judgedBy": event.judged_by,
            }
            return Noted("turn.routed", f"the {event.target} answers", details, event.response_id)
        case e.AnswerUpgraded():
            heard: dict[str, object] = {} if event.heard is None else {"heard": event.heard}
            bridge: dict[str, object] = {"text": event.text} if event.text else {}
            told: dict[str, object] = {"nextId": event.next_id, "why": event.why}
            details = {"reason": event.reason, "target": event.target, "replaced": event.replaced}
            details |= {name: value for name, value in told.items() if value} | heard | bridge
            about = event.response_id
            if not event.replaced and event.next_id:
                # The earlier answer is another request's: this belongs to the one that follows.
                details["earlierId"], about = event.response_id, event.next_id
            return Noted("answer.upgraded", f"the {event.target} answers instead: {event.reason}", details, about)
        case _:
            assert_never(event)


def _turn(event: e.Event) -> str:
    """The contract wants a response's id: what belongs to none has its turn's."""
    return f"turn-{event.turn}" if event.turn else "session"
