"""A store in memory, with faults on demand."""

import asyncio
from collections.abc import Sequence

import msgspec

from duologue.model.errors import StoreConflict, StoreError
from duologue.model.records import decode_events
from duologue.ports.store import Append, Blob, Loaded, Place, SessionInfo, SessionMark, Standing, standing_of


class _Session:
    def __init__(self, info: SessionInfo) -> None:
        self.info = info
        self.records: list[tuple[int, int, bytes]] = []
        self.snapshot: tuple[int, bytes] | None = None

    def add(self, lines: bytes) -> None:
        for line in lines.splitlines(keepends=True):
            numbers = [event.seq for event in decode_events(line)]
            self.records.append((numbers[0], numbers[-1], line))


class MemoryStore:
    """A `ports.store.Store` that keeps everything in this object: closing and opening it again loses nothing.

    Appends are stored together on the loop's next turn, as a database would in one transaction.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._blobs: dict[str, Blob] = {}
        self._waiting: list[Append] = []
        self._scheduled = False
        self._opened = False
        self._faults: list[StoreError] = []
        self._released = asyncio.Event()
        self._released.set()

    def fail_next_append(self, error: StoreError | None = None) -> None:
        """Let the next append that is stored fail, with all of its session that wait; may be repeated."""
        self._faults.append(error or StoreError("The store was told to fail. Try again."))

    def hold(self) -> None:
        """Store nothing until `release`; reads go on, and show only what is stored."""
        self._released.clear()

    def release(self) -> None:
        """Store what has waited since `hold`, on the loop's next turn."""
        self._released.set()
        self._schedule()

    async def open(self) -> None:
        """Open it."""
        self._opened = True

    async def close(self) -> None:
        """Store what was handed in; also what `hold` holds back."""
        self._released.set()
        self._commit()
        self._opened = False

    def append(self, append: Append) -> bool:
        """Hand in records; see the port."""
        if self._opened:
            self._waiting.append(append)
            self._schedule()
        else:
            asyncio.get_running_loop().call_soon(append.done, StoreError("The store is closed."))
        return False

    # It never is: tests see what waits.
    def append_at_once(self, session_id: str, seq: int, line: bytes, /) -> bool:  # noqa: ARG002
        """Say that it has to wait; see the port."""
        return False

    async def load(self, session_id: str) -> Loaded | None:
        """Read what a session is rebuilt from."""
        self._check()
        session = self._sessions.get(session_id)
        if session is None:
            return None
        seq, state = session.snapshot or (0, None)
        lines = b"".join(line for first, _, line in session.records if first > seq)
        return Loaded(info=session.info, snapshot=state, snapshot_seq=seq, lines=lines)

    async def info(self, session_id: str) -> SessionInfo | None:
        """Read one row of the list of sessions."""
        self._check()
        session = self._sessions.get(session_id)
        return session.info if session else None

    async def read(self, session_id: str, *, after: int, limit: int) -> bytes:
        """Read records above `after`."""
        self._check()
        session = self._sessions.get(session_id)
        kept: list[bytes] = []
        count = 0
        for first, last, line in session.records if session else ():
            if last > after and count < limit:
                kept.append(line)
                count += last - max(first - 1, after)
        return b"".join(kept)

    async def save_snapshot(self, session_id: str, *, seq: int, state: bytes) -> None:
        """Keep a snapshot; one that is older than the kept one changes nothing."""
        session = await self._existing(session_id, seq)
        if session.snapshot is None or session.snapshot[0] <= seq:
            session.snapshot = (seq, state)

    async def trim(self, session_id: str, *, line: bytes, seq: int, state: bytes) -> None:
        """Put `line` in the place of everything up to event `seq`."""
        session = await self._existing(session_id, seq)
        rest = [record for record in session.records if record[1] > seq]
        if seq < session.info.first_seq:
            raise StoreConflict(f"Event {seq} is trimmed already.")
        if rest and rest[0][0] <= seq:
            raise StoreError(f"Event {seq} is not the last of its record: the journal cannot be cut there.")
        session.records = [(seq, seq, line), *rest]
        session.snapshot = (seq, state)
        session.info = msgspec.structs.replace(session.info, first_seq=seq, epoch=session.info.epoch + 1)

    async def list_sessions(
        self,
        *,
        subject: str | None = None,
        before_ms: int | None = None,
        after: Place | None = None,
        standing: Standing | None = None,
        limit: int = 100,
    ) -> Sequence[SessionInfo]:
        """List sessions, latest change first."""
        self._check()

        def place(info: SessionInfo) -> tuple[int, bytes]:
            return info.updated_ms, info.session_id.encode()

        chosen = [
            info
            for info in (session.info for session in self._sessions.values())
            if (subject is None or info.mark.subject == subject)
            and (before_ms is None or info.updated_ms < before_ms)
            and (after is None or place(info) < (after.updated_ms, after.session_id.encode()))
            and (standing is None or standing_of(info.mark) == standing)
        ]
        return sorted(chosen, key=place, reverse=True)[:limit]

    async def interrupted(self) -> Sequence[str]:
        """List the sessions that have an open turn."""
        self._check()
        return [name for name, session in self._sessions.items() if session.info.mark.open_turn]

    async def delete_session(self, session_id: str) -> bool:
        """Remove a session with its uploads."""
        await self._turn()
        self._blobs = {name: blob for name, blob in self._blobs.items() if blob.session_id != session_id}
        return self._sessions.pop(session_id, None) is not None

    async def delete_subject(self, subject: str) -> Sequence[str]:
        """Remove everything about a person."""
        await self._turn()
        gone = [name for name, session in self._sessions.items() if session.info.mark.subject == subject]
        for name in gone:
            await self.delete_session(name)
        self._blobs = {name: blob for name, blob in self._blobs.items() if blob.subject != subject}
        return gone

    async def import_session(self, info: SessionInfo, *, lines: bytes, state: bytes) -> None:
        """Store a whole session."""
        await self._turn()
        if info.session_id in self._sessions:
            raise StoreConflict("A session of this id exists. Delete it first, or import under another id.")
        session = _Session(info)
        try:
            session.add(lines)
        except (msgspec.MsgspecError, IndexError) as error:
            raise StoreError("The journal to import holds a line that is no record.") from error
        follow = [first for first, _, _ in session.records] + [info.last_seq + 1]
        if follow != [info.first_seq] + [last + 1 for _, last, _ in session.records]:
            raise StoreError("The journal to import does not hold the events that its head names.")
        session.snapshot = (info.last_seq, state)
        self._sessions[info.session_id] = session

    async def put_blob(self, blob: Blob) -> None:
        """Keep an upload."""
        await self._turn()
        self._blobs.setdefault(blob.attachment.upload_id, blob)

    async def get_blob(self, upload_id: str) -> Blob | None:
        """Read an upload."""
        self._check()
        return self._blobs.get(upload_id)

    def _check(self) -> None:
        if not self._opened:
            raise StoreError("The store is closed.")

    async def _turn(self) -> None:
        """Wait until everything that was handed in before is stored."""
        self._check()
        await self._released.wait()
        self._commit()

    async def _existing(self, session_id: str, seq: int) -> _Session:
        await self._turn()
        session = self._sessions.get(session_id)
        if session is None:
            raise StoreConflict("There is no such session any more.")
        if not 1 <= seq <= session.info.last_seq:
            raise StoreConflict(f"The session ends with event {session.info.last_seq}, not yet {seq}.")
        return session

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._commit_soon)

    def _commit_soon(self) -> None:
        self._scheduled = False
        if self._released.is_set():
            self._commit()

    def _commit(self) -> None:
        batch, self._waiting = self._waiting, []
        failed: dict[str, StoreError] = {}
        results: list[StoreError | None] = []
        for append in batch:
            error = failed.get(append.session_id) or self._store(append)
            if error is not None:
                failed[append.session_id] = error
            results.append(error)
        # Whoever hands in more from here on knows, or is told before it is stored.
        for append, result in zip(batch, results, strict=True):
            append.done(result)

    def _store(self, append: Append) -> StoreError | None:
        if self._faults:
            return self._faults.pop(0)
        session = self._sessions.get(append.session_id)
        last = session.info.last_seq if session else 0
        if append.first_seq != last + 1 or append.last_seq < append.first_seq:
            return StoreConflict(f"The session ends with event {last}, not before {append.first_seq}.")
        if session is None:
            if append.mark is None:
                return StoreConflict("There is no such session any more. Open a new one.")
            session = self._sessions[append.session_id] = _Session(_first_info(append, append.mark))
        changes = {"mark": append.mark, "updated_ms": append.at_ms} if append.mark else {}
        session.info = msgspec.structs.replace(session.info, last_seq=append.last_seq, **changes)
        session.add(append.lines)
        return None


def _first_info(append: Append, mark: SessionMark) -> SessionInfo:
    return SessionInfo(
        session_id=append.session_id,
        mark=mark,
        first_seq=1,
        last_seq=append.last_seq,
        epoch=0,
        created_ms=append.at_ms,
        updated_ms=append.at_ms,
    )
