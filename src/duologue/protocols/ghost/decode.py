"""Reading what ghost clients send."""

from typing import Final, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import jsonwire, limits
from duologue.model.commands import Decoded, Join
from duologue.model.content import ClientTool, ContextItem, Source, SpeechMetadata
from duologue.model.errors import Code, Problem
from duologue.model.inputs import CancelRequested, EndRequested, UserTurn, VoiceTriggered
from duologue.protocols.ghost import incoming
from duologue.protocols.observation import check
from duologue.protocols.tool_calls import Names, decision, tool_output

T = TypeVar("T")

_NAMES: Final = Names(call="tool_call_id", approval="approval_id")
_encode: Final = msgspec.json.Encoder().encode
_moves: Final[msgspec.json.Decoder[incoming.ClientFrame]] = msgspec.json.Decoder(incoming.Moved)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[incoming.ClientFrame]]] = {
    "session.open": msgspec.json.Decoder(incoming.SessionOpen),
    "user_sends_text": msgspec.json.Decoder(incoming.UserSendsText),
    "stt_complete": msgspec.json.Decoder(incoming.SttComplete),
    "observation.show": msgspec.json.Decoder(incoming.ObservationShow),
    "tool.output": msgspec.json.Decoder(incoming.ToolOutput),
    "approval.decide": msgspec.json.Decoder(incoming.ApprovalDecide),
    "cancel": msgspec.json.Decoder(incoming.Cancel),
    "session.end": msgspec.json.Decoder(incoming.SessionEnd),
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
        case incoming.SessionOpen():
            return _join(read)
        case incoming.UserSendsText():
            return _turn(read, "typed")
        case incoming.SttComplete():
            return _turn(read, "voice", speech=_recognised(read))
        case incoming.ObservationShow():
            return check.command(_shown(read), read.observation)
        case incoming.ToolOutput():
            return tool_output(read.tool_call_id, output=read.output, error=read.error)
        case incoming.ApprovalDecide():
            return decision(read, _NAMES)
        case incoming.Cancel():
            return CancelRequested()
        case incoming.SessionEnd():
            return EndRequested()
        case incoming.Moved():
            return VoiceTriggered(trigger=read.type)
        case _:
            assert_never(read)


def _join(read: incoming.SessionOpen) -> Join | Problem:
    modalities = _given(read.modalities)
    if modalities is not None and len(set(modalities)) != len(modalities):
        return Problem(code=Code.BAD_MESSAGE, message="a modality is named twice", path="$.modalities")
    return Join(
        session_id=_given(read.session_id), after=read.after, language=_given(read.language), modalities=modalities
    )


def _shown(read: incoming.ObservationShow) -> UserTurn:
    return UserTurn(
        text="",
        request_id=_given(read.turn_id),
        interaction_id=_given(read.interaction_id),
        context=_context(read.context),
    )


def _recognised(said: incoming.SttComplete) -> SpeechMetadata:
    """What the client's recogniser measured; a time that it does not tell is 0."""
    return SpeechMetadata(confidence=_given(said.confidence), stt_ms=_given(said.stt_ms) or 0)


def _turn(
    said: incoming.UserSendsText | incoming.SttComplete, source: Source, speech: SpeechMetadata | None = None
) -> UserTurn | Problem:
    if len(_encode(said.tools)) > limits.CLIENT_DATA_BYTES:
        message = f"`tools` is larger than {limits.CLIENT_DATA_BYTES} bytes as JSON"
        return Problem(code=Code.TOO_LARGE, message=message, path="$.tools", limit=limits.CLIENT_DATA_BYTES)
    return UserTurn(
        text=said.text,
        request_id=_given(said.turn_id),
        source=source,
        language=_given(said.language),
        speech=speech,
        context=_context(said.context),
        tools=tuple(
            ClientTool(name=one.name, description=one.description, parameters=_given(one.parameters))
            for one in said.tools
        ),
    )


def _context(items: incoming.Contexts) -> tuple[ContextItem, ...]:
    return tuple(ContextItem(description=item.description, value=item.value) for item in items)


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
