"""The AgentCall dialect: AG-UI events to a mobile voice client, over a WebSocket that can be resumed."""

from typing import Final

import msgspec

from duologue.model.commands import Decoded
from duologue.model.errors import Problem
from duologue.model.replies import Repeated
from duologue.protocols.agentcall import errors, frames
from duologue.protocols.agentcall.decode import decode
from duologue.protocols.agentcall.project import project

__all__ = ["AgentCallDialect"]

_encode: Final = msgspec.json.Encoder().encode


class AgentCallDialect:
    """The AgentCall dialect; see `duologue.ports.dialect.Dialect`."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "agentcall"

    def decode(self, frame: bytes) -> Decoded:
        """Read one of the nine client messages."""
        return decode(frame)

    project = staticmethod(project)
    """Write an event as an `agui.event` frame."""

    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:
        """Write a problem as an `error` frame; this protocol has neither request ids nor times on errors."""
        del request_id, now_ms
        return _encode(errors.refused(problem))

    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes:
        """Write `session.opened`, which takes no sequence."""
        return _encode(
            frames.SessionOpened(session_id=session_id, resumed_from=after, last_sequence=last_seq, resume=True)
        )

    def repeated(self, reply: Repeated, *, request_id: str) -> bytes:
        """Write `turn.repeated`, which takes no sequence."""
        del request_id
        return _encode(frames.TurnRepeated(turn=reply.turn, accepted_sequence=reply.seq))
