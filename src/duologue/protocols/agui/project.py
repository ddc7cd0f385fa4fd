"""Writing events as AG-UI events, at most one each, so that a number is a place between two of them."""

from typing import Final, TypeAlias, assert_never

import msgspec

from duologue.model import content
from duologue.model import events as e
from duologue.protocols import acting_values, call_values, measures
from duologue.protocols.agui import errors, frames

_encode: Final = msgspec.json.Encoder().encode


def project(event: e.AnyEvent) -> bytes | None:
    """Write an event of a turn as one event of its run; `None` where AG-UI has no word for it.

    A turn is one run under the client's id, however often the agent had to be run for it.
    Source: AG-UI 1.0, events.
    """
    if isinstance(event, e.TextDelta):
        # Without a leaf: this is the one event per token.
        return _encode(frames.TextMessageContent(timestamp=event.at_ms, message_id=event.message_id, delta=event.text))
    said = _agui(event)
    return None if said is None else _encode(said)


def _agui(event: e.AnyEvent) -> frames.AguiEvent | None:
    at_ms = event.at_ms
    match event:
        case e.TextDelta():
            return frames.TextMessageContent(timestamp=at_ms, message_id=event.message_id, delta=event.text)
        case e.TextStarted():
            return reopened(event, at_ms=at_ms)
        case e.TextCompleted():
            return frames.TextMessageEnd(timestamp=at_ms, message_id=event.message_id)
        case e.ResponseStarted():
            return _began(event)
        case e.ResponseEnded():
            # The run goes on: `duologue.retry` follows, or a better answer.
            return None if event.superseded or event.outcome == "replaced" else _finished(event)
        case e.ResponseFailed():
            return _failed(event)
        case e.ToolCalled():
            return frames.ToolCallChunk(
                timestamp=at_ms,
                tool_call_id=event.call_id,
                tool_call_name=event.name,
                parent_message_id=event.message_id,
                delta=event.arguments,
            )
        case e.ToolReturned():
            return _returned(event)
        case e.Cited() | e.Suggested() | e.Showed() | e.Noted() | e.CapabilitiesChanged():
            name, value = _custom(event)
            return frames.Custom(timestamp=at_ms, name=name, value=value)
        case (
            e.SessionStarted()
            | e.TurnAccepted()
            | e.TurnEnded()
            | e.StateChanged()
            | e.SessionEnded()
            | e.HistoryTrimmed()
            | e.SupervisorNoted()
            | e.LegEnded()
        ):
            return None
        case e.VoiceEvent():
            name, value = call_values.custom(event)
            return frames.Custom(timestamp=at_ms, name=name, value=value)
        case _:
            name, value = acting_values.custom(event)
            return frames.Custom(timestamp=at_ms, name=name, value=value)


def started(event: e.ResponseStarted) -> frames.RunStarted:
    """Begin the run of a turn, as often as a client asks for it."""
    details = frames.RunDetails(
        turn=event.turn,
        response_id=event.response_id,
        tier=event.tier,
        author=event.author,
        agent=event.agent,
    )
    return frames.RunStarted(
        timestamp=event.at_ms,
        thread_id=event.session_id,
        run_id=event.request_id,
        protocol_version=frames.AGUI_VERSION,
        metadata=frames.Metadata(duologue=details),
    )


def reopened(event: e.TextStarted, *, at_ms: int) -> frames.TextMessageStart:
    """Begin a message, or open it again on another stream."""
    return frames.TextMessageStart(
        timestamp=at_ms, message_id=event.message_id, role="assistant", name=event.author or None
    )


def _began(event: e.ResponseStarted) -> frames.AguiEvent | None:
    if event.replaces and event.attempt == 1:
        # `duologue.answer.upgraded` has told of it, and the run goes on.
        return None
    if event.attempt == 1:
        return started(event)
    retry = frames.Retry(attempt=event.attempt, response_id=event.response_id)
    return frames.Custom(timestamp=event.at_ms, name="duologue.retry", value=retry)


def _finished(event: e.ResponseEnded) -> frames.RunFinished:
    figures = event.figures
    return frames.RunFinished(
        timestamp=event.at_ms,
        thread_id=event.session_id,
        run_id=event.request_id,
        outcome=_outcome(event),
        usage=errors.usage(figures),
        metadata=frames.Metadata(
            duologue=frames.EndDetails(
                outcome=event.outcome,
                response_id=event.response_id,
                tier=event.tier,
                figures=measures.figures(figures),
                heard=event.heard,
                latency=measures.latency(event.latency),
            )
        ),
    )


def _outcome(event: e.ResponseEnded) -> frames.Success | frames.Interrupted | frames.Cancelled:
    """AG-UI knows no barge-in: a run that was written over is a cancelled one; our metadata tells them apart."""
    match event.outcome:
        case "completed" | "passed":
            return frames.Success(pending_tool_call_ids=event.pending_calls)
        case "asked":
            return frames.Interrupted(interrupts=interrupts(event.interrupts))
        case "cancelled" | "interrupted" | "replaced":
            return frames.Cancelled()
        case _:
            assert_never(event.outcome)


def interrupts(asked: tuple[content.Interrupt, ...]) -> tuple[frames.Interrupt, ...]:
    """Write interrupts."""
    return tuple(
        frames.Interrupt(
            id=one.interrupt_id,
            reason=one.reason,
            message=one.message,
            tool_call_id=one.tool_call_id,
            response_schema=one.response_schema,
            expires_at=one.expires_at,
            metadata=one.metadata,
        )
        for one in asked
    )


def _failed(event: e.ResponseFailed) -> frames.RunError | frames.TextMessageEnd | None:
    """Where the run is made again, what was being said ends; `duologue.retry` follows."""
    if not event.will_retry:
        return errors.failed(event)
    if not event.open_message:
        return None
    lost = frames.LostDetails(code=event.code, will_retry=True)
    return frames.TextMessageEnd(
        timestamp=event.at_ms, message_id=event.open_message, metadata=frames.Metadata(duologue=lost)
    )


def _returned(event: e.ToolReturned) -> frames.ToolCallResult | None:
    """Write a result; one that the client itself brought it has already, and of one that may not run it is told."""
    if event.runs_on == "client" and event.earlier and event.status is None:
        return None
    return frames.ToolCallResult(
        timestamp=event.at_ms,
        message_id=result_id(event.call_id),
        tool_call_id=event.call_id,
        content=event.result,
        metadata=frames.Metadata(
            duologue=frames.ResultDetails(
                is_error=event.is_error,
                duration_ms=event.duration_ms,
                status=event.status,
                key=event.key,
                disposition=event.disposition,
                policy=event.policy,
                error_code=event.error_code,
            )
        ),
    )


def result_id(call_id: str) -> str:
    """The id of the message that a result becomes."""
    return f"{call_id}-result"


_Other: TypeAlias = e.Cited | e.Suggested | e.Showed | e.Noted | e.CapabilitiesChanged
"""What AG-UI has no event for."""


def _custom(event: _Other) -> tuple[str, frames.Value]:
    """Name it and say its value; the names are documented and never change."""
    match event:
        case e.Cited():
            return "duologue.citation", frames.Citation(title=event.title, url=event.url, snippet=event.snippet)
        case e.Suggested():
            chips = tuple(frames.Chip(label=chip.label, text=chip.text) for chip in event.chips)
            return "duologue.suggestions", frames.Suggestions(chips=chips)
        case e.Showed():
            return "duologue.rich", frames.Rich(payload_type=event.payload_type, version=event.version, data=event.data)
        case e.Noted():
            return "duologue.diagnostic", frames.Diagnostic(
                category=event.category, message=event.message, details=event.details
            )
        case e.CapabilitiesChanged():
            return "duologue.capabilities", frames.Capabilities(modalities=event.modalities)
        case _:
            assert_never(event)
