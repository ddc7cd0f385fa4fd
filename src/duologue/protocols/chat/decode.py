"""Reading what chat clients send: frames of the socket and bodies of HTTP requests."""

from typing import Final, TypeVar, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import jsonwire
from duologue.model.base import Value
from duologue.model.commands import Decoded, Join, Refer
from duologue.model.content import ContextItem
from duologue.model.errors import Code, Problem
from duologue.model.inputs import (
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    UserTurn,
)
from duologue.protocols.chat import wire

T = TypeVar("T")

_frames: msgspec.json.Decoder[wire.ClientFrame] = msgspec.json.Decoder(wire.ClientFrame)
_BY_TYPE: Final[dict[str, msgspec.json.Decoder[wire.ClientFrame]]] = {
    "session.start": _frames,
    "message.send": _frames,
    "response.cancel": _frames,
    "session.end": _frames,
    "audio.turn.start": _frames,
    "audio.turn.commit": _frames,
    "audio.turn.cancel": _frames,
}
_send_bodies = msgspec.json.Decoder(wire.SendBody)
_cancel_bodies = msgspec.json.Decoder(wire.CancelBody)
_end_bodies = msgspec.json.Decoder(wire.EndBody)


class Send(Value, frozen=True, kw_only=True):
    """A message that came over HTTP.

    Attributes:
        session_id: `None` asks for a new session.
        command: the turn; its request id is `None` where the body had none.
    """

    session_id: str | None
    command: UserTurn | Refer

    @property
    def turn(self) -> UserTurn:
        """The turn itself, wherever it is."""
        return self.command.turn if isinstance(self.command, Refer) else self.command

    def named(self, *, request_id: str, idempotency_key: str | None) -> "Send":
        """Name the turn: what its events will carry, and by what a repeat is recognised."""
        turn = msgspec.structs.replace(self.turn, request_id=request_id, idempotency_key=idempotency_key)
        if isinstance(self.command, Refer):
            return msgspec.structs.replace(self, command=msgspec.structs.replace(self.command, turn=turn))
        return msgspec.structs.replace(self, command=turn)


class Cancel(Value, frozen=True, kw_only=True):
    """A cancel that came over HTTP."""

    session_id: str
    command: CancelRequested


class End(Value, frozen=True, kw_only=True):
    """An end that came over HTTP."""

    session_id: str
    command: EndRequested


def decode(frame: bytes) -> Decoded:
    """Read a frame of the socket."""
    read = jsonwire.read_tagged(frame, _BY_TYPE)
    match read:
        case Problem():
            return read
        case wire.SessionStart():
            return Join(session_id=_given(read.session_id), after=read.cursor, language=_given(read.language))
        case wire.MessageSend():
            return _command(read, read.request_id)
        case wire.ResponseCancel():
            return CancelRequested(response_id=_given(read.response_id))
        case wire.SessionEnd():
            return EndRequested()
        case wire.AudioTurnStart():
            return AudioTurnStarted(turn=read.turn)
        case wire.AudioTurnCommit():
            return AudioTurnCommitted(turn=read.turn)
        case wire.AudioTurnCancel():
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


def _command(message: wire.Message, request_id: str | None) -> UserTurn | Refer | Problem:
    if not message.text and not message.attachments:
        return Problem(code=Code.BAD_MESSAGE, message="`text` is empty and there are no attachments", path="$.text")
    turn = UserTurn(
        text=message.text,
        request_id=request_id,
        language=_given(message.language),
        context=tuple(ContextItem(description=item.description, value=item.value) for item in message.context),
    )
    return Refer(turn=turn, upload_ids=message.attachments) if message.attachments else turn


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value
