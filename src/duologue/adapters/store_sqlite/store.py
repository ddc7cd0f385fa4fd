"""The store as the runtime sees it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.jobs import Job
from duologue.adapters.store_sqlite.reader import Reader, Wanted
from duologue.adapters.store_sqlite.schema import Durability
from duologue.adapters.store_sqlite.writer import Writer, WriterSettings
from duologue.model.errors import StoreError
from duologue.ports.store import Append, Blob, Loaded, Place, SessionInfo, Standing

DATABASE_NAME: Final = "duologue.db"


class SqliteStore:
    """A `ports.store.Store` in one SQLite database (WAL), for one server process.

    One thread writes, in groups across sessions; one thread reads. `open` makes them, `close` ends them.
    Removed bytes are overwritten, in the database and in its WAL.

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
        self._writer: Writer | None = None
        self._reader: Reader | None = None

    async def open(self) -> None:
        """Open it; see the port. Cancellation: safe; nothing stays open."""
        assert self._writer is None, "it is open"
        writer = Writer(self._settings, asyncio.get_running_loop())
        reader = Reader(self._settings.path, busy_ms=self._settings.busy_ms)
        try:
            await writer.open()
            await reader.open()
        except BaseException:
            reader.stop()
            writer.stop()
            raise
        self._writer, self._reader = writer, reader

    async def close(self) -> None:
        """Store what was handed in and let go. Cancellation: safe; the threads end by themselves."""
        writer, reader = self._writer, self._reader
        self._writer = self._reader = None
        if writer is None or reader is None:
            return
        # The reader first: the last connection to close empties the WAL, and only the writer may.
        reader.stop()
        try:
            await reader.ended()
        finally:
            writer.stop()
        await writer.ended()

    def append(self, append: Append) -> None:
        """Hand in records; see the port."""
        if self._writer is not None:
            self._writer.put(append)
        else:
            asyncio.get_running_loop().call_soon(append.done, _closed())

    async def load(self, session_id: str) -> Loaded | None:
        """Read what a session is rebuilt from."""
        return await self._reads.ask(Job(lambda reads: reads.load(session_id)))

    async def info(self, session_id: str) -> SessionInfo | None:
        """Read one row of the list of sessions."""
        return await self._reads.ask(Job(lambda reads: reads.info(session_id)))

    async def read(self, session_id: str, *, after: int, limit: int) -> bytes:
        """Read records above `after`."""
        return await self._reads.ask(Job(lambda reads: reads.read(session_id, after=after, limit=limit)))

    async def save_snapshot(self, session_id: str, *, seq: int, state: bytes) -> None:
        """Keep a snapshot; one that is older than the kept one changes nothing."""
        await self._edits.ask(Job(lambda edits: edits.save_snapshot(session_id, seq, state)))

    async def trim(self, session_id: str, *, line: bytes, seq: int, state: bytes) -> None:
        """Remove everything up to event `seq`, and overwrite it; the WAL keeps its bytes for a while."""
        await self._edits.ask(Job(lambda edits: edits.trim(session_id, line, seq=seq, state=state)))

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
        wanted = Wanted(subject, before_ms, after, standing)
        return await self._reads.ask(Job(lambda reads: reads.list_sessions(wanted, limit=limit)))

    async def interrupted(self) -> Sequence[str]:
        """List the sessions that have an open turn."""
        return await self._reads.ask(Job(lambda reads: reads.interrupted()))

    async def delete_session(self, session_id: str) -> bool:
        """Remove a session; its bytes are in no file of the folder afterwards."""
        return await self._edits.ask(Job(lambda edits: edits.delete_session(session_id)))

    async def delete_subject(self, subject: str) -> Sequence[str]:
        """Remove a person; the bytes are in no file of the folder afterwards."""
        return await self._edits.ask(Job(lambda edits: edits.delete_subject(subject)))

    async def import_session(self, info: SessionInfo, *, lines: bytes, state: bytes) -> None:
        """Store a whole session."""
        await self._edits.ask(Job(lambda edits: edits.import_session(info, lines, state)))

    async def put_blob(self, blob: Blob) -> None:
        """Keep an upload."""
        await self._edits.ask(Job(lambda edits: edits.put_blob(blob)))

    async def get_blob(self, upload_id: str) -> Blob | None:
        """Read an upload."""
        return await self._reads.ask(Job(lambda reads: reads.get_blob(upload_id)))

    @property
    def _edits(self) -> Writer:
        if self._writer is None:
            raise _closed()
        return self._writer

    @property
    def _reads(self) -> Reader:
        if self._reader is None:
            raise _closed()
        return self._reader


def _closed() -> StoreError:
    return StoreError("The store is closed. Start the server again.")
