"""How records come from the spool into the journal: many at once, a session's together, some tens of events to a row.

Rows of many sessions, each at the end of its own place, would write a page of 4 KiB per record if they came one by one.
"""

from collections.abc import Sequence

import apsw
import msgspec

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.heads import Head, Marked
from duologue.adapters.store_sqlite.lines import Row
from duologue.adapters.store_sqlite.spool import Spool
from duologue.ports.store import SessionMark
from duologue.sqlite.statements import run, run_many, transaction

INSERT_SESSION = (
    "INSERT INTO sessions(no, id, subject, open_turn, mark, created_ms, updated_ms, first_seq, epoch) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_ROW = "INSERT INTO journal(key, events, lines) VALUES (?, ?, ?)"
_UPDATE_SESSION = "UPDATE sessions SET subject = ?, open_turn = ?, mark = ?, updated_ms = ? WHERE no = ?"

_encode = msgspec.json.Encoder().encode


def mark_text(mark: SessionMark) -> str:
    """Encode a mark as JSON text."""
    return _encode(mark).decode()


class Mover:
    """Owned by the writer thread."""

    def __init__(self, connection: apsw.Connection, spool: Spool) -> None:
        self._connection, self._spool = connection, spool

    def move(self, heads: Sequence[Head]) -> None:
        """Bring all that is spooled of some sessions into the journal; harmless for what is there.

        Raises:
            apsw.Error: some may be moved, each session's as far as its head says.
        """
        for begin in range(0, len(heads), bounds.MOVE_SESSIONS):
            self._move(heads[begin : begin + bounds.MOVE_SESSIONS])

    def move_large(self, head: Head, row: Row, mark: Marked | None) -> None:
        """Bring what is spooled of a session into the journal, and behind it records that are in no spool.

        Raises:
            apsw.Error: nothing is moved.
        """
        with transaction(self._connection):
            self._list(head, mark)
            self._insert(head, [*self._rows(head), row])
        head.stored, head.listed, head.mark_stored = row[1], True, mark

    def _move(self, heads: Sequence[Head]) -> None:
        done: list[tuple[Head, int, Marked | None]] = []
        with transaction(self._connection):
            for head in heads:
                # Before the mark: a mark that is early is put right by the record it came with, which is still in
                # the spool; one that is late would be missed.
                rows = self._rows(head)
                mark = head.mark
                if rows:
                    self._list(head, mark)
                    self._insert(head, rows)
                    done.append((head, rows[-1][1], mark))
        for head, last, mark in done:
            head.stored, head.listed, head.mark_stored = last, True, mark

    def _rows(self, head: Head) -> list[Row]:
        return [] if head.removed else self._spool.joined(head.spooled[:], above=head.stored)

    def _insert(self, head: Head, rows: Sequence[Row]) -> None:
        base = head.no << 32
        keyed = [(base + first, last - first + 1, lines) for first, last, lines in rows]
        run_many(self._connection, INSERT_ROW, keyed)

    def _list(self, head: Head, marked: Marked | None) -> None:
        if marked is None or marked is head.mark_stored:
            return
        mark = marked.mark
        told = (mark.subject, int(mark.open_turn), mark_text(mark))
        if head.listed:
            run(self._connection, _UPDATE_SESSION, (*told, marked.at_ms, head.no))
        else:
            times = (head.created_ms, marked.at_ms)
            run(self._connection, INSERT_SESSION, (head.no, head.session_id, *told, *times, 1, 0))
