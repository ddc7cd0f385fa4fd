"""The outbox as the runtime sees it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import apsw

from duologue.adapters.outbox_sqlite.tables import Tables
from duologue.model import limits
from duologue.model.errors import StoreError
from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook

DATABASE_NAME: Final = "webhooks.db"

T = TypeVar("T")


class SqliteOutbox:
    """A `ports.outbox.Outbox` in one SQLite database (WAL) with one thread.

    The store's lock on the folder keeps a second process out, so the store is opened first.

    Args:
        folder: the data folder.
        name: of the database's file.
        synced: each change is on the disk before it is acknowledged; else it is in the hands of the system.
    """

    def __init__(self, folder: Path, *, synced: bool = False, name: str = DATABASE_NAME) -> None:
        self._path, self._synced = folder / name, synced
        self._thread: ThreadPoolExecutor | None = None
        self._tables: Tables | None = None
        self._opening = asyncio.Lock()

    async def open(self, *, create: bool) -> bool:
        """Open it; see the port. Cancellation: safe."""
        async with self._opening:
            if self._tables is None and (create or await asyncio.to_thread(self._path.exists)):
                self._thread = self._thread or ThreadPoolExecutor(1, "outbox")
                self._tables = await self._call(lambda: Tables(self._path, synced=self._synced))
        return self._tables is not None

    async def close(self) -> None:
        """Let go of it. Cancellation: safe; the thread ends by itself."""
        tables, thread = self._tables, self._thread
        self._tables = self._thread = None
        if thread is None:
            return
        if tables is not None:
            thread.submit(tables.close)
        # What was handed in is finished first.
        await asyncio.to_thread(thread.shutdown)

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        return await self._on(lambda tables: tables.began_ms(now_ms))

    async def end(self) -> None:
        """Forget the server's hook."""
        await self._on(lambda tables: tables.end())

    async def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return await self._on(lambda tables: tables.covered_ms())

    async def cover(self, ms: int) -> None:
        """Remember that."""
        await self._on(lambda tables: tables.cover(ms))

    async def note(self, last: Mapping[str, int], *, now_ms: int, everyone: bool) -> None:
        """Make cursors due."""
        await self._on(lambda tables: tables.note(last, now_ms, everyone=everyone))

    async def due(self, now_ms: int, *, limit: int, without: frozenset[str]) -> Sequence[Cursor]:
        """List due cursors."""
        return await self._on(lambda tables: tables.due(now_ms, limit, without))

    async def next_due_ms(self, after_ms: int) -> int | None:
        """When the next one becomes due."""
        return await self._on(lambda tables: tables.next_due_ms(after_ms))

    async def advance(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on."""
        await self._on(lambda tables: tables.advance(cursor, seq))

    async def settle(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on to where nothing follows."""
        await self._on(lambda tables: tables.settle(cursor, seq))

    async def put_off(self, cursor: Cursor, *, seq: int, failures: int, due_ms: int, error: str) -> None:
        """Try again later."""
        await self._on(lambda tables: tables.put_off(cursor, seq, failures=failures, due_ms=due_ms, error=error))

    async def bury(self, letter: DeadLetter, *, keep: int) -> None:
        """Keep a dead letter and go past it."""
        await self._on(lambda tables: tables.bury(letter, keep))

    async def cursors(self, session_id: str) -> Sequence[Cursor]:
        """List a session's cursors."""
        return await self._on(lambda tables: tables.cursors(session_id))

    async def skip(self, session_id: str, *, seq: int) -> None:
        """Begin the server's hook after an event."""
        await self._on(lambda tables: tables.skip(session_id, seq))

    async def set_hook(self, session_id: str, hook: Hook, *, seq: int) -> None:
        """Give a session its hook."""
        await self._on(lambda tables: tables.set_hook(session_id, hook, seq))

    async def hook(self, session_id: str) -> Hook | None:
        """Read a session's hook."""
        return await self._on(lambda tables: tables.hook(session_id))

    async def drop_hook(self, session_id: str) -> bool:
        """Remove a session's hook."""
        return await self._on(lambda tables: tables.drop_hook(session_id))

    async def letters(self, *, before: int | None, limit: int) -> Sequence[DeadLetter]:
        """List dead letters."""
        return await self._on(lambda tables: tables.letters(before, limit))

    async def letter(self, number: int) -> DeadLetter | None:
        """Read a dead letter."""
        return await self._on(lambda tables: tables.letter(number))

    async def failed_again(self, number: int, *, error: str, now_ms: int) -> None:
        """Count a failure."""
        await self._on(lambda tables: tables.failed_again(number, error=error, now_ms=now_ms))

    async def discard(self, number: int) -> bool:
        """Remove a dead letter."""
        return await self._on(lambda tables: tables.discard(number))

    async def forget(self, session_ids: Sequence[str]) -> None:
        """Remove sessions."""
        await self._on(lambda tables: tables.forget(session_ids))

    async def counts(self) -> Counts:
        """Count."""
        return await self._on(lambda tables: tables.counts())

    async def _on(self, work: Callable[[Tables], T]) -> T:
        tables = self._tables
        if tables is None:
            raise StoreError("The outbox of webhooks is closed. Start the server again.")
        return await self._call(lambda: work(tables))

    async def _call(self, work: Callable[[], T]) -> T:
        thread = self._thread
        assert thread is not None, "it is open"
        try:
            async with asyncio.timeout(limits.STORE_MS / 1000):
                return await asyncio.get_running_loop().run_in_executor(thread, work)
        except TimeoutError:
            raise StoreError(
                f"The outbox of webhooks did not answer within {limits.STORE_MS // 1000} s. "
                "Check that the disk of the data folder is not overloaded."
            ) from None
        except (apsw.Error, OSError) as error:
            raise StoreError(_advice(error)) from error


def _advice(error: Exception) -> str:
    match error:
        case apsw.FullError():
            return "The disk is full; nothing was noted of webhooks. Free space: they then go on by themselves."
        case apsw.NotADBError() | apsw.CorruptError():
            return (
                f"{DATABASE_NAME} is damaged. Stop the server, and restore it from a backup or move it away: "
                "webhooks that were waiting are then forgotten, conversations are not."
            )
        case apsw.BusyError() | apsw.LockedError():
            return f"Another program holds {DATABASE_NAME}. Close it (a backup, a database browser)."
        case _:
            return f"{DATABASE_NAME} cannot be used ({type(error).__name__}). Check the data folder and its disk."
