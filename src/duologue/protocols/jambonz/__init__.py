"""The jambonz dialect: what became of each turn, as jambonz's agent events."""

from typing import Final

import msgspec

from duologue.model.commands import Decoded
from duologue.model.errors import Problem
from duologue.model.replies import Repeated
from duologue.protocols.jambonz import errors
from duologue.protocols.jambonz.decode import decode
from duologue.protocols.jambonz.notices import AgentEventNotices
from duologue.protocols.jambonz.project import frame

__all__ = ["AgentEventNotices", "JambonzDialect"]

_encode: Final = msgspec.json.Encoder().encode


class JambonzDialect:
    """The jambonz dialect; see `duologue.ports.dialect.Dialect`."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return "jambonz"

    def decode(self, frame: bytes) -> Decoded:
        """Read what somebody who watches a session sends."""
        return decode(frame)

    project = staticmethod(frame)
    """Write an event as an `agent:event` message."""

    # The clock is not needed, and what is refused has no id: a watcher sends nothing that has one.
    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:  # noqa: ARG002
        """Write a problem as `jambonz:error`."""
        return _encode(errors.refused(problem))

    def opened(self, session_id: str, *, after: int, last_seq: int) -> None:
        """Write nothing: who watches has named the session in the address."""

    def repeated(self, reply: Repeated, *, request_id: str) -> None:
        """Write nothing: who watches sends no turns."""
