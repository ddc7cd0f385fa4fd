"""Writing events as chat frames."""

from typing import Final, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import events as e
from duologue.model.content import (
    Attachment,
    Chip,
    Figures,
    Interrupt,
    Message,
    NfcObservation,
    Observation,
    PhotoObservation,
    Usage,
)
from duologue.protocols.chat import acting, errors, voice, wire
from duologue.protocols.chat.errors import SESSION_WIDE
from duologue.protocols.chat.links import absolute
from duologue.protocols.chat.moment import rfc3339

HISTORY_TYPE: Final = "duologue.history"
"""The `payloadType` of the conversation so far, where retention removed the events that made it."""

_encode: Final = msgspec.json.Encoder().encode


def project(event: e.AnyEvent, base: str) -> bytes | None:
    """Write an event as one frame; `base` is this server's own address, for citations of its pages."""
    match event:
        case e.TextDelta():
            # By position and without a leaf: this is the one frame per token.
            return _encode(
                wire.TextDeltaFrame(
                    event.request_id or SESSION_WIDE,
                    rfc3339(event.at_ms),
                    event.seq,
                    UNSET,
                    event.response_id,
                    event.text,
                )
            )
        case e.ResponseStarted():
            return _encode(_started(event))
        case e.TextCompleted():
            return _encode(wire.TextCompletedFrame(*_stamp(event), event.response_id, event.text))
        case e.ResponseEnded():
            return _encode(_completed(event))
        case e.ToolCalled():
            return _encode(acting.called(event, _stamp(event)))
        case e.ToolReturned():
            return _encode(acting.returned(event, _stamp(event)))
        case e.ResponseFailed():
            return _encode(errors.failed(event))
        case e.Cited():
            url = absolute(event.url, base)
            return _encode(
                wire.CitationFrame(*_stamp(event), event.response_id, event.title, url, event.snippet or UNSET)
            )
        case e.Suggested():
            chips = chip_parts(event.chips)
            return _encode(wire.SuggestionChipsFrame(*_stamp(event), event.response_id, chips))
        case e.Showed():
            return _encode(
                wire.RichPayloadFrame(
                    *_stamp(event), event.response_id, event.payload_type, event.data, payload_version(event)
                )
            )
        case e.HistoryTrimmed():
            return _encode(_history(event))
        case e.SessionEnded():
            return _encode(wire.SessionEndedFrame(*_stamp(event), SESSION_WIDE, event.reason))
        case e.Noted() | e.TurnAccepted() | e.CapabilitiesChanged() | e.StateChanged():
            return _encode(_diagnostic(event))
        case e.SessionStarted() | e.TextStarted() | e.TurnEnded():
            return None
        case e.VoiceEvent():
            return _call(event)
        case _:
            return _acting(event)


def _acting(event: e.AnyActingEvent) -> bytes | None:
    match event:
        case e.ToolMoved():
            return _encode(acting.moved(event, _stamp(event)))
        case e.HandoffMoved():
            return _encode(acting.handoff(event, _stamp(event)))
        case e.SignalUpdated():
            return _encode(acting.signal(event, _stamp(event)))
        case e.SupervisorNoted() | e.LegEnded():
            # The person's clients are not told what is said about them; that an answer goes on, its next words tell.
            return None
        case _:
            return _noted(event, acting.note(event))


def payload_version(event: e.Showed) -> int:
    """Give the version of a payload, at least 1 as the contract wants it."""
    return max(1, event.version)


def chip_parts(chips: tuple[Chip, ...]) -> tuple[wire.ChipFrame, ...]:
    """Write chips."""
    return tuple(wire.ChipFrame(chip.label, chip.text) for chip in chips)


def figures_part(figures: Figures) -> wire.FiguresPart:
    """Write figures."""
    return wire.FiguresPart(
        ttft_ms=UNSET if figures.ttft_ms is None else figures.ttft_ms,
        duration_ms=figures.duration_ms,
        total_tokens=figures.total_tokens,
        tps=figures.tps,
        quality_pass=figures.quality_pass,
        language=figures.language,
        usage=tuple(_usage(one) for one in figures.usage),
    )


def _usage(counted: Usage) -> wire.UsagePart:
    return wire.UsagePart(
        model=counted.model or UNSET,
        provider=counted.provider or UNSET,
        input_tokens=_given(counted.input_tokens),
        output_tokens=_given(counted.output_tokens),
        cached_tokens=_given(counted.cached_tokens),
        reasoning_tokens=_given(counted.reasoning_tokens),
    )


def _given(count: int | None) -> int | UnsetType:
    return UNSET if count is None else count


def _stamp(event: e.Event) -> tuple[str, str, int, str | UnsetType]:
    return event.request_id or SESSION_WIDE, rfc3339(event.at_ms), event.seq, errors.correlated(event.turn)


def _started(event: e.ResponseStarted) -> wire.ResponseStartedFrame:
    return wire.ResponseStartedFrame(
        *_stamp(event), event.response_id, event.attempt, event.replaces, event.author, event.agent
    )


def _completed(event: e.ResponseEnded) -> wire.ResponseCompletedFrame:
    return wire.ResponseCompletedFrame(
        *_stamp(event),
        event.response_id,
        event.outcome,
        figures_part(event.figures),
        tuple(interrupt_part(one) for one in event.interrupts),
        event.pending_calls,
        UNSET if event.heard is None else event.heard,
        event.superseded,
    )


def interrupt_part(asked: Interrupt) -> wire.InterruptPart:
    """Write what the agent waits for."""
    return wire.InterruptPart(
        interrupt_id=asked.interrupt_id,
        reason=asked.reason,
        message=asked.message or UNSET,
        tool_call_id=asked.tool_call_id or UNSET,
        expires_at=asked.expires_at or UNSET,
        response_schema=UNSET if asked.response_schema is None else asked.response_schema,
        metadata=UNSET if asked.metadata is None else asked.metadata,
    )


def _history(event: e.HistoryTrimmed) -> wire.RichPayloadFrame:
    messages = [_message(message) for message in event.messages if message.text]
    data = {"epoch": event.epoch, "messages": messages}
    return wire.RichPayloadFrame(*_stamp(event), "history", HISTORY_TYPE, data, 1)


def _message(message: Message) -> dict[str, object]:
    cut: dict[str, object] = {"interrupted": True} if message.interrupted else {}
    author: dict[str, object] = {"author": message.author} if message.author else {}
    return {"role": message.role, "text": message.text, "turn": message.turn} | cut | author


def _diagnostic(
    event: e.Noted | e.TurnAccepted | e.CapabilitiesChanged | e.StateChanged,
) -> wire.DiagnosticFrame:
    match event:
        case e.Noted():
            response_id, category, message = event.response_id or SESSION_WIDE, event.category, event.message
            details = UNSET if event.details is None else event.details
        case e.TurnAccepted():
            response_id, category, message = f"turn-{event.turn}", "turn.accepted", event.text
            details = _turn(event)
        case e.CapabilitiesChanged():
            response_id, category = SESSION_WIDE, "capabilities.changed"
            message = "observations on offer: " + (", ".join(event.modalities) or "none")
            details = {"modalities": event.modalities}
        case e.StateChanged():
            response_id, category = SESSION_WIDE, "state.changed"
            message = f"{event.previous} to {event.state} by {event.trigger}"
            details = {"trigger": event.trigger, "previous": event.previous, "state": event.state}
        case _:
            assert_never(event)
    return wire.DiagnosticFrame(*_stamp(event), response_id, category, message, details)


def _call(event: e.AnyVoiceEvent) -> bytes | None:
    noted = voice.note(event)
    # What happens in a call always says where the state machine stands after it.
    return None if noted is None else _noted(event, noted._replace(details={"state": event.state} | noted.details))


def _noted(event: e.Event, noted: voice.Noted) -> bytes:
    response_id = noted.response_id or SESSION_WIDE
    return _encode(wire.DiagnosticFrame(*_stamp(event), response_id, noted.category, noted.message, noted.details))


def _turn(event: e.TurnAccepted) -> dict[str, object]:
    details: dict[str, object] = {
        "turn": event.turn,
        "text": event.text,
        "source": event.source,
        "language": event.language,
    }
    if event.answers:
        details["answers"] = [{"interruptId": one.interrupt_id, "status": one.status} for one in event.answers]
    if event.attachments:
        details["attachments"] = [_attachment(item) for item in event.attachments]
    if event.observation is not None:
        details["observation"] = _observation(event.observation)
    return details


def _attachment(item: Attachment) -> dict[str, object]:
    return {
        "uploadId": item.upload_id,
        "name": item.name,
        "mediaType": item.media_type,
        "sizeBytes": item.size_bytes,
        "sha256": item.sha256,
    }


def _observation(seen: Observation) -> dict[str, object]:
    match seen:
        case PhotoObservation():
            size: dict[str, object] = {"width": seen.width, "height": seen.height}
            photo = {"kind": "photo", "observedAt": seen.observed_at, "photo": _attachment(seen.photo)}
            return photo | size
        case NfcObservation():
            words = [record.uri or record.text for record in seen.records if record.uri or record.text]
            return {
                "kind": "nfc",
                "observedAt": seen.observed_at,
                "tagId": seen.tag_id,
                "technologies": seen.technologies,
                "records": words,
            }
        case _:
            assert_never(seen)
