"""The writer thread: gathers what is handed in, and is the only one that writes."""

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeAlias, TypeVar

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.edits import Edits
from duologue.adapters.store_sqlite.errors import store_error
from duologue.adapters.store_sqlite.group import Group
from duologue.adapters.store_sqlite.heads import Heads
from duologue.adapters.store_sqlite.jobs import Job, Work, signal
from duologue.adapters.store_sqlite.lock import FolderLock
from duologue.adapters.store_sqlite.recent import Recent
from duologue.adapters.store_sqlite.schema import Durability, open_writer
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.errors import StoreError
from duologue.ports.store import Append

T = TypeVar("T")


class _Told(Value, frozen=True, kw_only=True):
    """The callers of failed appends know: what is handed in after this may be stored again."""

    sessions: tuple[str, ...]


class _Stop(Value, frozen=True, kw_only=True):
    """Nothing follows."""


_Item: TypeAlias = Append | Work[Edits] | _Told | _Stop


class WriterSettings(Value, frozen=True, kw_only=True):
    """How to open the database; see `SqliteStore`."""

    path: Path
    durability: Durability
    max_pages: int | None
    busy_ms: int


class Writer:
    """Takes appends and edits in the order in which they come, and stores them in groups.

    An idle writer stores at once. After a commit it gathers until `COMMIT_WINDOW_MS` after that one began,
    so that under load there is one transaction, one wake-up of the event loop and no wake-up of this
    thread per group. The queue is bounded by those who fill it: `BACKLOG_RECORDS` per session, and one
    edit per waiting caller.
    """

    def __init__(self, settings: WriterSettings, loop: asyncio.AbstractEventLoop) -> None:
        self._settings = settings
        self._loop = loop
        # Appended by the event loop, popped by the thread: each is one atomic step under the GIL, and no lock
        # is ever held that the loop could wait for.
        self._queue: deque[_Item] = deque()
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._asleep = False
        self._stopped = False
        self._groups = 0
        self._failed: dict[str, StoreError] = {}
        self._opened = signal()
        self._ended = signal()
        self._thread = threading.Thread(target=self._run, name="duologue-store-writer", daemon=True)

    async def open(self) -> None:
        """Start the thread; wait until it has the lock and the database."""
        self._thread.start()
        await self._opened.answer()

    def put(self, item: _Item) -> None:
        """Hand in; called on the event loop's thread, never waits."""
        self._queue.append(item)
        if self._asleep:
            self._wake_up()

    async def ask(self, job: Job[Edits, T]) -> T:
        """Make an edit after everything that was handed in before, and wait for its answer."""
        self.put(job)
        return await job.answer()

    def stop(self) -> None:
        """End the thread after what was handed in; `ended` waits for it."""
        self._queue.append(_Stop())
        self._wake_up()

    async def ended(self) -> None:
        """Wait until the thread has let go of everything."""
        await self._ended.answer()

    def _wake_up(self) -> None:
        self._asleep = False
        self._wake.put(None)

    # ---- the writer thread

    def _run(self) -> None:
        with contextlib.ExitStack() as last:
            last.callback(self._ended.run, None)
            try:
                desk, held = _take(self._settings)
            except (apsw.Error, OSError, StoreError) as error:
                # All is let go of by now: whoever is told may try again at once.
                self._opened.refuse(store_error(error))
                return
            with held:
                self._opened.run(None)
                self._work(desk)
                desk.tidy()

    def _work(self, desk: "_Desk") -> None:
        window_s = limits.COMMIT_WINDOW_MS / 1000
        while not self._stopped:
            if not self._queue:
                self._sleep(desk)
            started = time.monotonic()
            self._store_queued(desk)
            rest = started + window_s - time.monotonic()
            if rest > 0 and not self._stopped:
                time.sleep(rest)

    def _sleep(self, desk: "_Desk") -> None:
        self._asleep = True
        # What was handed in between the look and the flag woke nobody: look again.
        if not self._queue:
            try:
                self._wake.get(timeout=bounds.REST_S)
            except Empty:
                desk.tidy()
                self._wake.get()
        self._asleep = False

    def _store_queued(self, desk: "_Desk") -> None:
        group: list[Append] = []
        queue = self._queue
        for _ in range(min(len(queue), bounds.GROUP_APPENDS)):
            item = queue.popleft()
            if isinstance(item, Append):
                group.append(item)
                continue
            self._commit(group, desk)
            group = []
            match item:
                case _Told():
                    for session_id in item.sessions:
                        del self._failed[session_id]
                case _Stop():
                    self._stopped = True
                case _:
                    item.run(desk.edits)
        self._commit(group, desk)
        desk.heads.shrink()
        if desk.recent.due:
            desk.move_recent()

    def _commit(self, batch: Sequence[Append], desk: "_Desk") -> None:
        if not batch:
            return
        self._groups += 1
        refused: dict[int, StoreError] = {}
        failed: dict[str, StoreError] = {}
        try:
            if desk.recent.overdue:
                desk.recent.move_all()
            group = Group(desk.heads, self._groups)
            for place, append in enumerate(batch):
                session_id = append.session_id
                error = self._failed.get(session_id) or failed.get(session_id) or group.add(append)
                if error is not None:
                    refused[place] = failed[session_id] = error
            desk.recent.held_bytes += group.store(desk.connection)
        # The group's boundary: whatever went wrong, its callers are told, and the thread goes on.
        except Exception as caught:  # noqa: BLE001
            error = store_error(caught)
            for place, append in enumerate(batch):
                desk.heads.forget(append.session_id)
                refused.setdefault(place, error)
                failed.setdefault(append.session_id, error)
        # One `_Told` for each failure: a later one could end the next failure too early.
        fresh = tuple(failed.keys() - self._failed.keys())
        self._failed |= failed
        # A closed loop has nobody left to tell; the records are stored all the same.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, batch, refused, fresh)

    # ---- the event loop's thread

    def _tell(
        self, batch: Sequence[Append], refused: Mapping[int, StoreError], fresh: tuple[str, ...]
    ) -> None:
        if fresh:
            # Before any of them can hand in anything new.
            self.put(_Told(sessions=fresh))
        for place, append in enumerate(batch):
            try:
                append.done(refused.get(place))
            # One caller's mistake is not another's: the others are told all the same.
            except Exception as error:  # noqa: BLE001
                context = {"message": "an append's `done` raised", "exception": error}
                self._loop.call_exception_handler(context)


class _Desk:
    """What the writer thread works with."""

    def __init__(self, connection: apsw.Connection, fd: int) -> None:
        self.connection = connection
        self.heads = Heads(connection)
        self.recent = Recent(connection)
        self.edits = Edits(connection, self.heads, self.recent, fd=fd)

    def move_recent(self) -> None:
        """Move recent rows to their place; where that fails they stay, and it is tried again."""
        with contextlib.suppress(apsw.Error):
            self.recent.move_all()

    def tidy(self) -> None:
        """Do what nobody waits for."""
        self.move_recent()
        with contextlib.suppress(StoreError, apsw.Error, OSError):
            self.edits.scrub()


def _take(settings: WriterSettings) -> tuple[_Desk, contextlib.ExitStack]:
    """Take the lock and open the database; the stack lets go of them. Nothing is held after an error."""
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
        return _Desk(connection, fd), stack.pop_all()
