"""How an answer ends, in ghost's words."""

from typing import TypeAlias, assert_never

from msgspec import UNSET

from duologue.model import events as e
from duologue.model.content import Interrupt
from duologue.protocols.ghost import errors, wire

Said: TypeAlias = tuple[str, wire.Payload]
"""A type and its payload."""


def ended(event: e.ResponseEnded) -> Said | None:
    """Say how a response ended; `None` where that was said, or another response to the same turn follows."""
    if event.superseded:
        return None
    if event.made:
        return _silent(event)
    match event.outcome:
        case "replaced":
            # `turn.upgrade` has told of it, and another answer to the same turn follows.
            return None
        case "cancelled" | "interrupted":
            return "turn.error", wire.TurnError(event.outcome, True, errors.heard(event))
        case "completed" | "asked" | "passed":
            return "turn.complete", complete(event)
        case _:
            assert_never(event.outcome)


def _silent(event: e.ResponseEnded) -> Said | None:
    """A whole answer is no longer spoken. That it was heard, or interrupted, has been said; else it was stopped."""
    if event.outcome in ("completed", "asked", "passed") or event.state != "idle":
        return None
    return "ghost.state", wire.GhostState("cancel", "speaking")


def complete(event: e.ResponseEnded | e.AnswerCompleted) -> wire.TurnComplete:
    """Make the payload of `turn.complete`."""
    figures = event.figures
    return wire.TurnComplete(
        tier_used=event.tier,
        total_tokens=figures.total_tokens,
        # The contract wants an integer: an answer without text took all of its time to say nothing.
        ttft_ms=figures.duration_ms if figures.ttft_ms is None else figures.ttft_ms,
        tps=figures.tps,
        quality_pass=figures.quality_pass,
        language=figures.language,
        interrupts=tuple(_interrupt(one) for one in event.interrupts),
        pending_tool_calls=event.pending_calls if isinstance(event, e.ResponseEnded) else (),
        passed=isinstance(event, e.ResponseEnded) and event.outcome == "passed",
    )


def _interrupt(asked: Interrupt) -> wire.InterruptPart:
    return wire.InterruptPart(
        interrupt_id=asked.interrupt_id,
        reason=asked.reason,
        message=asked.message or UNSET,
        tool_call_id=asked.tool_call_id or UNSET,
        expires_at=asked.expires_at or UNSET,
        metadata=UNSET if asked.metadata is None else asked.metadata,
    )
