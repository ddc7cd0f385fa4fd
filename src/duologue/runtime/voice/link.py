"""What a transport is to a call: the way to the person's ears."""

from typing import Protocol

from duologue.model.base import Value


class IceServer(Value, kw_only=True):
    """A server that helps peers find a way to each other: STUN or TURN. Source: W3C WebRTC, 4.2.2."""

    urls: tuple[str, ...]
    username: str = ""
    credential: str = ""


class Link(Protocol):
    """One side of a connection that carries sound. All methods return at once and do not raise.

    The transport hands what it hears to `Call.hear`, and sends what `Call.playout` says is due. What is said here
    overtakes sound that waits to be sent.
    """

    @property
    def lead_ms(self) -> int:
        """How far ahead of the person's ear sound is sent."""
        ...

    @property
    def tells(self) -> bool:
        """Whether the client tells how much it has played; else it is taken from the clock."""
        ...

    def wake(self) -> None:
        """Look at the playout again: something may be due, or not due any more."""
        ...

    def begun(self, response_id: str) -> None:
        """The sound that follows is of this answer."""
        ...

    def cleared(self, response_id: str) -> None:
        """Drop all sound of this answer that was sent and is not heard yet."""
        ...

    def paused(self, response_id: str) -> None:
        """Stand still: somebody may be interrupting."""
        ...

    def resumed(self, response_id: str) -> None:
        """Go on where it stood."""
        ...

    def hung_up(self, reason: str, message: str) -> None:
        """The call is over; close the connection."""
        ...
