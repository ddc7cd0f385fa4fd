"""Events as agent events."""

from typing import Final, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import events as e
from duologue.model import tooljson
from duologue.model.redaction import redacted_arguments
from duologue.model.voice import Latency
from duologue.protocols.jambonz import wire

_encode: Final = msgspec.json.Encoder().encode


def agent_event(event: e.AnyEvent) -> wire.AgentEvent | None:
    """Say an event in the contract's words; `None` where it has none."""
    match event:
        case e.TurnAccepted():
            # Answers to an agent's question and results of tools are no speech.
            said = event.text or event.observation or event.attachments
            return wire.UserTranscript(event.text) if said else None
        case e.TextCompleted():
            return wire.LlmResponse(event.text) if event.whole else None
        case e.ResponseEnded():
            return _response_ended(event)
        case e.TurnEnded():
            return _turn_end(event)
        case (
            e.SessionStarted()
            | e.CapabilitiesChanged()
            | e.ResponseStarted()
            | e.TextStarted()
            | e.TextDelta()
            | e.Cited()
            | e.Suggested()
            | e.Showed()
            | e.Noted()
            | e.ToolCalled()
            | e.ToolReturned()
            | e.ResponseFailed()
            | e.StateChanged()
            | e.SessionEnded()
            | e.HistoryTrimmed()
        ):
            return None
        case e.TurnExtended():
            # The agent is asked anew, and now for this.
            return wire.UserTranscript(event.text)
        case e.ActingEvent():
            # The contract is of turns: what is done beside them has no word in it.
            return None
        case e.VoiceEvent():
            # A barge-in ends a response in the same step, which tells of it.
            return None
        case _:
            assert_never(event)


def frame(event: e.AnyEvent) -> bytes | None:
    """Write an event as one message for those who watch."""
    if isinstance(event, e.ToolCalled):
        return _encode(_tool_call(event))
    said = agent_event(event)
    if said is None:
        return None
    return _encode(
        wire.AgentEventFrame(
            msgid=str(event.seq),
            sequence=event.seq,
            timestamp=event.at_ms,
            turn=event.turn,
            request_id=event.request_id,
            data=said,
        )
    )


def _tool_call(event: e.ToolCalled) -> wire.ToolCallFrame:
    return wire.ToolCallFrame(
        msgid=str(event.seq),
        sequence=event.seq,
        timestamp=event.at_ms,
        turn=event.turn,
        request_id=event.request_id,
        data=wire.ToolCall(
            tool_call_id=event.call_id,
            name=event.name,
            arguments=tooljson.arguments(redacted_arguments(event.arguments, event.redact)),
            runs_on=event.runs_on,
        ),
    )


def _interrupted(event: e.ResponseEnded | e.TurnEnded) -> bool:
    """Whether a person cut the answer short. A client that reports its own error ends it too: that is nobody's wish."""
    match event.outcome:
        case "cancelled" | "interrupted":
            return event.state != "error"
        case "completed" | "asked" | "passed" | "replaced" | "failed":
            return False
        case _:
            assert_never(event.outcome)


def _response_ended(event: e.ResponseEnded) -> wire.AgentEvent | None:
    if event.superseded:
        return None
    if event.text:
        return wire.LlmResponse(event.text)
    # Of a turn that went on by itself nothing but the answer is told: its end was.
    return wire.UserInterruption() if _interrupted(event) and not event.resumed else None


def _turn_end(event: e.TurnEnded) -> wire.TurnEnd | None:
    """Say that a turn is over, once: one that goes on by itself has ended before."""
    if event.resumed:
        return None
    waited = event.latency
    return wire.TurnEnd(
        transcript=event.text,
        response=event.answer,
        interrupted=_interrupted(event),
        latency=wire.Latency(model_latency=_given(event.figures.ttft_ms)) if waited is None else _latency(waited),
    )


def _latency(waited: Latency) -> wire.Latency:
    """Say what a turn of a call waited for, as far as the contract has a member for it."""
    early = UNSET if waited.preflight is None else wire.Preflight(waited.preflight, _given(waited.preflight_tokens))
    return wire.Latency(
        transcriber_latency=_given(waited.transcriber_ms),
        turn_detection_latency=_given(waited.turn_detection_ms),
        model_latency=_given(waited.model_ms),
        voice_latency=_given(waited.voice_ms),
        preflight=early,
    )


def _given(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value
