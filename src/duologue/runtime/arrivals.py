"""Through which protocol a turn came: known when it is submitted, needed when it has ended."""

from collections.abc import Generator
from contextlib import contextmanager

UNKNOWN = "other"
"""The protocol of a turn that came through none, or whose server died since."""


class Arrivals:
    """Remembers the protocol of each turn that is being submitted or answered. At most one turn a session runs."""

    def __init__(self) -> None:
        self._submitted: dict[tuple[str, str | None], str] = {}
        self._running: dict[str, tuple[int, str]] = {}

    @contextmanager
    def submitting(self, session_id: str, request_id: str | None, protocol: str) -> Generator[None]:
        """Remember a turn while its input is on the way to the store."""
        key = (session_id, request_id)
        self._submitted[key] = protocol
        try:
            yield
        finally:
            self._submitted.pop(key, None)

    def accepted(self, session_id: str, turn: int, request_id: str) -> None:
        """Note that a turn was stored; its client may have named it or not."""
        protocol = self._submitted.get((session_id, request_id)) or self._submitted.get((session_id, None))
        self._running[session_id] = (turn, protocol or UNKNOWN)

    def ended(self, session_id: str, turn: int) -> str:
        """Forget a turn; returns its protocol."""
        running = self._running.get(session_id)
        if running is None or running[0] != turn:
            return UNKNOWN
        del self._running[session_id]
        return running[1]

    def forget(self, session_id: str) -> None:
        """Forget what is known of a session."""
        self._running.pop(session_id, None)
