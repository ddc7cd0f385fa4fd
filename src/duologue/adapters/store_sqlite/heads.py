"""What the writer knows of each session by heart: its number and its last event."""

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.recent import LAST_SEQ
from duologue.adapters.store_sqlite.schema import number, run


class Head:
    """One session: its number, last event, and its row in the group that is being gathered."""

    __slots__ = ("group", "last", "no", "slot")

    def __init__(self, no: int, last: int) -> None:
        self.no = no
        self.last = last
        self.group = 0
        self.slot = 0


class Heads:
    """The heads of busy sessions, bounded; owned by the writer thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.known: dict[str, Head] = {}
        self._connection = connection
        self._next_no = (number(connection, "SELECT max(no) FROM sessions") or 0) + 1

    def find(self, session_id: str) -> Head | None:
        """Tell a session's head as stored; `None` where there is no such session."""
        head = self.known.get(session_id)
        if head is not None:
            return head
        rows = run(self._connection, f"SELECT no, {LAST_SEQ} FROM sessions WHERE id = ?", (session_id,))
        if not rows:
            return None
        no, last = rows[0]
        assert isinstance(no, int) and isinstance(last, int)
        return self._keep(session_id, Head(no, last))

    def new(self, session_id: str) -> Head:
        """Give a new session its number."""
        head = Head(self._next_no, 0)
        self._next_no += 1
        return self._keep(session_id, head)

    def forget(self, session_id: str) -> None:
        """Read it anew next time: what is known may not be what is stored."""
        self.known.pop(session_id, None)

    def shrink(self) -> None:
        """Forget the oldest beyond the bound; not within a group, whose heads are ahead of what is stored."""
        while len(self.known) > bounds.HEADS:
            del self.known[next(iter(self.known))]

    def _keep(self, session_id: str, head: Head) -> Head:
        self.known[session_id] = head
        return head
