"""Through which protocol a turn came: stored when it is accepted, needed when it has ended."""

UNKNOWN = "other"
"""The protocol of a turn that came through none, or that an earlier server accepted."""


class Arrivals:
    """Remembers the protocol of each turn that is being answered. At most one turn a session runs."""

    def __init__(self) -> None:
        self._running: dict[str, tuple[int, str]] = {}

    def accepted(self, session_id: str, turn: int, protocol: str) -> None:
        """Note that a turn was stored."""
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
