"""Reading what chat clients send: frames of the socket and bodies of HTTP requests."""

from typing import Final, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import jsonwire, limits
from duologue.model.base import Value
from duologue.model.commands import Decide, Decoded, GiveOutput, Join, Photo, Refer
from duologue.model.content import Answer, ClientTool, ContextItem
from duologue.model.errors import Code, Problem
from duologue.model.inputs import (
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    UserTurn,
)
from duologue.protocols.chat import incoming
from duologue.protocols.observation import check
from duologue.protocols.tool_calls import Names, decision, tool_output

T = TypeVar("T")

_frames: msgspec.json.Decoder[incoming.ClientFrame] = msgspec.json.Decoder(incoming.ClientFrame)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[incoming.ClientFrame]]] = {
    "session.start": _frames,
    "message.send": _frames,
    "response.cancel": _frames,
    "session.end": _frames,
    "tool.output": _frames,
    "approval.decide": _frames,
    "audio.turn.start": _frames,
    "audio.turn.commit": _frames,
    "audio.turn.cancel": _frames,
}
_send_bodies = msgspec.json.Decoder(incoming.SendBody)
_cancel_bodies = msgspec.json.Decoder(incoming.CancelBody)
_end_bodies = msgspec.json.Decoder(incoming.EndBody)
_output_bodies = msgspec.json.Decoder(incoming.ToolOutputBody)
_decision_bodies = msgspec.json.Decoder(incoming.DecisionBody)
_kinds = msgspec.json.Decoder(incoming.ToolCallKind)
_NAMES: Final = Names(call="toolCallId", approval="approvalId")
_encode: Final = msgspec.json.Encoder().encode


class Send(Value, frozen=True, kw_only=True):
    """A message that came over HTTP.

    Attributes:
        session_id: `None` asks for a new session.
        command: the turn; its request id is `None` where the body had none.
    """

    session_id: str | None
    command: UserTurn | Refer | Photo

    @property
    def turn(self) -> UserTurn:
        """The turn itself, wherever it is."""
        return self.command if isinstance(self.command, UserTurn) else self.command.turn

    def named(self, *, request_id: str, idempotency_key: str | None) -> "Send":
        """Name the turn: what its events will carry, and by what a repeat is recognised."""
        turn = msgspec.structs.replace(self.turn, request_id=request_id, idempotency_key=idempotency_key)
        if isinstance(self.command, UserTurn):
            return msgspec.structs.replace(self, command=turn)
        return msgspec.structs.replace(self, command=msgspec.structs.replace(self.command, turn=turn))


class Cancel(Value, frozen=True, kw_only=True):
    """A cancel that came over HTTP."""

    session_id: str
    command: CancelRequested


class End(Value, frozen=True, kw_only=True):
    """An end that came over HTTP."""

    session_id: str
    command: EndRequested


class ToolCall(Value, frozen=True, kw_only=True):
    """What a client tells of a call over HTTP: what its tool gave, or what the person decided."""

    session_id: str
    command: GiveOutput | Decide


def decode(frame: bytes) -> Decoded:
    """Read a frame of the socket."""
    read = jsonwire.read_tagged(frame, _BY_TYPE)
    match read:
        case Problem():
            return read
        case incoming.SessionStart():
            return _join(read)
        case incoming.MessageSend():
            return _command(read, read.request_id)
        case incoming.ResponseCancel():
            return CancelRequested(response_id=_given(read.response_id))
        case incoming.SessionEnd():
            return EndRequested()
        case incoming.ToolOutputFrame():
            return tool_output(read.tool_call_id, output=read.output, error=read.error)
        case incoming.ApprovalDecide():
            return decision(read, _NAMES)
        case incoming.AudioTurnStart():
            return AudioTurnStarted(turn=read.turn)
        case incoming.AudioTurnCommit():
            return AudioTurnCommitted(turn=read.turn)
        case incoming.AudioTurnCancel():
            return AudioTurnCancelled(turn=read.turn)
        case _:
            assert_never(read)


def decode_send(body: bytes) -> Send | Problem:
    """Read the body of `POST /chat/stream`; members that it does not know are ignored."""
    read = jsonwire.read(body, _send_bodies)
    if isinstance(read, Problem):
        return read
    command = _command(read, _given(read.request_id))
    if isinstance(command, Problem):
        return command
    return Send(session_id=_given(read.session_id), command=command)


def decode_cancel(body: bytes) -> Cancel | Problem:
    """Read the body of `POST /chat/cancel`."""
    read = jsonwire.read(body, _cancel_bodies)
    if isinstance(read, Problem):
        return read
    return Cancel(session_id=read.session_id, command=CancelRequested(response_id=_given(read.response_id)))


def decode_end(body: bytes) -> End | Problem:
    """Read the body of `POST /chat/end`."""
    read = jsonwire.read(body, _end_bodies)
    return read if isinstance(read, Problem) else End(session_id=read.session_id, command=EndRequested())


def decode_tool_call(body: bytes) -> ToolCall | Problem:
    """Read the body of `POST /chat/tool-call`: with a `decision` it is one, else it is what a tool gave; never both."""
    kind = jsonwire.read(body, _kinds)
    if isinstance(kind, Problem):
        return kind
    if kind.decision is not UNSET and not (kind.output is UNSET and kind.error is UNSET):
        given = "error" if kind.output is UNSET else "output"
        message = f"a decision and an `{given}` are two messages: decide first, and send the `{given}` by itself"
        return Problem(code=Code.BAD_MESSAGE, message=message, path=f"$.{given}")
    read = jsonwire.read(body, _output_bodies) if kind.decision is UNSET else jsonwire.read(body, _decision_bodies)
    if isinstance(read, Problem):
        return read
    command = (
        tool_output(read.tool_call_id, output=read.output, error=read.error)
        if isinstance(read, incoming.ToolOutputBody)
        else decision(read, _NAMES)
    )
    return command if isinstance(command, Problem) else ToolCall(session_id=read.session_id, command=command)


def _join(read: incoming.SessionStart) -> Join | Problem:
    modalities = _given(read.modalities)
    if modalities is not None and len(set(modalities)) != len(modalities):
        return Problem(code=Code.BAD_MESSAGE, message="a modality is named twice", path="$.modalities")
    return Join(
        session_id=_given(read.session_id), after=read.cursor, language=_given(read.language), modalities=modalities
    )


def _command(message: incoming.Message, request_id: str | None) -> UserTurn | Refer | Photo | Problem:
    shown = _given(message.observation)
    problem = _missing(message, shows=shown is not None)
    if problem is not None:
        return problem
    turn = UserTurn(
        text=message.text,
        request_id=request_id,
        language=_given(message.language),
        context=tuple(ContextItem(description=item.description, value=item.value) for item in message.context),
        interaction_id=_given(message.interaction_id),
        resume=tuple(
            Answer(interrupt_id=one.interrupt_id, status=one.status, payload=one.payload) for one in message.resume
        ),
        tools=tuple(
            ClientTool(name=one.name, description=one.description, parameters=_given(one.parameters))
            for one in message.tools
        ),
    )
    if shown is not None:
        return check.command(turn, shown)
    return Refer(turn=turn, upload_ids=message.attachments) if message.attachments else turn


def _missing(message: incoming.Message, *, shows: bool) -> Problem | None:
    """What a message lacks, or has too much of."""
    if not (message.text or message.attachments or message.resume or shows):
        return Problem(code=Code.BAD_MESSAGE, message="`text` is empty and there is nothing else", path="$.text")
    if shows and message.attachments:
        what = "an observation has its photo in itself; leave `attachments` out"
        return Problem(code=Code.BAD_MESSAGE, message=what, path="$.attachments")
    if message.interaction_id is not UNSET and not shows:
        what = "`interactionId` goes with an `observation`"
        return Problem(code=Code.BAD_MESSAGE, message=what, path="$.interactionId")
    for name, value in (("tools", message.tools), ("resume", message.resume)):
        if len(_encode(value)) > limits.CLIENT_DATA_BYTES:
            what = f"`{name}` is larger than {limits.CLIENT_DATA_BYTES} bytes as JSON"
            return Problem(code=Code.TOO_LARGE, message=what, path=f"$.{name}", limit=limits.CLIENT_DATA_BYTES)
    return None


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
