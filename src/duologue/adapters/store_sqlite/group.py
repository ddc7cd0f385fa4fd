"""A group: the appends of many sessions, checked, joined and stored in one transaction."""

from collections.abc import Sequence

import apsw
import msgspec

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.heads import Head, Heads
from duologue.adapters.store_sqlite.schema import run, run_many, transaction
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Append, SessionMark

INSERT_SESSION = (
    "INSERT INTO sessions(no, id, subject, open_turn, mark, created_ms, updated_ms, first_seq, epoch) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE_SESSION = "UPDATE sessions SET subject = ?, open_turn = ?, mark = ?, updated_ms = ? WHERE no = ?"
# OR ROLLBACK: the whole group goes when a row does not fit, so SQLite need not keep a journal per statement.
_INSERT_ROWS = tuple(
    "INSERT OR ROLLBACK INTO recent(key, events, lines) VALUES " + ",".join(["(?,?,?)"] * rows)
    for rows in range(1, bounds.ROWS_PER_INSERT + 1)
)
_WIDTH = 3

_encode = msgspec.json.Encoder().encode


def mark_text(mark: SessionMark) -> str:
    """Encode a mark as JSON text."""
    return _encode(mark).decode()


class Group:
    """Plans one transaction: `add` each append, then `store`. Owned by the writer thread.

    Args:
        number: unlike that of every other group, above 0.
    """

    def __init__(self, heads: Heads, number: int) -> None:
        self._heads = heads
        self._number = number
        self._values: list[int | bytes] = []
        self._bytes = 0
        self._fresh: list[tuple[int | str, ...]] = []
        self._marks: dict[int, tuple[SessionMark, int]] = {}

    def add(self, append: Append) -> StoreError | None:
        """Take an append in, or say why it cannot be; then nothing of it is stored."""
        first, last = append.first_seq, append.last_seq
        head = self._heads.known.get(append.session_id) or self._heads.find(append.session_id)
        if head is None:
            if append.mark is None or first != 1:
                return StoreConflict("There is no such session any more. Open a new one.")
            head = self._begin(append, append.mark)
        elif append.mark is not None and head.last + 1 == first:
            self._marks[head.no] = (append.mark, append.at_ms)
        if not head.last + 1 == first <= last <= bounds.SEQ_MAX:
            return StoreConflict(
                f"The session ends with event {head.last}; event {first} cannot follow. Reload the session."
            )
        head.last = last
        self._bytes += len(append.lines)
        self._put(head, append)
        return None

    def store(self, connection: apsw.Connection) -> int:
        """Write it, all or nothing.

        Returns:
            How many bytes of records were written.
        Raises:
            apsw.Error: nothing was stored; the heads of its sessions must be forgotten.
        """
        rows = len(self._values) // _WIDTH
        if not rows:
            return 0
        if rows <= bounds.ROWS_PER_INSERT and not self._fresh and not self._marks:
            # One statement is a transaction by itself: one call, one wait for the GIL.
            run(connection, _INSERT_ROWS[rows - 1], self._values)
            return self._bytes
        with transaction(connection):
            self._write(connection)
        return self._bytes

    def _write(self, connection: apsw.Connection) -> None:
        if self._fresh:
            run_many(connection, INSERT_SESSION, self._fresh)
        if self._marks:
            run_many(connection, _UPDATE_SESSION, self._changes())
        step = bounds.ROWS_PER_INSERT * _WIDTH
        for begin in range(0, len(self._values), step):
            part = self._values[begin : begin + step]
            run(connection, _INSERT_ROWS[len(part) // _WIDTH - 1], part)

    def _begin(self, append: Append, mark: SessionMark) -> Head:
        head = self._heads.new(append.session_id)
        at = append.at_ms
        row = (head.no, append.session_id, mark.subject, int(mark.open_turn), mark_text(mark), at, at, 1, 0)
        self._fresh.append(row)
        return head

    def _changes(self) -> Sequence[tuple[int | str, ...]]:
        return [
            (mark.subject, int(mark.open_turn), mark_text(mark), at_ms, no) for no, (mark, at_ms) in self._marks.items()
        ]

    def _put(self, head: Head, append: Append) -> None:
        values, slot = self._values, head.slot
        events = append.last_seq - append.first_seq + 1
        if head.group == self._number:
            held, lines = values[slot + 1], values[slot + 2]
            assert isinstance(held, int) and isinstance(lines, bytes)
            if len(lines) < bounds.ROW_BYTES:
                values[slot + 1] = held + events
                values[slot + 2] = lines + append.lines
                return
        head.group = self._number
        head.slot = len(values)
        values += ((head.no << 32) | append.first_seq, events, append.lines)
