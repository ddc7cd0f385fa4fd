"""What happens beside the answers, in a few words each, for a list of events."""

from typing import Final

from duologue.model import events as e
from duologue.model.redaction import redacted
from duologue.model.signals import Intent

KEPT: Final = ", "
"""Divides what an event says."""


def about(event: e.AnyActingEvent | e.ToolCalled | e.ToolReturned) -> str:
    """Say what an event says; empty where its name says all."""
    match event:
        case e.ToolCalled():
            return f"{event.name} {redacted(event.arguments, event.redact)}"
        case e.ToolReturned():
            return f"{event.name}: {event.status or ('failed' if event.is_error else 'completed')}"
        case e.ToolMoved():
            by = f"by {event.decided_by}" if event.decided_by else ""
            return _joined(f"{event.name}: {event.status}", by, event.reason)
        case e.LegEnded():
            return _joined(f"leg {event.leg}", "waits for its tools" if event.waits_for else "")
        case e.TurnResumed():
            return _joined(event.cause, event.author)
        case e.HandoffMoved():
            operator = event.operator.name if event.operator is not None else ""
            place = f"number {event.position}" if event.position else ""
            return _joined(event.status, operator, place, event.target, event.reason, event.failure)
        case e.SupervisorNoted():
            return f"{event.by.name}: {event.text}"
        case e.SignalUpdated():
            felt = event.signal
            name = felt.intent if isinstance(felt, Intent) else felt.category
            return f"{name} {felt.score:.2f}, {event.adapter} in {event.latency_ms:g} ms"
        case e.AgentDegraded():
            return f"{event.previous} to {event.condition} by {event.reason}"
        case _:
            return _remembered_or_routed(event)


def _remembered_or_routed(event: e.AnyMemoryEvent | e.AnyRoutingEvent) -> str:
    match event:
        case e.MemoryRecalled():
            return f"{event.count} in {event.retrieve_ms} ms"
        case e.MemoryStored():
            return f"{event.memory_kind}, importance {event.importance:.2f}"
        case e.MemoryErased():
            return str(event.count)
        case e.TurnRouted():
            return _joined(f"{event.target}, complexity {event.complexity:.2f}", *event.reasons)
        case e.AnswerUpgraded():
            return f"{event.target}: {event.reason}"


def _joined(*parts: str) -> str:
    return KEPT.join(part for part in parts if part)
