"""Writing events as AG-UI events, one frame each."""

from typing import Final, TypeAlias, assert_never

import msgspec

from duologue.model import content, events
from duologue.model.events import AnyEvent
from duologue.protocols import acting_values, call_values, measures
from duologue.protocols.agentcall import frames

_encode: Final = msgspec.json.Encoder().encode


def project(event: AnyEvent) -> bytes:
    """Write one event as a frame; every event has one, so that sequences stay contiguous.

    Args:
        event: any event of a session.
    Returns:
        One frame of JSON without line ends; the same event gives the same bytes for ever.
    Source: AgentCall 0.1; AG-UI 1.0, events; `schemas/agentcall-server.schema.json`.
    """
    # A token costs about 1 µs here: the first case is the hot path.
    return _encode(frames.EventFrame(sequence=event.seq, turn=event.turn, event=_agui(event)))


def _agui(event: AnyEvent) -> frames.AguiEvent:
    at_ms = event.at_ms
    match event:
        case events.TextDelta():
            return frames.TextMessageContent(timestamp=at_ms, message_id=event.message_id, delta=event.text)
        case events.TextStarted():
            return frames.TextMessageStart(
                timestamp=at_ms,
                message_id=event.message_id,
                role="assistant",
                name=event.author or None,
                metadata=frames.Metadata(duologue=frames.TierMetadata(tier=event.tier)),
            )
        case events.TextCompleted():
            return frames.TextMessageEnd(timestamp=at_ms, message_id=event.message_id)
        case events.ResponseStarted():
            return _run_started(event)
        case events.ResponseEnded():
            return _run_finished(event)
        case events.ResponseFailed():
            return _run_error(event)
        case events.HistoryTrimmed():
            return _snapshot(event)
        case events.ToolCalled(runs_on="agent" | "server"):
            return frames.ToolCallChunk(
                timestamp=at_ms,
                tool_call_id=event.call_id,
                tool_call_name=event.name,
                delta=event.arguments,
            )
        case events.ToolReturned(runs_on="agent" | "server", earlier=False):
            return _tool_result(event)
        case _:
            name, value = _custom(event)
            return frames.Custom(timestamp=at_ms, name=name, value=value)


def _run_started(event: events.ResponseStarted) -> frames.RunStarted:
    return frames.RunStarted(
        timestamp=event.at_ms,
        thread_id=event.session_id,
        run_id=event.response_id,
        protocol_version=frames.AGUI_VERSION,
        metadata=frames.Metadata(
            duologue=frames.RunMetadata(
                tier=event.tier,
                attempt=event.attempt,
                author=event.author,
                agent=event.agent,
                replaces=event.replaces,
            )
        ),
    )


def _run_finished(event: events.ResponseEnded) -> frames.RunFinished:
    """AG-UI knows no barge-in: an interrupted run is a cancelled one; our metadata tells them apart."""
    return frames.RunFinished(
        timestamp=event.at_ms,
        thread_id=event.session_id,
        run_id=event.response_id,
        outcome=_outcome(event),
        usage=tuple(_usage(one) for one in event.figures.usage),
        metadata=frames.Metadata(
            duologue=frames.EndMetadata(
                outcome=event.outcome,
                tier=event.tier,
                figures=measures.figures(event.figures),
                heard=event.heard,
                superseded=event.superseded,
            )
        ),
    )


def _outcome(event: events.ResponseEnded) -> frames.Success | frames.Interrupted | frames.Cancelled:
    match event.outcome:
        case "completed" | "passed":
            return frames.Success()
        case "asked":
            return frames.Interrupted(interrupts=tuple(_interrupt(one) for one in event.interrupts))
        case "cancelled" | "interrupted" | "replaced":
            return frames.Cancelled()
        case _:
            assert_never(event.outcome)


def _interrupt(asked: content.Interrupt) -> frames.Interrupt:
    return frames.Interrupt(
        id=asked.interrupt_id,
        reason=asked.reason,
        message=asked.message,
        tool_call_id=asked.tool_call_id,
        response_schema=asked.response_schema,
        expires_at=asked.expires_at,
        metadata=asked.metadata,
    )


def _usage(counted: content.Usage) -> frames.TokenUsage:
    return frames.TokenUsage(
        provider=counted.provider,
        model=counted.model,
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        reasoning_tokens=counted.reasoning_tokens,
        cached_input_tokens=counted.cached_tokens,
    )


def _tool_result(event: events.ToolReturned) -> frames.ToolCallResult:
    return frames.ToolCallResult(
        timestamp=event.at_ms,
        message_id=f"{event.call_id}-result",
        tool_call_id=event.call_id,
        content=event.result,
        role="tool",
        metadata=frames.Metadata(
            duologue=frames.ResultMetadata(
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


def _run_error(event: events.ResponseFailed) -> frames.RunError:
    return frames.RunError(
        timestamp=event.at_ms,
        message=event.message,
        code=event.code,
        metadata=frames.Metadata(
            duologue=frames.ErrorMetadata(
                response_id=event.response_id,
                retryable=event.retryable,
                will_retry=event.will_retry,
                heard=event.heard,
            )
        ),
    )


def _snapshot(event: events.HistoryTrimmed) -> frames.MessagesSnapshot:
    """AG-UI wants an id on each message; those that were streamed are gone with the events that held them."""
    return frames.MessagesSnapshot(
        timestamp=event.at_ms,
        messages=tuple(
            frames.Message(
                id=f"history-{event.epoch}-{place}",
                role=message.role,
                content=message.text,
                metadata=frames.Metadata(
                    duologue=frames.MessageMetadata(
                        turn=message.turn, interrupted=message.interrupted, author=message.author
                    )
                ),
            )
            for place, message in enumerate(event.messages, 1)
            if message.text
        ),
        metadata=frames.Metadata(duologue=frames.TrimMetadata(epoch=event.epoch)),
    )


_Other: TypeAlias = (
    events.SessionStarted
    | events.CapabilitiesChanged
    | events.TurnAccepted
    | events.Cited
    | events.Suggested
    | events.Showed
    | events.Noted
    | events.ToolCalled
    | events.ToolReturned
    | events.TurnEnded
    | events.StateChanged
    | events.SessionEnded
    | events.AnyActingEvent
    | events.AnyVoiceEvent
)
"""What AG-UI has no event for."""


def _custom(event: _Other) -> tuple[str, frames.Value]:
    """Name it and say its value; the names are documented and never change."""
    match event:
        case events.SessionStarted():
            return "duologue.session.started", frames.SessionStarted(
                session_id=event.session_id,
                agent=event.agent,
                tier=event.tier,
                language=event.language,
                state=event.state,
            )
        case events.CapabilitiesChanged():
            return "duologue.capabilities", frames.Capabilities(modalities=event.modalities)
        case events.TurnAccepted():
            return "duologue.turn.accepted", _accepted(event)
        case events.ToolCalled():
            return "duologue.tool.called", frames.ToolCalled(
                response_id=event.response_id, tool_call_id=event.call_id, tool_name=event.name
            )
        case events.ToolReturned():
            return "duologue.tool.returned", frames.ToolReturned(
                response_id=event.response_id,
                tool_call_id=event.call_id,
                tool_name=event.name,
                runs_on=event.runs_on,
                result=event.result,
                is_error=event.is_error,
                status=event.status,
                key=event.key,
                disposition=event.disposition,
                policy=event.policy,
                error_code=event.error_code,
            )
        case events.TurnEnded():
            return "duologue.turn.ended", frames.TurnEnded(
                outcome=event.outcome,
                response_id=event.response_id,
                figures=measures.figures(event.figures),
                heard=event.heard,
                heard_estimated=event.heard_estimated,
                latency=measures.latency(event.latency),
            )
        case events.StateChanged():
            return "duologue.state", frames.StateChanged(
                state=event.state, previous=event.previous, trigger=event.trigger
            )
        case events.SessionEnded():
            return "duologue.session.ended", frames.SessionEnded(reason=event.reason)
        case events.Cited() | events.Suggested() | events.Showed() | events.Noted():
            return _said(event)
        case events.SupervisorNoted() | events.LegEnded():
            # The person's clients are not told what is said about them; its number they have to have.
            # That an answer goes on after tools have run, its next words tell.
            return "duologue.untold", frames.Untold()
        case events.VoiceEvent():
            return call_values.custom(event)
        case _:
            return acting_values.custom(event)


def _said(event: events.Cited | events.Suggested | events.Showed | events.Noted) -> tuple[str, frames.Value]:
    match event:
        case events.Cited():
            return "duologue.citation", frames.Citation(
                response_id=event.response_id, title=event.title, url=event.url, snippet=event.snippet
            )
        case events.Suggested():
            chips = tuple(frames.Chip(label=chip.label, text=chip.text) for chip in event.chips)
            return "duologue.suggestions", frames.Suggestions(response_id=event.response_id, chips=chips)
        case events.Showed():
            return "duologue.rich", frames.Rich(
                response_id=event.response_id,
                payload_type=event.payload_type,
                version=event.version,
                data=event.data,
            )
        case events.Noted():
            return "duologue.diagnostic", frames.Diagnostic(
                response_id=event.response_id,
                category=event.category,
                message=event.message,
                details=event.details,
            )
        case _:
            assert_never(event)


def _accepted(event: events.TurnAccepted) -> frames.TurnAccepted:
    return frames.TurnAccepted(
        request_id=event.request_id,
        text=event.text,
        source=event.source,
        language=event.language,
        attachments=tuple(_attachment(upload) for upload in event.attachments),
        observation=None if event.observation is None else _observation(event.observation),
        speech=None if event.speech is None else _speech(event.speech),
        answers=tuple(frames.Answer(interrupt_id=one.interrupt_id, status=one.status) for one in event.answers),
    )


def _attachment(upload: content.Attachment) -> frames.Attachment:
    return frames.Attachment(
        upload_id=upload.upload_id,
        name=upload.name,
        media_type=upload.media_type,
        size_bytes=upload.size_bytes,
        sha256=upload.sha256,
    )


def _observation(seen: content.Observation) -> frames.Nfc | frames.Photo:
    match seen:
        case content.NfcObservation():
            return frames.Nfc(
                tag_id=seen.tag_id,
                technologies=seen.technologies,
                records=tuple(_record(record) for record in seen.records),
                observed_at=seen.observed_at,
            )
        case content.PhotoObservation():
            return frames.Photo(
                media_type=seen.photo.media_type,
                width=seen.width,
                height=seen.height,
                sha256=seen.photo.sha256,
                upload_id=seen.photo.upload_id,
                size_bytes=seen.photo.size_bytes,
                observed_at=seen.observed_at,
            )
        case _:
            assert_never(seen)


def _record(record: content.NdefRecord) -> frames.NdefRecord:
    return frames.NdefRecord(
        tnf=record.tnf,
        type=record.type,
        id=record.record_id,
        payload=record.payload,
        text=record.text,
        uri=record.uri,
        language=record.language,
        inside=tuple(map(_part, record.inside)),
    )


def _part(record: content.NdefPart) -> frames.NdefPart:
    return frames.NdefPart(
        tnf=record.tnf,
        type=record.type,
        id=record.record_id,
        payload=record.payload,
        text=record.text,
        uri=record.uri,
        language=record.language,
    )


def _speech(speech: content.SpeechMetadata) -> frames.Speech:
    return frames.Speech(
        recognition_engine=speech.engine,
        model=speech.model,
        locale_identifier=speech.locale,
        actionable_revision_ms=speech.actionable_revision_ms,
        stable_final_ms=speech.stable_final_ms,
        thermal_state=speech.thermal_state,
        confidence=speech.confidence,
        stt_ms=speech.stt_ms,
    )
