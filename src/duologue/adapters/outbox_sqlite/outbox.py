"""The outbox as the runtime sees it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from duologue.adapters.outbox_sqlite.tables import Tables
from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook
from duologue.sqlite.on_thread import OnThread, Words

DATABASE_NAME: Final = "webhooks.db"

_WORDS: Final = Words(
    name="The outbox of webhooks",
    undone="nothing was noted of webhooks",
    lost="webhooks that were waiting are then forgotten",
)


class SqliteOutbox:
    """A `ports.outbox.Outbox` in one SQLite database (WAL) with one thread.

    The store's lock on the folder keeps a second process out, so the store is opened first.

    Args:
        folder: the data folder.
        name: of the database's file.
        synced: each change is on the disk before it is acknowledged; else it is in the hands of the system.
    """

    def __init__(self, folder: Path, *, synced: bool = False, name: str = DATABASE_NAME) -> None:
        self._tables = OnThread(folder / name, lambda path: Tables(path, synced=synced), words=_WORDS)

    async def open(self, *, create: bool) -> bool:
        """Open it; see the port. Cancellation: safe."""
        return await self._tables.open(create=create)

    async def close(self) -> None:
        """Let go of it. Cancellation: safe; the thread ends by itself."""
        await self._tables.close()

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked."""
        return await self._tables.do(lambda tables: tables.began_ms(now_ms))

    async def end(self) -> None:
        """Forget the server's hook."""
        await self._tables.do(lambda tables: tables.end())

    async def covered_ms(self) -> int | None:
        """Before when everything was noted."""
        return await self._tables.do(lambda tables: tables.covered_ms())

    async def cover(self, ms: int) -> None:
        """Remember that."""
        await self._tables.do(lambda tables: tables.cover(ms))

    async def note(self, last: Mapping[str, int], *, now_ms: int, everyone: bool) -> None:
        """Make cursors due."""
        await self._tables.do(lambda tables: tables.note(last, now_ms, everyone=everyone))

    async def due(self, now_ms: int, *, limit: int, without: frozenset[str]) -> Sequence[Cursor]:
        """List due cursors."""
        return await self._tables.do(lambda tables: tables.due(now_ms, limit, without))

    async def next_due_ms(self, after_ms: int) -> int | None:
        """When the next one becomes due."""
        return await self._tables.do(lambda tables: tables.next_due_ms(after_ms))

    async def advance(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on."""
        await self._tables.do(lambda tables: tables.advance(cursor, seq))

    async def settle(self, cursor: Cursor, *, seq: int) -> None:
        """Move a cursor on to where nothing follows."""
        await self._tables.do(lambda tables: tables.settle(cursor, seq))

    async def put_off(self, cursor: Cursor, *, seq: int, failures: int, due_ms: int, error: str) -> None:
        """Try again later."""
        await self._tables.do(lambda tables: tables.put_off(cursor, seq, failures=failures, due_ms=due_ms, error=error))

    async def bury(self, letter: DeadLetter, *, keep: int) -> None:
        """Keep a dead letter and go past it."""
        await self._tables.do(lambda tables: tables.bury(letter, keep))

    async def cursors(self, session_id: str) -> Sequence[Cursor]:
        """List a session's cursors."""
        return await self._tables.do(lambda tables: tables.cursors(session_id))

    async def skip(self, session_id: str, *, seq: int) -> None:
        """Begin the server's hook after an event."""
        await self._tables.do(lambda tables: tables.skip(session_id, seq))

    async def set_hook(self, session_id: str, hook: Hook, *, seq: int) -> None:
        """Give a session its hook."""
        await self._tables.do(lambda tables: tables.set_hook(session_id, hook, seq))

    async def hook(self, session_id: str) -> Hook | None:
        """Read a session's hook."""
        return await self._tables.do(lambda tables: tables.hook(session_id))

    async def drop_hook(self, session_id: str) -> bool:
        """Remove a session's hook."""
        return await self._tables.do(lambda tables: tables.drop_hook(session_id))

    async def letters(self, *, before: int | None, limit: int) -> Sequence[DeadLetter]:
        """List dead letters."""
        return await self._tables.do(lambda tables: tables.letters(before, limit))

    async def letter(self, number: int) -> DeadLetter | None:
        """Read a dead letter."""
        return await self._tables.do(lambda tables: tables.letter(number))

    async def failed_again(self, number: int, *, error: str, now_ms: int) -> None:
        """Count a failure."""
        await self._tables.do(lambda tables: tables.failed_again(number, error=error, now_ms=now_ms))

    async def discard(self, number: int) -> bool:
        """Remove a dead letter."""
        return await self._tables.do(lambda tables: tables.discard(number))

    async def forget(self, session_ids: Sequence[str]) -> None:
        """Remove sessions."""
        await self._tables.do(lambda tables: tables.forget(session_ids))

    async def counts(self) -> Counts:
        """Count."""
        return await self._tables.do(lambda tables: tables.counts())
