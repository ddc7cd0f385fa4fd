"""The port between deliveries and protocols: what a receiver is told of an event, and how it knows who says it."""

from collections.abc import Mapping
from typing import Protocol

from duologue.model.events import AnyEvent


class Notices(Protocol):
    """One protocol's notices. All methods are pure; the same arguments give the same for ever."""

    def kind(self, event: AnyEvent) -> str | None:
        """What kind of notice an event gives; `None` where it gives none. Cheap: it is asked of every event."""
        ...

    def body(self, event: AnyEvent) -> bytes:
        """Write the notice of an event that gives one, as JSON."""
        ...

    def proof(self, body: bytes, *, secret: str, now_ms: int) -> Mapping[str, str]:
        """Make the headers that prove that a body was sent by one who knows the secret, at a time in ms since 1970."""
        ...
