"""The chat dialect: the events of a headless web chat SDK (TransportEvent)."""

from collections.abc import Sequence
from typing import Final

import msgspec

from duologue.model.commands import Decoded
from duologue.model.errors import Problem
from duologue.model.events import AnyEvent
from duologue.model.replies import Repeated
from duologue.protocols.chat import errors, wire
from duologue.protocols.chat.decode import (
    Cancel,
    End,
    Send,
    ToolCall,
    decode,
    decode_cancel,
    decode_end,
    decode_send,
    decode_tool_call,
)
from duologue.protocols.chat.errors import http_status
from duologue.protocols.chat.project import project
from duologue.protocols.chat.summary import summarise

__all__ = [
    "Cancel",
    "ChatDialect",
    "End",
    "Send",
    "ToolCall",
    "decode_cancel",
    "decode_end",
    "decode_send",
    "decode_tool_call",
    "http_status",
]

_encode: Final = msgspec.json.Encoder().encode


class ChatDialect:
    """The chat dialect; see `duologue.ports.dialect.Dialect`.

    Args:
        public_url: this server's address as clients reach it: citations of its own pages begin with it.
    """

    def __init__(self, public_url: str = "http://127.0.0.1:8420") -> None:
        self._base = public_url.rstrip("/")

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "chat"

    def decode(self, frame: bytes) -> Decoded:
        """Read a frame of `WS /chat/ws`."""
        return decode(frame)

    def project(self, event: AnyEvent) -> bytes | None:
        """Write an event as a TransportEvent."""
        return project(event, self._base)

    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:
        """Write a problem as an `error` without a sequence."""
        return _encode(errors.refused(problem, request_id=request_id, now_ms=now_ms))

    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes:
        """Write `session.opened`."""
        return _encode(wire.SessionOpenedFrame(session_id=session_id, cursor=after, last_sequence=last_seq))

    def repeated(self, reply: Repeated, *, request_id: str) -> bytes:
        """Write `message.repeated`."""
        return _encode(wire.MessageRepeatedFrame(request_id=request_id, turn=reply.turn, accepted_sequence=reply.seq))

    def summary(self, session_id: str, events: Sequence[AnyEvent]) -> bytes:
        """Write one turn's events as the plain JSON answer; see `summarise`."""
        return summarise(session_id, events, self._base)
