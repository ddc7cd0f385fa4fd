"""What happens beside the answers, in ghost's words: the contract's own where it has one, else `ghost.…`."""

from typing import assert_never

from msgspec import UNSET

from duologue.model import events as e
from duologue.model import tooljson
from duologue.model.signals import Intent
from duologue.model.tools import Approval
from duologue.protocols.ghost import acting_wire, wire
from duologue.protocols.ghost.endings import Said


def say(event: e.AnyActingEvent) -> Said | None:
    """Say what happened beside the answers; `None` where the person's clients are not told."""
    match event:
        case e.TurnResumed():
            resumed = acting_wire.GhostTurnResumed(
                turn_id=event.request_id or f"turn-{event.turn}", cause=event.cause, author=event.author or UNSET
            )
            return "ghost.turn_resumed", resumed
        case e.ToolMoved():
            return "ghost.tool_status", _moved(event)
        case e.HandoffMoved():
            return "ghost.handoff", _handoff(event)
        case e.SupervisorNoted() | e.LegEnded():
            return None
        case e.SignalUpdated():
            return "ghost.signal", _signal(event)
        case e.MemoryRecalled():
            return "memory.recalled", wire.MemoryRecalled(count=event.count, retrieve_ms=event.retrieve_ms)
        case e.MemoryStored():
            stored = wire.MemoryStored(
                type=event.memory_kind,
                importance=event.importance,
                memory_id=event.memory_id,
                superseded=event.superseded,
            )
            return "memory.stored", stored
        case e.MemoryErased():
            return "ghost.memory_erased", acting_wire.GhostMemoryErased(count=event.count)
        case e.AgentDegraded():
            degraded = wire.AgentDegraded(
                state=event.condition, reason=event.reason, previous=event.previous, tiers=event.tiers
            )
            return "agent.degraded", degraded
        case _:
            return _routing(event)


def _routing(event: e.AnyRoutingEvent) -> Said:
    match event:
        case e.TurnRouted():
            routing = wire.TurnRouting(
                complexity_score=event.complexity,
                tier_target=event.target,
                workhorse_required=event.workhorse_required,
                reasons=event.reasons,
                judged_by=event.judged_by,
            )
            return "turn.routing", routing
        case e.AnswerUpgraded():
            upgrade = wire.TurnUpgrade(
                reason=event.reason,
                tier_target=event.target,
                replaced=event.replaced,
                why=event.why or UNSET,
                heard=UNSET if event.heard is None else event.heard,
                text=event.text or UNSET,
            )
            return "turn.upgrade", upgrade
        case _:
            assert_never(event)


def called(event: e.ToolCalled) -> Said:
    """Say that a tool was called, whoever runs it."""
    invoked = wire.ToolInvoked(
        tool_name=event.name,
        arguments=tooljson.arguments(event.arguments),
        tool_call_id=event.call_id,
        runs_on=event.runs_on,
    )
    return "tool.invoked", invoked


def returned(event: e.ToolReturned) -> Said:
    """Say how a call ended."""
    result = wire.ToolResult(
        tool_name=event.name,
        result={"error": event.result} if event.is_error else tooljson.result(event.result),
        duration_ms=event.duration_ms,
        tool_call_id=event.call_id,
        status=event.status or ("failed" if event.is_error else "completed"),
        disposition=event.disposition or UNSET,
        earlier=event.earlier,
    )
    return "tool.result", result


def _moved(event: e.ToolMoved) -> acting_wire.GhostToolStatus:
    return acting_wire.GhostToolStatus(
        tool_call_id=event.call_id,
        tool_name=event.name,
        status=event.status,
        policy=event.policy,
        key=event.key or UNSET,
        approval=UNSET if event.approval is None else _approval(event.approval),
        decided_by=event.decided_by or UNSET,
        decided_via=event.decided_via or UNSET,
        reason=event.reason or UNSET,
    )


def _approval(asked: Approval) -> acting_wire.ApprovalPart:
    return acting_wire.ApprovalPart(
        approval_id=asked.approval_id, prompt=asked.prompt, digest=asked.digest, expires_ms=asked.expires_ms
    )


def _handoff(event: e.HandoffMoved) -> acting_wire.GhostHandoff:
    route = event.route
    return acting_wire.GhostHandoff(
        handoff_id=event.handoff_id,
        status=event.status,
        transfer=event.transfer,
        reason=event.reason or UNSET,
        target=event.target or UNSET,
        position=event.position or UNSET,
        wait_ms=UNSET if event.wait_ms is None else event.wait_ms,
        operator=UNSET if event.operator is None else event.operator.name,
        failure=event.failure or UNSET,
        bundle_id=event.bundle_id or UNSET,
        bundle=UNSET if event.bundle is None else event.bundle,
        route=UNSET
        if route is None
        else acting_wire.RoutePart(target=route.target, rule=route.rule or UNSET, reasons=route.reasons),
        path=event.path,
        voice=UNSET if event.voice is None else event.voice,
        cause=event.cause or UNSET,
    )


def _signal(event: e.SignalUpdated) -> acting_wire.GhostSignal:
    return acting_wire.GhostSignal(
        signal=_estimate(event),
        source=event.source,
        adapter=event.adapter,
        scope=event.scope,
        latency_ms=event.latency_ms,
        message_id=event.message_id or UNSET,
        replaces=event.replaces,
    )


def _estimate(event: e.SignalUpdated) -> acting_wire.SentimentPart | acting_wire.IntentPart:
    said = event.signal
    if isinstance(said, Intent):
        return acting_wire.IntentPart(
            intent=said.intent,
            score=said.score,
            confidence=said.confidence,
            alternates=tuple(acting_wire.AlternatePart(intent=one.intent, score=one.score) for one in said.alternates),
        )
    return acting_wire.SentimentPart(
        category=said.category, score=said.score, confidence=said.confidence, polarity=said.polarity or UNSET
    )
