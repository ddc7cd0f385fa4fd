"""The ghost dialect: the events of an on-device assistant (Ghost AG-UI 1.0)."""

from typing import Final

import msgspec

from duologue.model.commands import Decoded
from duologue.model.errors import Problem
from duologue.model.replies import Repeated
from duologue.protocols.ghost import errors, wire
from duologue.protocols.ghost.decode import decode
from duologue.protocols.ghost.project import project

__all__ = ["GhostDialect"]

_encode: Final = msgspec.json.Encoder().encode


class GhostDialect:
    """The ghost dialect; see `duologue.ports.dialect.Dialect`."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "ghost"

    def decode(self, frame: bytes) -> Decoded:
        """Read a frame of `WS /ghost`, or the body of a posted trigger."""
        return decode(frame)

    project = staticmethod(project)
    """Write an event as a ghost frame."""

    # The clock is not needed: the contract's errors carry no time.
    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:  # noqa: ARG002
        """Write a problem as `ghost.error`."""
        return _encode(errors.refused(problem, request_id=request_id))

    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes:
        """Write `session.opened`."""
        return _encode(wire.SessionOpenedFrame(session_id=session_id, after=after, last_sequence=last_seq))

    def repeated(self, reply: Repeated, *, request_id: str) -> bytes:
        """Write `turn.repeated`."""
        return _encode(wire.TurnRepeatedFrame(turn_id=request_id, sequence=reply.seq))
