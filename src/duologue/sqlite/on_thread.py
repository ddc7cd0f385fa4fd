"""A thread for one database, and its answers' way back to the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import apsw

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.errors import StoreError


class Closing(Protocol):
    """What is done on the thread ends with it."""

    def close(self) -> None:
        """Close it."""
        ...


TablesT = TypeVar("TablesT", bound=Closing)
T = TypeVar("T")


class Words(Value, kw_only=True):
    """What an operator is told of a database that fails.

    Attributes:
        name: of what it holds, as a sentence begins with it: "The memory".
        undone: what did not happen where the disk is full: "nothing was remembered".
        lost: what somebody gives up who moves the file away.
    """

    name: str
    undone: str
    lost: str


class OnThread(Generic[TablesT]):
    """Does work on a database's tables, one piece after the other, on a thread of its own.

    Args:
        path: of the database.
        make: opens the tables; called on the thread.
        words: for people.
    """

    def __init__(self, path: Path, make: Callable[[Path], TablesT], *, words: Words) -> None:
        self._path, self._make, self._words = path, make, words
        self._thread: ThreadPoolExecutor | None = None
        self._tables: TablesT | None = None
        self._opening = asyncio.Lock()

    async def open(self, *, create: bool) -> bool:
        """Open the database, unless it is open; false where there is none, and none is to be created.

        Raises:
            StoreError: it cannot be opened now.
        Cancellation: safe.
        """
        async with self._opening:
            if self._tables is None and (create or await asyncio.to_thread(self._path.exists)):
                self._thread = self._thread or ThreadPoolExecutor(1, self._path.stem)
                self._tables = await self._call(lambda: self._make(self._path))
        return self._tables is not None

    async def close(self) -> None:
        """Let go of it, once what was handed in is finished. Cancellation: safe; the thread ends by itself."""
        tables, thread = self._tables, self._thread
        self._tables = self._thread = None
        if thread is None:
            return
        if tables is not None:
            thread.submit(tables.close)
        await asyncio.to_thread(thread.shutdown)

    async def do(self, work: Callable[[TablesT], T]) -> T:
        """Have something done, and wait for its answer.

        Raises:
            StoreError: it failed, it took longer than `limits.STORE_MS`, or the database is not open.
        Cancellation: what was handed in is done all the same.
        """
        tables = self._tables
        if tables is None:
            raise StoreError(f"{self._words.name} is closed. Start the server again.")
        return await self._call(lambda: work(tables))

    async def _call(self, work: Callable[[], T]) -> T:
        thread = self._thread
        assert thread is not None, "it is open"
        try:
            async with asyncio.timeout(limits.STORE_MS / 1000):
                return await asyncio.get_running_loop().run_in_executor(thread, work)
        except TimeoutError:
            raise StoreError(
                f"{self._words.name} did not answer within {limits.STORE_MS // 1000} s. "
                "Check that the disk of the data folder is not overloaded."
            ) from None
        except (apsw.Error, OSError) as error:
            raise StoreError(_advice(error, self._path.name, self._words)) from error


def _advice(error: Exception, name: str, words: Words) -> str:
    match error:
        case apsw.FullError():
            return f"The disk is full; {words.undone}. Free space: it then goes on by itself."
        case apsw.NotADBError() | apsw.CorruptError():
            return (
                f"{name} is damaged. Stop the server, and restore it from a backup or move it away: "
                f"{words.lost}, conversations are not."
            )
        case apsw.BusyError() | apsw.LockedError():
            return f"Another program holds {name}. Close it (a backup, a database browser)."
        case _:
            return f"{name} cannot be used ({type(error).__name__}). Check the data folder and its disk."
