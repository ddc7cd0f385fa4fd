"""The port between transports and protocols: what a dialect is."""

from typing import Protocol

from duologue.model.commands import Decoded
from duologue.model.errors import Problem
from duologue.model.events import AnyEvent
from duologue.model.replies import Repeated


class Dialect(Protocol):
    """One protocol's meaning. All methods are pure; the same arguments give the same bytes for ever."""

    @property
    def name(self) -> str:
        """The protocol's name in settings, figures and docs."""
        ...

    def decode(self, frame: bytes) -> Decoded:
        """Read a client's frame; a bad one is a `Problem`, never an exception."""
        ...

    def project(self, event: AnyEvent) -> bytes | None:
        """Write an event as one frame of JSON without line ends; `None` where the protocol has no word for it."""
        ...

    def refuse(self, problem: Problem, *, request_id: str, now_ms: int) -> bytes:
        """Write a problem as the protocol's error frame, for the one client that caused it."""
        ...

    def opened(self, session_id: str, *, after: int, last_seq: int) -> bytes | None:
        """Write the answer to a join, where the protocol has one."""
        ...

    def repeated(self, reply: Repeated, *, request_id: str) -> bytes | None:
        """Write the answer to a repeated turn, where the protocol has one."""
        ...
