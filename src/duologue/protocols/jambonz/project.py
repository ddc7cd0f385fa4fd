"""Events as agent events."""

from typing import Final, assert_never

import msgspec
from msgspec import UNSET

from duologue.model import events as e
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
            | e.VoiceEvent()
        ):
            return None
        case _:
            assert_never(event)


def frame(event: e.AnyEvent) -> bytes | None:
    """Write an event as one message for those who watch."""
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


def _interrupted(event: e.ResponseEnded | e.TurnEnded) -> bool:
    """Whether a person cut the answer short. A client that reports its own error ends it too: that is nobody's wish."""
    match event.outcome:
        case "cancelled" | "interrupted":
            return event.state != "error"
        case "completed" | "asked" | "failed":
            return False
        case _:
            assert_never(event.outcome)


def _response_ended(event: e.ResponseEnded) -> wire.AgentEvent | None:
    if event.superseded:
        return None
    if event.text:
        return wire.LlmResponse(event.text)
    return wire.UserInterruption() if _interrupted(event) else None


def _turn_end(event: e.TurnEnded) -> wire.TurnEnd:
    first_ms = event.figures.ttft_ms
    return wire.TurnEnd(
        transcript=event.text,
        response=event.answer,
        interrupted=_interrupted(event),
        latency=wire.Latency(model_latency=UNSET if first_ms is None else first_ms),
    )
