"""What is known by heart of a session: its number, its last event, and what of it is still to be moved."""

from collections.abc import Iterable, Sequence

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.spool import Place, index_of
from duologue.model.base import Value
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Append, SessionMark


class Marked(Value, frozen=True, kw_only=True):
    """A mark, and when it came, in ms since 1970."""

    mark: SessionMark
    at_ms: int


class Head:
    """One session.

    The event loop's thread owns the first group of attributes; the writer thread, which only reads those, the second.

    Attributes:
        no: its number.
        last: its last event.
        spooled: records that are in the spool and not known to be in the journal.
        begin: the first event of the first of them.
        mark: the latest mark, where one came since the head is known.
        created_ms: when it began, where it is not `listed`.
        synced: its last event that is on the disk, where that is waited for.

        stored: its last event in the journal.
        listed: it has a row in `sessions`.
        mark_stored: the mark that is there, if it came since the head is known.
        removed: the session is removed, and what is spooled of it is void.
    """

    __slots__ = (
        "begin",
        "created_ms",
        "last",
        "listed",
        "mark",
        "mark_stored",
        "no",
        "removed",
        "session_id",
        "spooled",
        "stored",
        "synced",
    )

    def __init__(self, session_id: str, no: int, last: int, *, created_ms: int | None = None) -> None:
        listed = created_ms is None
        self.session_id, self.no, self.last, self.created_ms = session_id, no, last, created_ms or 0
        self.spooled: list[Place] = []
        self.begin = last + 1
        self.mark: Marked | None = None
        self.synced = last
        self.stored, self.listed = last, listed
        self.mark_stored: Marked | None = None
        self.removed = False

    def misfit(self, append: Append) -> StoreError | None:
        """Why an append does not follow; `None` where it does."""
        if self.last + 1 == append.first_seq <= append.last_seq <= bounds.SEQ_MAX:
            return None
        return StoreConflict(
            f"The session ends with event {self.last}; event {append.first_seq} cannot follow. Reload the session."
        )

    def cut(self) -> None:
        """Forget the records that are in the journal."""
        spooled = self.spooled
        moved = index_of(spooled, self.stored + 1)
        if moved:
            self.begin = spooled[moved - 1][0] + 1
            del spooled[:moved]


class Heads:
    """The heads of busy sessions, bounded; owned by the event loop's thread.

    Attributes:
        known: by session id.
        dirty: those of which something is spooled, by number.
    """

    def __init__(self, found: Sequence[Head], *, next_no: int) -> None:
        self.known = {head.session_id: head for head in found}
        self.dirty = {head.no: head for head in found if head.spooled}
        self._next_no = next_no

    def number(self) -> int:
        """Give out a session number."""
        self._next_no += 1
        return self._next_no - 1

    def keep(self, head: Head) -> None:
        """Know a head, and forget the oldest clean ones beyond the bound."""
        self.known[head.session_id] = head
        while len(self.known) - len(self.dirty) > bounds.HEADS:
            oldest = next((other for other in self.known.values() if not other.spooled and other is not head), None)
            if oldest is None:
                return
            del self.known[oldest.session_id]

    def forget(self, session_ids: Iterable[str]) -> Sequence[Head]:
        """Take nothing more in of some sessions, which are to be removed; their heads, as far as they were known.

        `restore` or `drop` is to follow. Until then they are moved as before, so that nothing is lost if they stay.
        """
        return [head for name in session_ids if (head := self.known.pop(name, None)) is not None]

    def restore(self, heads: Iterable[Head]) -> None:
        """Know heads again: their sessions are still there."""
        for head in heads:
            self.known.setdefault(head.session_id, head)

    def drop(self, heads: Iterable[Head]) -> None:
        """Their sessions are removed."""
        for head in heads:
            self.dirty.pop(head.no, None)

    def spooled_of(self, subject: str) -> Sequence[str]:
        """A person's sessions that may not be in the database yet."""
        dirty = self.dirty.values()
        return [head.session_id for head in dirty if head.mark is not None and head.mark.mark.subject == subject]

    def cut(self, heads: Sequence[Head]) -> None:
        """Forget what of some heads is in the journal by now."""
        for head in heads:
            head.cut()
            if not head.spooled:
                self.dirty.pop(head.no, None)
