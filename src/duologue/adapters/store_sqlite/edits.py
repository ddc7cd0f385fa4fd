"""The writes that are asked for one at a time: snapshots, trims, removals, imports, uploads."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import apsw
import msgspec

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.group import INSERT_SESSION, mark_text
from duologue.adapters.store_sqlite.heads import Head, Heads
from duologue.adapters.store_sqlite.lines import beginning_after, chunks, span
from duologue.adapters.store_sqlite.recent import Recent
from duologue.adapters.store_sqlite.schema import number, run, run_many, transaction
from duologue.adapters.store_sqlite.scrub import zero_gaps
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Blob, SessionInfo

_INSERT_ROW = "INSERT INTO journal(key, events, lines) VALUES (?, ?, ?)"
_SET_SNAPSHOT = "INSERT OR REPLACE INTO snapshots(no, seq, state) VALUES (?, ?, ?)"
# A late one must not replace a newer: after a trim there would be nothing to fold between the two.
_ADD_SNAPSHOT = (
    "INSERT INTO snapshots(no, seq, state) VALUES (?, ?, ?) "
    "ON CONFLICT(no) DO UPDATE SET seq = excluded.seq, state = excluded.state WHERE excluded.seq >= seq"
)


class Edits:
    """Owned by the writer thread; each method is one transaction.

    Args:
        fd: the database file, for as long as the connection is open: closing a descriptor of it earlier
            would end SQLite's own locks on it.
    Attributes:
        unscrubbed: removed bytes may still be in the files.
    """

    def __init__(self, connection: apsw.Connection, heads: Heads, recent: Recent, *, fd: int) -> None:
        self._connection = connection
        self._heads = heads
        self._recent = recent
        self._fd = fd
        self._page_bytes = number(connection, "PRAGMA page_size") or 4_096
        # A crash may have come between a removal and its scrub.
        self.unscrubbed = bool(number(connection, "SELECT count(*) FROM chores"))

    def save_snapshot(self, session_id: str, seq: int, state: bytes) -> None:
        """Keep a snapshot, unless a newer one is there."""
        head = self._head(session_id, seq)
        run(self._connection, _ADD_SNAPSHOT, (head.no, seq, state))

    def trim(self, session_id: str, line: bytes, *, seq: int, state: bytes) -> None:
        """Put `line` in the place of everything up to `seq`."""
        head = self._head(session_id, seq)
        base = head.no << 32
        with transaction(self._connection):
            self._recent.move_session(head.no)
            rest = self._after(head, seq)
            run(self._connection, "DELETE FROM journal WHERE key BETWEEN ? AND ?", (base, base + seq))
            run(self._connection, _INSERT_ROW, (base + seq, 1, line))
            for first, last, lines in rest:
                run(self._connection, _INSERT_ROW, (base + first, last - first + 1, lines))
            run(
                self._connection,
                "UPDATE sessions SET first_seq = ?, epoch = epoch + 1 WHERE no = ?",
                (seq, head.no),
            )
            run(self._connection, _SET_SNAPSHOT, (head.no, seq, state))

    def delete_session(self, session_id: str) -> bool:
        """Remove a session and its uploads."""
        head = self._heads.find(session_id)
        with self._removal():
            if head is not None:
                self._remove(head.no)
            run(self._connection, "DELETE FROM blobs WHERE session_id = ?", (session_id,))
        self._heads.forget(session_id)
        self.scrub()
        return head is not None

    def delete_subject(self, subject: str) -> Sequence[str]:
        """Remove a person's sessions and uploads; the ids of the sessions."""
        found = run(self._connection, "SELECT no, id FROM sessions WHERE subject = ? ORDER BY no", (subject,))
        sessions = [(no, name) for no, name in found if isinstance(no, int) and isinstance(name, str)]
        with self._removal():
            for no, session_id in sessions:
                self._remove(no)
                run(self._connection, "DELETE FROM blobs WHERE session_id = ?", (session_id,))
            run(self._connection, "DELETE FROM blobs WHERE subject = ?", (subject,))
        for _, session_id in sessions:
            self._heads.forget(session_id)
        self.scrub()
        return tuple(session_id for _, session_id in sessions)

    def import_session(self, info: SessionInfo, lines: bytes, state: bytes) -> None:
        """Store a whole session."""
        if self._heads.find(info.session_id) is not None:
            raise StoreConflict("A session of this id exists. Delete it first, or import under another id.")
        pieces = _whole(info, lines)
        head = self._heads.new(info.session_id)
        self._heads.forget(info.session_id)
        mark = info.mark
        row = (head.no, info.session_id, mark.subject, int(mark.open_turn), mark_text(mark))
        times = (info.created_ms, info.updated_ms, info.first_seq, info.epoch)
        base = head.no << 32
        with transaction(self._connection):
            run(self._connection, INSERT_SESSION, row + times)
            run_many(
                self._connection,
                _INSERT_ROW,
                [(base + first, last - first + 1, piece) for first, last, piece in pieces],
            )
            run(self._connection, _SET_SNAPSHOT, (head.no, info.last_seq, state))

    def put_blob(self, blob: Blob) -> None:
        """Keep an upload, unless it is there."""
        attachment = msgspec.json.encode(blob.attachment).decode()
        run(
            self._connection,
            "INSERT INTO blobs(id, subject, session_id, at_ms, attachment, data) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO NOTHING",
            (blob.attachment.upload_id, blob.subject, blob.session_id, blob.at_ms, attachment, blob.data),
        )

    def scrub(self) -> None:
        """Remove the last copies of removed bytes: from the WAL and from the gaps of pages.

        Takes some 0.3 s for each GB of the database, in which nothing is appended.

        Raises:
            StoreError: another program reads the database; the removal is done, ask again to finish it.
        """
        if not self.unscrubbed:
            return
        rows = run(self._connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        if rows[0][0]:
            raise StoreError(
                "It is removed, but its bytes stay in the data folder while another program has the database "
                "open. Close that program and delete again."
            )
        zero_gaps(self._fd, page_bytes=self._page_bytes)
        # Cached pages have their old gaps, and would bring them back.
        run(self._connection, "PRAGMA shrink_memory")
        run(self._connection, "DELETE FROM chores")
        self.unscrubbed = False

    @contextmanager
    def _removal(self) -> Generator[None]:
        """Remove in one transaction, and note in it that there is something to scrub, if there is."""
        before = self._connection.total_changes()
        with transaction(self._connection):
            yield
            removed = self._connection.total_changes() > before
            if removed:
                run(self._connection, "INSERT OR IGNORE INTO chores(name) VALUES ('scrub')")
        self.unscrubbed = self.unscrubbed or removed

    def _remove(self, no: int) -> None:
        base = no << 32
        self._recent.remove_session(no)
        run(
            self._connection,
            "DELETE FROM journal WHERE key BETWEEN ? AND ?",
            (base, base + bounds.SEQ_MAX),
        )
        run(self._connection, "DELETE FROM snapshots WHERE no = ?", (no,))
        run(self._connection, "DELETE FROM sessions WHERE no = ?", (no,))

    def _head(self, session_id: str, seq: int) -> Head:
        head = self._heads.find(session_id)
        if head is None:
            raise StoreConflict("There is no such session any more.")
        if not 1 <= seq <= head.last:
            raise StoreConflict(f"The session ends with event {head.last}, not yet {seq}. Reload the session.")
        return head

    def _after(self, head: Head, seq: int) -> list[tuple[int, int, bytes]]:
        """What remains of the row in which `seq` lies."""
        base = head.no << 32
        rows = run(
            self._connection,
            "SELECT key, events, lines FROM journal WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1",
            (base, base + seq),
        )
        if not rows:
            raise StoreConflict(f"Event {seq} is trimmed already.")
        key, events, lines = rows[0]
        assert isinstance(key, int) and isinstance(events, int) and isinstance(lines, bytes)
        last = key - base + events - 1
        if last == seq:
            return []
        rest = beginning_after(lines, seq)
        if not rest or span(rest.splitlines()[0])[0] != seq + 1:
            raise StoreError(f"Event {seq} is not the last of its record, so the journal cannot be cut there.")
        return [(seq + 1, last, rest)]


def _whole(info: SessionInfo, lines: bytes) -> list[tuple[int, int, bytes]]:
    """Cut an imported journal into rows, if it is one without a gap."""
    try:
        pieces = chunks(lines, bounds.ROW_BYTES)
    except (msgspec.MsgspecError, IndexError) as error:
        raise StoreError("The journal to import holds a line that is no record.") from error
    follow = [first for first, _, _ in pieces] + [info.last_seq + 1]
    if follow != [info.first_seq] + [last + 1 for _, last, _ in pieces]:
        raise StoreError("The journal to import does not hold the events that its head names.")
    return pieces
