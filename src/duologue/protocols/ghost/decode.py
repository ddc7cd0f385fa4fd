"""Reading what ghost clients send."""

from typing import Final, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import jsonwire
from duologue.model.commands import Decoded, Join
from duologue.model.content import ContextItem, Source, SpeechMetadata
from duologue.model.errors import Problem
from duologue.model.inputs import CancelRequested, EndRequested, UserTurn, VoiceTriggered
from duologue.protocols.ghost import wire

T = TypeVar("T")

_moves: Final[msgspec.json.Decoder[wire.ClientFrame]] = msgspec.json.Decoder(wire.Moved)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[wire.ClientFrame]]] = {
    "session.open": msgspec.json.Decoder(wire.SessionOpen),
    "user_sends_text": msgspec.json.Decoder(wire.UserSendsText),
    "stt_complete": msgspec.json.Decoder(wire.SttComplete),
    "cancel": msgspec.json.Decoder(wire.Cancel),
    "session.end": msgspec.json.Decoder(wire.SessionEnd),
    "user_activates_mic": _moves,
    "speech_end": _moves,
    "first_token": _moves,
    "tts_complete": _moves,
    "auto_resume": _moves,
    "barge_in": _moves,
    "error": _moves,
}


def decode(frame: bytes) -> Decoded:
    """Read a client's frame: a trigger by its name in the state model, or a message about the session."""
    read = jsonwire.read_tagged(frame, _BY_TYPE)
    match read:
        case Problem():
            return read
        case wire.SessionOpen():
            return Join(session_id=_given(read.session_id), after=read.after, language=_given(read.language))
        case wire.UserSendsText():
            return _turn(read, "typed")
        case wire.SttComplete():
            return _turn(read, "voice", speech=_recognised(read))
        case wire.Cancel():
            return CancelRequested()
        case wire.SessionEnd():
            return EndRequested()
        case wire.Moved():
            return VoiceTriggered(trigger=read.type)
        case _:
            assert_never(read)


def _recognised(said: wire.SttComplete) -> SpeechMetadata:
    """What the client's recogniser measured; a time that it does not tell is 0."""
    return SpeechMetadata(confidence=_given(said.confidence), stt_ms=_given(said.stt_ms) or 0)


def _turn(
    said: wire.UserSendsText | wire.SttComplete, source: Source, speech: SpeechMetadata | None = None
) -> UserTurn:
    return UserTurn(
        text=said.text,
        request_id=_given(said.turn_id),
        source=source,
        language=_given(said.language),
        speech=speech,
        context=tuple(ContextItem(description=item.description, value=item.value) for item in said.context),
    )


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
