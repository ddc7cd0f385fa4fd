"""The writer: the one thread that writes to the database."""

import contextlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeVar

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.checkpoint import Checkpoints
from duologue.adapters.store_sqlite.edits import Edits
from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.heads import Head, Marked
from duologue.adapters.store_sqlite.jobs import Job, Work, signal
from duologue.adapters.store_sqlite.lines import Row
from duologue.adapters.store_sqlite.lock import FolderLock
from duologue.adapters.store_sqlite.mover import Mover
from duologue.adapters.store_sqlite.recover import next_no, recovered
from duologue.adapters.store_sqlite.schema import Durability, open_writer
from duologue.adapters.store_sqlite.spool import SPOOL_NAME, Spool
from duologue.model.base import Value
from duologue.model.errors import StoreError
from duologue.sqlite.statements import run

T = TypeVar("T")


class WriterSettings(Value, frozen=True, kw_only=True):
    """How to open the database; see `SqliteStore`."""

    path: Path
    durability: Durability
    max_pages: int | None
    busy_ms: int


class Writer:
    """Does work on the desk, one piece after the other.

    The queue is bounded by those who fill it: one move and one sync at a time, and one edit per waiting caller.
    """

    def __init__(self, settings: WriterSettings) -> None:
        self._settings = settings
        self._queue: SimpleQueue[Work[Desk] | None] = SimpleQueue()
        self._opened: Job[Desk, Desk] = Job(lambda desk: desk)
        self._ended = signal()
        self._thread = threading.Thread(target=self._run, name="duologue-store-writer", daemon=True)

    async def open(self) -> "Desk":
        """Start the thread; wait until it has the lock, the database and the spool."""
        self._thread.start()
        return await self._opened.answer()

    def put(self, work: Work["Desk"]) -> None:
        """Have something done after everything that was handed in before."""
        self._queue.put(work)

    async def ask(self, job: Job["Desk", T]) -> T:
        """Have something done, and wait for its answer."""
        self._queue.put(job)
        return await job.answer()

    def stop(self) -> None:
        """End the thread after what is queued; `ended` waits for it."""
        self._queue.put(None)

    async def ended(self) -> None:
        """Wait until the thread has let go of everything."""
        await self._ended.answer()

    def _run(self) -> None:
        with contextlib.ExitStack() as last:
            last.callback(self._ended.run, None)
            try:
                desk, held = _take(self._settings)
            # The thread's boundary: whoever opens is told, whatever went wrong. All is let go of by now, so that he may
            # try again at once.
            except Exception as error:  # noqa: BLE001
                self._opened.refuse(store_error(error))
                return
            with held:
                self._opened.run(desk)
                while (work := self._next(desk)) is not None:
                    work.run(desk)
                    if desk.checkpoints.due:
                        desk.checkpoint()
                desk.tidy()

    def _next(self, desk: "Desk") -> "Work[Desk] | None":
        try:
            return self._queue.get(timeout=bounds.REST_S)
        except Empty:
            desk.tidy()
            return self._queue.get()


class Desk:
    """What is written with; the writer thread's, but for the spool's share of the event loop.

    Attributes:
        found: the sessions of which the spool held more than the journal when it was opened.
        next_no: the first session number that is free.
        stuck: why what was found could not be moved, or `None`; then it is still in the spool.
    """

    def __init__(self, connection: apsw.Connection, spool: Spool, *, fd: int) -> None:
        self.checkpoints, self.spool = Checkpoints(connection), spool
        self.edits = Edits(connection, spool, fd=fd)
        self.next_no = next_no(connection)
        self.found = recovered(connection, spool)
        self.next_no = max([self.next_no, *(head.no + 1 for head in self.found)])
        self._mover = Mover(connection, spool)
        self.stuck: StoreError | None = None
        if spool.frozen:
            try:
                self.move(self.found, empty=True)
            except apsw.Error as error:
                self.stuck = store_error(error)
            else:
                spool.free()
        for head in self.found:
            head.cut()

    def move(self, heads: Sequence[Head], *, empty: bool) -> None:
        """Bring what the spool holds of some sessions into the journal.

        Args:
            empty: they are all of which the frozen half holds anything, so zero it.
        Raises:
            apsw.Error: some may be moved; nothing is lost.
        """
        self._mover.move(heads)
        if empty:
            self.spool.zero_frozen()

    def move_large(self, head: Head, row: Row, mark: Marked | None) -> None:
        """Bring records into the journal for which the spool is too small, behind what it holds of that session.

        Raises:
            apsw.Error: nothing is stored of them.
        """
        self._mover.move_large(head, row, mark)

    def checkpoint(self) -> None:
        """Copy the WAL back; what fails is tried again after as much has been written once more."""
        with contextlib.suppress(apsw.Error):
            self.checkpoints.copy()

    def tidy(self) -> None:
        """Do what nobody waits for."""
        if self.checkpoints.worthwhile:
            self.checkpoint()
        with contextlib.suppress(StoreError, apsw.Error, OSError):
            self.edits.scrub()


def _take(settings: WriterSettings) -> tuple[Desk, contextlib.ExitStack]:
    """Take the lock and open the files; the stack lets go of them. Nothing is held after an error."""
    with contextlib.ExitStack() as stack:
        stack.callback(FolderLock(settings.path.parent).release)
        fd = os.open(settings.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        stack.callback(os.close, fd)
        connection = open_writer(
            settings.path,
            durability=settings.durability,
            max_pages=settings.max_pages,
            busy_ms=settings.busy_ms,
        )
        stack.callback(connection.close)
        token = run(connection, "SELECT token FROM own")[0][0]
        assert isinstance(token, bytes)
        spool = Spool(settings.path.parent / SPOOL_NAME, token=token)
        stack.callback(spool.close)
        return Desk(connection, spool, fd=fd), stack.pop_all()
