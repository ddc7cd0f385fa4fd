"""The store as the runtime sees it."""

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.edits import Edits
from duologue.adapters.store_sqlite.glance import Glance
from duologue.adapters.store_sqlite.heads import Head
from duologue.adapters.store_sqlite.intake import Intake
from duologue.adapters.store_sqlite.jobs import Job
from duologue.adapters.store_sqlite.overlay import info_with, loaded_with, read_with
from duologue.adapters.store_sqlite.reader import Reader, Wanted
from duologue.adapters.store_sqlite.schema import Durability
from duologue.adapters.store_sqlite.writer import Desk, Writer, WriterSettings
from duologue.model.base import Value
from duologue.model.errors import StoreError
from duologue.ports.store import Append, Blob, Loaded, Place, SessionInfo, Standing

T = TypeVar("T")

DATABASE_NAME: Final = "duologue.db"


class SqliteStore:
    """A `ports.store.Store` in one SQLite database (WAL), for one server process.

    Appends go into a spool, where they are durable at once; one thread moves them into the database, many at a time,
    and makes all edits; one thread reads. `open` makes them, `close` ends them. Removed bytes are overwritten, in
    the database, in its WAL and in the spool.

    Args:
        folder: the data folder; made where missing, with access for this user only.
        durability: `process`: what is acknowledged survives the death of the process; a power cut may take
            the last moments, never the rest. `power`: each group is synced to the disk before `done`.
        max_pages: bound of the database's size in pages of 4 KiB, beyond which the store is full; `None`:
            the disk is the bound.
        busy_ms: how long to wait where another program holds the database.
    """

    def __init__(
        self,
        folder: Path,
        *,
        durability: Durability = "process",
        max_pages: int | None = None,
        busy_ms: int = bounds.BUSY_MS,
    ) -> None:
        self._settings = WriterSettings(
            path=folder / DATABASE_NAME, durability=durability, max_pages=max_pages, busy_ms=busy_ms
        )
        self._parts: _Parts | None = None
        # The intake's own method, once it is open: one call less per token.
        self.append_at_once: Callable[[str, int, bytes], bool] = _not_open

    async def open(self) -> None:
        """Open it; see the port. Cancellation: safe; nothing stays open."""
        assert self._parts is None, "it is open"
        writer = Writer(self._settings)
        reader = Reader(self._settings.path, busy_ms=self._settings.busy_ms)
        try:
            desk = await writer.open()
            await reader.open()
            glance = Glance(self._settings.path)
        except BaseException:
            reader.stop()
            writer.stop()
            raise
        intake = Intake(desk, writer, durability=self._settings.durability)
        self._parts = _Parts(intake=intake, writer=writer, reader=reader, glance=glance)
        self.append_at_once = intake.append_at_once

    async def close(self) -> None:
        """Store what was handed in and let go. Cancellation: safe; the threads end by themselves."""
        parts, self._parts = self._parts, None
        if parts is None:
            return
        self.append_at_once = _not_open
        # The reader before the writer: the last connection to close empties the WAL, and only the writer may.
        try:
            await parts.intake.close()
        finally:
            parts.glance.close()
            parts.reader.stop()
            try:
                await parts.reader.ended()
            finally:
                parts.writer.stop()
        await parts.writer.ended()

    def append(self, append: Append) -> bool:
        """Hand in records; see the port."""
        if self._parts is not None:
            return self._parts.intake.append(append)
        asyncio.get_running_loop().call_soon(append.done, _closed())
        return False

    async def load(self, session_id: str) -> Loaded | None:
        """Read what a session is rebuilt from."""
        pending = self._open.intake.pending(session_id)
        if pending is None and self._open.glance.lacks(session_id):
            return None
        stored = await self._open.reader.ask(Job(lambda reads: reads.load(session_id)))
        return stored if pending is None else loaded_with(stored, pending)

    async def info(self, session_id: str) -> SessionInfo | None:
        """Read one row of the list of sessions."""
        pending = self._open.intake.pending(session_id, limit=1)
        stored = await self._open.reader.ask(Job(lambda reads: reads.info(session_id)))
        return stored if pending is None else info_with(stored, pending)

    async def read(self, session_id: str, *, after: int, limit: int) -> bytes:
        """Read records above `after`."""
        pending = self._open.intake.pending(session_id, after=after, limit=limit)
        stored = await self._open.reader.ask(Job(lambda reads: reads.read(session_id, after=after, limit=limit)))
        return stored if pending is None else read_with(stored, pending, after=after, limit=limit)

    async def save_snapshot(self, session_id: str, *, seq: int, state: bytes) -> None:
        """Keep a snapshot; one that is older than the kept one changes nothing."""
        await self._open.intake.settle(session_id)
        await self._edit(lambda edits: edits.save_snapshot(session_id, seq, state))

    async def trim(self, session_id: str, *, line: bytes, seq: int, state: bytes) -> None:
        """Remove everything up to event `seq`, and overwrite it; the WAL keeps its bytes for a while."""
        await self._open.intake.settle(session_id)
        await self._edit(lambda edits: edits.trim(session_id, line, seq=seq, state=state))

    async def list_sessions(
        self,
        *,
        subject: str | None = None,
        before_ms: int | None = None,
        after: Place | None = None,
        standing: Standing | None = None,
        limit: int = 100,
    ) -> Sequence[SessionInfo]:
        """List sessions, latest change first; where the database takes nothing more, as it was before."""
        with contextlib.suppress(StoreError):
            await self._open.intake.settle()
        wanted = Wanted(subject, before_ms, after, standing)
        return await self._open.reader.ask(Job(lambda reads: reads.list_sessions(wanted, limit=limit)))

    async def interrupted(self) -> Sequence[str]:
        """List the sessions that have an open turn."""
        stored = await self._open.reader.ask(Job(lambda reads: reads.interrupted()))
        return self._open.intake.interrupted(stored)

    async def delete_session(self, session_id: str) -> bool:
        """Remove a session; its bytes are in no file of the folder afterwards."""
        await self._open.intake.taken(session_id)
        found = await self._remove(
            (session_id,), lambda edits, spooled: edits.delete_session(session_id, spooled.get(session_id))
        )
        await self._edit(lambda edits: edits.scrub())
        return found

    async def delete_subject(self, subject: str) -> Sequence[str]:
        """Remove a person; the bytes are in no file of the folder afterwards."""
        intake = self._open.intake
        await intake.taken()
        # What is moved while the database is asked may be in neither of the later two.
        before = intake.heads.spooled_of(subject)
        stored = await self._edit(lambda edits: edits.sessions_of(subject))
        names = dict.fromkeys((*stored, *before, *intake.heads.spooled_of(subject)))

        def remove(edits: Edits, spooled: Mapping[str, int]) -> Sequence[str]:
            sessions = {**stored, **spooled}
            edits.delete_subject(subject, sessions)
            return tuple(sessions)

        removed = await self._remove(names, remove)
        await self._edit(lambda edits: edits.scrub())
        return removed

    async def import_session(self, info: SessionInfo, *, lines: bytes, state: bytes) -> None:
        """Store a whole session."""
        intake, session_id = self._open.intake, info.session_id
        while intake.holds(session_id):
            await intake.settle(session_id)
        # From here to the edit nothing is waited for.
        intake.importing.add(session_id)
        try:
            no = intake.heads.number()
            await self._edit(lambda edits: edits.import_session(info, no, lines, state))
            # Whoever asked before it was there and goes on only now finds it here.
            intake.heads.keep(Head(session_id, no, info.last_seq))
        finally:
            intake.importing.discard(session_id)

    async def put_blob(self, blob: Blob) -> None:
        """Keep an upload."""
        await self._edit(lambda edits: edits.put_blob(blob))

    async def get_blob(self, upload_id: str) -> Blob | None:
        """Read an upload."""
        return await self._open.reader.ask(Job(lambda reads: reads.get_blob(upload_id)))

    async def _edit(self, work: Callable[[Edits], T]) -> T:
        return await self._open.writer.ask(Job(lambda desk: work(desk.edits)))

    async def _remove(self, session_ids: Iterable[str], work: Callable[[Edits, Mapping[str, int]], T]) -> T:
        """Have sessions removed; what is known of them stays where that fails, also when the caller has gone by then.

        Args:
            work: removes them; it is given the numbers of those that are known, perhaps to the spool alone.
        """
        heads, removing = self._open.intake.heads, self._open.intake.removing
        names = frozenset(session_ids)
        forgotten = heads.forget(names)
        removing.append(names)

        def remove(desk: Desk) -> T:
            result = work(desk.edits, {head.session_id: head.no for head in forgotten})
            for head in forgotten:
                head.removed = True
            return result

        def over(done: bool) -> None:
            removing.remove(names)
            (heads.drop if done else heads.restore)(forgotten)

        job = Job(remove)
        job.after(over)
        return await self._open.writer.ask(job)

    @property
    def _open(self) -> "_Parts":
        if self._parts is None:
            raise _closed()
        return self._parts


class _Parts(Value, frozen=True, kw_only=True):
    """What an open store has."""

    intake: Intake
    writer: Writer
    reader: Reader
    glance: Glance


def _not_open(session_id: str, seq: int, line: bytes) -> bool:  # noqa: ARG001
    return False


def _closed() -> StoreError:
    return StoreError("The store is closed. Start the server again.")
