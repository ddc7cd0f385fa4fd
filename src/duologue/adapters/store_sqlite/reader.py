"""The reader thread: its own connection, which sees every commit and never writes."""

import threading
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple, TypeVar

import apsw
import msgspec

from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.jobs import Job, Work, signal
from duologue.adapters.store_sqlite.lines import beginning_after, window
from duologue.adapters.store_sqlite.schema import LAST_SEQ, open_reader
from duologue.model.content import Attachment
from duologue.ports.store import Blob, Loaded, Place, SessionInfo, Standing
from duologue.sqlite.statements import Bindings, Cell, run

T = TypeVar("T")

# Every query gives one row, made by SQLite: each row is a return to Python, which under load waits up to the
# interpreter's switch interval (5 ms) for the GIL.
_INFO = """json_object('session_id', sessions.id, 'mark', json(mark), 'first_seq', first_seq, 'epoch', epoch,
    'last_seq', {last}, 'created_ms', created_ms, 'updated_ms', updated_ms)"""

_READ_INFO = f"SELECT {_INFO.format(last=LAST_SEQ)} FROM sessions WHERE id = ?"

_LIST = f"""SELECT json_group_array(json(info)) FROM (
    SELECT {_INFO.format(last=LAST_SEQ)} AS info FROM sessions
    WHERE {{where}} ORDER BY updated_ms DESC, id DESC LIMIT :limit)"""

# The row of event `after` + 1 is the last that begins at or before it; without one, the first there is.
_JOINED = """SELECT CAST(group_concat(lines, '') AS BLOB), min(key) & 4294967295, sum(events) FROM (
    SELECT key, events, lines FROM journal
        WHERE key BETWEEN
            coalesce((SELECT max(key) FROM journal WHERE key BETWEEN :base AND :base + :after + 1), :base)
            AND :until
        AND key + events > :base + :after + 1
    ORDER BY key)"""

_LOAD = f"""SELECT {_INFO.format(last=LAST_SEQ)},
        sessions.no << 32, coalesce(snapshots.seq, 0), snapshots.state
    FROM sessions LEFT JOIN snapshots ON snapshots.no = sessions.no WHERE sessions.id = ?"""

_BASE = "SELECT no << 32, max(first_seq - 1, ?) FROM sessions WHERE id = ?"

_ENDED: Final = "coalesce(mark ->> '$.ended', 0)"

_STANDING: Final[dict[Standing, str]] = {
    "open": f"open_turn = 0 AND NOT {_ENDED}",
    "answering": f"open_turn = 1 AND NOT {_ENDED}",
    "ended": _ENDED,
}

_infos = msgspec.json.Decoder(list[SessionInfo])
_info = msgspec.json.Decoder(SessionInfo)
_names = msgspec.json.Decoder(list[str])
_attachment = msgspec.json.Decoder(Attachment)


class Wanted(NamedTuple):
    """Which sessions are listed; see `ports.store.Store.list_sessions`."""

    subject: str | None
    before_ms: int | None
    after: Place | None
    standing: Standing | None


class Reads:
    """The queries; owned by the reader thread."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def load(self, session_id: str) -> Loaded | None:
        """Read a session's snapshot and the records after it, as of one moment."""
        run(self._connection, "BEGIN")
        try:
            rows = run(self._connection, _LOAD, (session_id,))
            if not rows:
                return None
            info, base, seq, state = rows[0]
            assert isinstance(info, str) and isinstance(base, int) and isinstance(seq, int)
            assert state is None or isinstance(state, bytes)
            lines, first, _ = self._joined(base, after=seq, until=base + 0xFFFFFFFF)
        finally:
            run(self._connection, "COMMIT")
        if first <= seq:
            lines = beginning_after(lines, seq)
        return Loaded(info=_info.decode(info), snapshot=state, snapshot_seq=seq, lines=lines)

    def info(self, session_id: str) -> SessionInfo | None:
        """Read one row of the list."""
        rows = run(self._connection, _READ_INFO, (session_id,))
        return _info.decode(_text(rows[0][0])) if rows else None

    def read(self, session_id: str, *, after: int, limit: int) -> bytes:
        """Read the records that hold the next `limit` events above `after`."""
        run(self._connection, "BEGIN")
        try:
            rows = run(self._connection, _BASE, (after, session_id))
            if not rows:
                return b""
            base, begin = rows[0]
            assert isinstance(base, int) and isinstance(begin, int)
            lines, first, events = self._joined(base, after=begin, until=base + begin + limit)
        finally:
            run(self._connection, "COMMIT")
        if first == begin + 1 and events <= limit:
            return lines
        return window(lines, after=begin, limit=limit)

    def list_sessions(self, wanted: Wanted, *, limit: int) -> Sequence[SessionInfo]:
        """List sessions, latest change first."""
        after = wanted.after or Place(updated_ms=0, session_id="")
        chosen = {
            "subject = :subject": wanted.subject is not None,
            "updated_ms < :before": wanted.before_ms is not None,
            # The first of the two finds the place in the index, the second is exact.
            "updated_ms <= :after_ms AND (updated_ms, id) < (:after_ms, :after_id)": wanted.after is not None,
            _STANDING[wanted.standing or "open"]: wanted.standing is not None,
        }
        where = [condition for condition, asked in chosen.items() if asked] or ["true"]
        values: Bindings = {
            "subject": wanted.subject,
            "before": wanted.before_ms,
            "after_ms": after.updated_ms,
            "after_id": after.session_id,
            "limit": limit,
        }
        rows = run(self._connection, _LIST.format(where=" AND ".join(where)), values)
        return _infos.decode(_text(rows[0][0]))

    def interrupted(self) -> Sequence[str]:
        """List the sessions with an open turn."""
        rows = run(self._connection, "SELECT json_group_array(id) FROM sessions WHERE open_turn = 1")
        return _names.decode(_text(rows[0][0]))

    def get_blob(self, upload_id: str) -> Blob | None:
        """Read an upload."""
        rows = run(
            self._connection,
            "SELECT attachment, subject, session_id, at_ms, data FROM blobs WHERE id = ?",
            (upload_id,),
        )
        if not rows:
            return None
        attachment, subject, session_id, at_ms, data = rows[0]
        assert isinstance(at_ms, int) and isinstance(data, bytes)
        return Blob(
            attachment=_attachment.decode(_text(attachment)),
            subject=_text(subject),
            session_id=_text(session_id),
            at_ms=at_ms,
            data=data,
        )

    def _joined(self, base: int, *, after: int, until: int) -> tuple[bytes, int, int]:
        """Join rows: their lines, first event and count; a first above `after` where there are none."""
        values: Bindings = {"base": base, "after": after, "until": until}
        lines, first, events = run(self._connection, _JOINED, values)[0]
        if lines is None:
            return b"", after + 1, 0
        assert isinstance(lines, bytes) and isinstance(first, int) and isinstance(events, int)
        return lines, first, events


def _text(value: Cell) -> str:
    assert isinstance(value, str)
    return value


class Reader:
    """Runs queries on a thread of its own, one after the other.

    The queue holds at most one query per waiting caller; who waits too long withdraws it.
    """

    def __init__(self, path: Path, *, busy_ms: int) -> None:
        self._path = path
        self._busy_ms = busy_ms
        self._queue: SimpleQueue[Work[Reads] | None] = SimpleQueue()
        self._opened = signal()
        self._ended = signal()
        self._thread = threading.Thread(target=self._run, name="duologue-store-reader", daemon=True)

    async def open(self) -> None:
        """Start the thread and wait until it has the file open."""
        self._thread.start()
        await self._opened.answer()

    async def ask(self, job: Job[Reads, T]) -> T:
        """Run a query and wait for its answer."""
        self._queue.put(job)
        return await job.answer()

    def stop(self) -> None:
        """End the thread after what is queued; `ended` waits for it."""
        self._queue.put(None)

    async def ended(self) -> None:
        """Wait until the thread has let go of the file."""
        await self._ended.answer()

    def _run(self) -> None:
        try:
            connection = open_reader(self._path, busy_ms=self._busy_ms)
        except apsw.Error as error:
            self._opened.refuse(store_error(error))
            return
        self._opened.run(None)
        reads = Reads(connection)
        try:
            while (work := self._queue.get()) is not None:
                work.run(reads)
        finally:
            connection.close()
            self._ended.run(None)
