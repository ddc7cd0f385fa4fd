"""The writes that are asked for one at a time: snapshots, trims, removals, imports, uploads."""

from collections.abc import Generator, Mapping, Set
from contextlib import contextmanager
from typing import TypeAlias

import apsw
import msgspec

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.lines import Row, beginning_after, chunks, span
from duologue.adapters.store_sqlite.mover import INSERT_ROW, INSERT_SESSION, mark_text
from duologue.adapters.store_sqlite.schema import LAST_SEQ
from duologue.adapters.store_sqlite.scrub import zero_gaps
from duologue.adapters.store_sqlite.spool import Spool
from duologue.model.errors import StoreConflict, StoreError
from duologue.ports.store import Blob, SessionInfo
from duologue.sqlite.statements import number, run, run_many, transaction

_VOID = "void:"
"""Begins the name of a chore: the spool may hold records of the session of that number, which is removed."""
_SET_SNAPSHOT = "INSERT OR REPLACE INTO snapshots(no, seq, state) VALUES (?, ?, ?)"
# A late one must not replace a newer: after a trim there would be nothing to fold between the two.
_ADD_SNAPSHOT = (
    "INSERT INTO snapshots(no, seq, state) VALUES (?, ?, ?) "
    "ON CONFLICT(no) DO UPDATE SET seq = excluded.seq, state = excluded.state WHERE excluded.seq >= seq"
)


Found: TypeAlias = tuple[int, int]
"""A session's number and last event."""


def removed_nos(connection: apsw.Connection) -> set[int]:
    """Numbers of removed sessions of which the spool may still hold records."""
    rows = run(connection, "SELECT substr(name, 6) FROM chores WHERE name GLOB 'void:*'")
    return {int(no) for (no,) in rows if isinstance(no, str)}


class Edits:
    """Owned by the writer thread; each method is one transaction. What is in the spool is moved before one is asked.

    Args:
        fd: the database file, for as long as the connection is open: closing a descriptor of it earlier
            would end SQLite's own locks on it.
    Attributes:
        unscrubbed: removed bytes may still be in the files.
    """

    def __init__(self, connection: apsw.Connection, spool: Spool, *, fd: int) -> None:
        self._connection = connection
        self._spool = spool
        self._fd = fd
        self._page_bytes = number(connection, "PRAGMA page_size") or 4_096
        # A crash may have come between a removal and its scrub.
        self.unscrubbed = bool(number(connection, "SELECT count(*) FROM chores"))

    def find(self, session_id: str) -> Found | None:
        """Tell a session's number and last event; `None` where there is no such session."""
        rows = run(self._connection, f"SELECT no, {LAST_SEQ} FROM sessions WHERE id = ?", (session_id,))
        if not rows:
            return None
        no, last = rows[0]
        assert isinstance(no, int) and isinstance(last, int)
        return no, last

    def save_snapshot(self, session_id: str, seq: int, state: bytes) -> None:
        """Keep a snapshot, unless a newer one is there."""
        no, _ = self._found(session_id, seq)
        run(self._connection, _ADD_SNAPSHOT, (no, seq, state))

    def trim(self, session_id: str, line: bytes, *, seq: int, state: bytes) -> None:
        """Put `line` in the place of everything up to `seq`."""
        no, _ = self._found(session_id, seq)
        base = no << 32
        with transaction(self._connection):
            rest = self._after(no, seq)
            run(self._connection, "DELETE FROM journal WHERE key BETWEEN ? AND ?", (base, base + seq))
            run(self._connection, INSERT_ROW, (base + seq, 1, line))
            for first, last, lines in rest:
                run(self._connection, INSERT_ROW, (base + first, last - first + 1, lines))
            run(
                self._connection,
                "UPDATE sessions SET first_seq = ?, epoch = epoch + 1 WHERE no = ?",
                (seq, no),
            )
            run(self._connection, _SET_SNAPSHOT, (no, seq, state))

    def delete_session(self, session_id: str, spooled: int | None) -> bool:
        """Remove a session and its uploads; `scrub` is to follow.

        Args:
            spooled: its number, where it may be known to the spool alone.
        """
        place = self.find(session_id)
        nos = {no for no in (place and place[0], spooled) if no is not None}
        with self._removal(nos):
            for no in nos:
                self._remove(no)
            run(self._connection, "DELETE FROM blobs WHERE session_id = ?", (session_id,))
        return bool(nos)

    def sessions_of(self, subject: str) -> Mapping[str, int]:
        """Tell a person's sessions, as far as they are in the database, with their numbers."""
        found = run(self._connection, "SELECT id, no FROM sessions WHERE subject = ? ORDER BY no", (subject,))
        return {name: no for name, no in found if isinstance(name, str) and isinstance(no, int)}

    def delete_subject(self, subject: str, sessions: Mapping[str, int]) -> None:
        """Remove a person's sessions, given with their numbers, and all their uploads; `scrub` is to follow."""
        with self._removal(set(sessions.values())):
            for session_id, no in sessions.items():
                self._remove(no)
                run(self._connection, "DELETE FROM blobs WHERE session_id = ?", (session_id,))
            run(self._connection, "DELETE FROM blobs WHERE subject = ?", (subject,))

    def import_session(self, info: SessionInfo, no: int, lines: bytes, state: bytes) -> None:
        """Store a whole session under a new number."""
        if self.find(info.session_id) is not None:
            raise StoreConflict("A session of this id exists. Delete it first, or import under another id.")
        pieces = _whole(info, lines)
        mark = info.mark
        row = (no, info.session_id, mark.subject, int(mark.open_turn), mark_text(mark))
        times = (info.created_ms, info.updated_ms, info.first_seq, info.epoch)
        base = no << 32
        with transaction(self._connection):
            run(self._connection, INSERT_SESSION, row + times)
            run_many(
                self._connection,
                INSERT_ROW,
                [(base + first, last - first + 1, piece) for first, last, piece in pieces],
            )
            run(self._connection, _SET_SNAPSHOT, (no, info.last_seq, state))

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
        # A power cut must not leave records in the spool whose removal the database no longer knows of.
        self._spool.sync()
        run(self._connection, "DELETE FROM chores")
        self.unscrubbed = False

    @contextmanager
    def _removal(self, nos: Set[int]) -> Generator[None]:
        """Remove in one transaction, and note in it what is left to do, so that a crash does not forget it."""
        before = self._connection.total_changes()
        with transaction(self._connection):
            yield
            removed = self._connection.total_changes() > before or bool(nos)
            if removed:
                chores = [("scrub",), *((f"{_VOID}{no}",) for no in nos)]
                run_many(self._connection, "INSERT OR IGNORE INTO chores(name) VALUES (?)", chores)
        self._spool.void(nos)
        self.unscrubbed = self.unscrubbed or removed

    def _remove(self, no: int) -> None:
        base = no << 32
        run(
            self._connection,
            "DELETE FROM journal WHERE key BETWEEN ? AND ?",
            (base, base + bounds.SEQ_MAX),
        )
        run(self._connection, "DELETE FROM snapshots WHERE no = ?", (no,))
        run(self._connection, "DELETE FROM sessions WHERE no = ?", (no,))

    def _found(self, session_id: str, seq: int) -> Found:
        place = self.find(session_id)
        if place is None:
            raise StoreConflict("There is no such session any more.")
        if not 1 <= seq <= place[1]:
            raise StoreConflict(f"The session ends with event {place[1]}, not yet {seq}. Reload the session.")
        return place

    def _after(self, no: int, seq: int) -> list[Row]:
        """What remains of the row in which `seq` lies."""
        base = no << 32
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


def _whole(info: SessionInfo, lines: bytes) -> list[Row]:
    """Cut an imported journal into rows, if it is one without a gap."""
    try:
        pieces = chunks(lines, bounds.ROW_BYTES)
    except (msgspec.MsgspecError, IndexError) as error:
        raise StoreError("The journal to import holds a line that is no record.") from error
    follow = [first for first, _, _ in pieces] + [info.last_seq + 1]
    if follow != [info.first_seq] + [last + 1 for _, last, _ in pieces]:
        raise StoreError("The journal to import does not hold the events that its head names.")
    return pieces
