"""Writing events as ghost frames."""

from typing import Final, Literal, assert_never

import msgspec
from msgspec import UNSET

from duologue.model import events as e
from duologue.model.content import NfcObservation, Observation, PhotoObservation
from duologue.model.inputs import Trigger
from duologue.protocols.ghost import acting, endings, errors, voice, wire
from duologue.protocols.ghost.voice import NOTHING, UNDETERMINED

_VOICE: Final[dict[Trigger, tuple[str, wire.Payload]]] = {
    "user_activates_mic": ("voice.listening", NOTHING),
    "auto_resume": ("voice.listening", NOTHING),
    "speech_end": ("voice.transcribing", wire.VoiceTranscribing(UNDETERMINED)),
    "barge_in": ("voice.barge_in", NOTHING),
    "tts_complete": ("voice.finished", NOTHING),
}
"""What the contract calls a move of the machine by a client's trigger, where it has an event for it."""

_encode: Final = msgspec.json.Encoder().encode


def project(event: e.AnyEvent) -> bytes | None:
    """Write an event as one frame."""
    match event:
        case e.TextDelta():
            # Without a leaf: this is the one frame per token.
            token = wire.TurnToken(event.text, event.length)
            return _encode(wire.Frame("turn.token", event.seq, event.at_ms, event.state, token))
        case e.SessionStarted():
            return _frame(event, "agent.ready", _ready(event))
        case e.TurnAccepted():
            return _frame(event, "turn.start", _start(event))
        case e.ResponseStarted():
            thinking = wire.TurnThinking(event.tier, True, event.author or UNSET, event.agent or UNSET)
            return _frame(event, "turn.thinking", thinking)
        case e.TextStarted():
            return _frame(event, "turn.thinking", wire.TurnThinking(event.tier, False))
        case e.ResponseEnded():
            return _maybe(event, endings.ended(event))
        case e.ResponseFailed():
            return _frame(event, "turn.error", errors.failed(event))
        case e.StateChanged():
            own = ("ghost.state", wire.GhostState(event.trigger, event.previous))
            return _frame(event, *_VOICE.get(event.trigger, own))
        case e.Noted():
            return _frame(event, "ghost.diagnostic", _diagnostic(event))
        case e.Cited() | e.Suggested() | e.Showed():
            return _shown(event)
        case e.ToolCalled():
            return _frame(event, *acting.called(event))
        case e.ToolReturned():
            return _frame(event, *acting.returned(event))
        case e.HistoryTrimmed():
            return _frame(event, "ghost.history", _history(event))
        case e.SessionEnded():
            return _frame(event, "ghost.session_ended", wire.GhostSessionEnded(event.reason))
        case e.TextCompleted() | e.TurnEnded() | e.CapabilitiesChanged():
            return None
        case e.VoiceEvent():
            return _maybe(event, voice.say(event))
        case _:
            return _maybe(event, acting.say(event))


def _maybe(event: e.Event, said: endings.Said | None) -> bytes | None:
    return None if said is None else _frame(event, *said)


def _frame(event: e.Event, type_: str, payload: wire.Payload) -> bytes:
    return _encode(wire.Frame(type_, event.seq, event.at_ms, event.state, payload))


def _ready(event: e.SessionStarted) -> wire.AgentReady:
    return wire.AgentReady(
        models_loaded=event.tiers or (event.tier,), memory_items=event.memory_items, language=event.language
    )


def _start(event: e.TurnAccepted) -> wire.TurnStart:
    return wire.TurnStart(
        source=event.source,
        language_detected=event.language,
        turn_id=event.request_id or f"turn-{event.turn}",
        text=event.text,
        attachments=tuple(
            wire.AttachmentPart(
                upload_id=item.upload_id,
                name=item.name,
                media_type=item.media_type,
                size_bytes=item.size_bytes,
            )
            for item in event.attachments
        ),
        observation=UNSET if event.observation is None else _kind(event.observation),
    )


def _kind(seen: Observation) -> Literal["nfc", "photo"]:
    match seen:
        case NfcObservation():
            return "nfc"
        case PhotoObservation():
            return "photo"
        case _:
            assert_never(seen)


def _diagnostic(event: e.Noted) -> wire.GhostDiagnostic:
    details = UNSET if event.details is None else event.details
    return wire.GhostDiagnostic(category=event.category, message=event.message, details=details)


def _shown(event: e.Cited | e.Suggested | e.Showed) -> bytes:
    match event:
        case e.Cited():
            cited = wire.GhostCitation(
                title=event.title, url=event.url, snippet=UNSET if event.snippet is None else event.snippet
            )
            return _frame(event, "ghost.citation", cited)
        case e.Suggested():
            chips = tuple(wire.ChipPart(label=chip.label, text=chip.text) for chip in event.chips)
            return _frame(event, "ghost.suggestions", wire.GhostSuggestions(chips))
        case e.Showed():
            rich = wire.GhostRich(payload_type=event.payload_type, version=event.version, data=event.data)
            return _frame(event, "ghost.rich", rich)
        case _:
            assert_never(event)


def _history(event: e.HistoryTrimmed) -> wire.GhostHistory:
    return wire.GhostHistory(
        epoch=event.epoch,
        messages=tuple(
            wire.MessagePart(
                role=message.role,
                text=message.text,
                turn=message.turn,
                interrupted=message.interrupted,
                author=message.author or UNSET,
            )
            for message in event.messages
            if message.text
        ),
    )
