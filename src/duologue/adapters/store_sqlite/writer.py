"""The writer: gathers what is handed in, and is the only one that writes."""

import asyncio
import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeAlias, TypeVar

import apsw

from duologue.adapters.store_sqlite import bounds
from duologue.adapters.store_sqlite.checkpoint import Checkpoints
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

    One side writes at a time: who holds the desk. Where a commit need not wait for the disk (`process`), the event
    loop's thread commits what came in one round of the loop itself: 15 µs for one append, against 60 µs and a
    wait for the GIL through another thread. Moves, checkpoints, edits, large groups and everything that has to
    wait for the disk are the writer thread's; while it is at the desk, appends queue for it. A commit that
    turns out slow sends the following ones to the thread for a while.

    Where each group is synced (`power`), the thread commits all of them, and gathers until `COMMIT_WINDOW_MS` after
    the last one began. The queue is bounded by those who fill it: `BACKLOG_RECORDS` per session, and one
    edit per waiting caller.
    """

    def __init__(self, settings: WriterSettings, loop: asyncio.AbstractEventLoop) -> None:
        self._settings = settings
        self._loop = loop
        self._prompt = settings.durability == "process"
        # Appended by the event loop, popped by who holds the desk: each is one atomic step under the GIL.
        self._queue: deque[_Item] = deque()
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._asleep = False
        self._stopped = False
        self._groups = 0
        self._failed: dict[str, StoreError] = {}
        self._opened = signal()
        self._ended = signal()
        self._desk: _Desk | None = None
        self._at_desk = threading.Lock()
        self._flush_is_due = False
        self._flush_at_s = 0.0
        self._slow_until_s = 0.0
        self._thread = threading.Thread(target=self._run, name="duologue-store-writer", daemon=True)

    async def open(self) -> None:
        """Start the thread; wait until it has the lock and the database."""
        self._thread.start()
        await self._opened.answer()

    def put(self, item: _Item) -> None:
        """Hand in; called on the event loop's thread, never waits."""
        self._queue.append(item)
        if self._prompt and isinstance(item, Append):
            if not self._flush_is_due:
                self._flush_is_due = True
                rest_s = self._flush_at_s - self._loop.time()
                if rest_s <= 0:
                    self._loop.call_soon(self._flush)
                else:
                    self._loop.call_later(rest_s, self._flush)
        elif self._asleep:
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
                self._desk = desk
                self._opened.run(None)
                self._work(desk)
                desk.tidy()

    def _work(self, desk: "_Desk") -> None:
        window_s = 0.0 if self._prompt else limits.COMMIT_WINDOW_MS / 1000
        while not self._stopped:
            if not self._queue:
                self._sleep(desk)
            started = time.monotonic()
            with self._at_desk:
                self._store_queued(desk)
            if desk.checkpoints.due:
                self._checkpoint(desk)
            rest = started + window_s - time.monotonic()
            if rest > 0 and not self._stopped:
                time.sleep(rest)

    def _checkpoint(self, desk: "_Desk") -> None:
        # What fails is tried again after as much has been written once more.
        with contextlib.suppress(apsw.Error):
            desk.checkpoints.copy()
        if desk.checkpoints.overdue:
            with self._at_desk, contextlib.suppress(apsw.Error):
                desk.checkpoints.copy()

    def _sleep(self, desk: "_Desk") -> None:
        self._asleep = True
        # What was handed in between the look and the flag woke nobody: look again.
        if not self._queue:
            try:
                self._wake.get(timeout=bounds.REST_S)
            except Empty:
                with self._at_desk:
                    desk.tidy()
                self._wake.get()
        self._asleep = False

    def _store_queued(self, desk: "_Desk") -> None:
        for _ in range(len(self._queue)):
            group = self._appends(bounds.GROUP_APPENDS)
            if group:
                self._tell_later(group, self._commit(group, desk))
            if not self._queue or isinstance(self._queue[0], Append):
                continue
            match self._queue.popleft():
                case _Told(sessions=sessions):
                    for session_id in sessions:
                        del self._failed[session_id]
                case _Stop():
                    self._stopped = True
                case Append():
                    raise AssertionError("appends are taken in groups")
                case work:
                    work.run(desk.edits)
        if desk.recent.due:
            desk.move_recent()

    def _appends(self, limit: int) -> list[Append]:
        """Take the appends that are next in the queue."""
        queue, group = self._queue, list[Append]()
        while queue and len(group) < limit and isinstance(item := queue[0], Append):
            group.append(item)
            queue.popleft()
        return group

    def _commit(self, batch: Sequence[Append], desk: "_Desk") -> "_Refusals":
        """Store a group; who holds the desk.

        Raises:
            apsw.BusyError: another program holds the database, and this thread does not wait for it.
        """
        self._groups += 1
        refusals = _Refusals()
        try:
            if desk.recent.overdue:
                desk.recent.move_all()
            group = Group(desk.heads, self._groups)
            for place, append in enumerate(batch):
                session_id = append.session_id
                error = self._failed.get(session_id) or refusals.sessions.get(session_id) or group.add(append)
                if error is not None:
                    refusals.places[place] = refusals.sessions[session_id] = error
            desk.recent.held_bytes += group.store(desk.connection)
        # The group's boundary: whatever went wrong, its callers are told, and the writing goes on.
        except Exception as caught:
            for append in batch:
                desk.heads.forget(append.session_id)
            if isinstance(caught, apsw.BusyError) and threading.current_thread() is not self._thread:
                raise
            error = store_error(caught)
            for place, append in enumerate(batch):
                refusals.places.setdefault(place, error)
                refusals.sessions.setdefault(append.session_id, error)
        desk.heads.shrink()
        # One `_Told` for each failure: a later one could end the next failure too early.
        refusals.fresh = tuple(refusals.sessions.keys() - self._failed.keys())
        self._failed |= refusals.sessions
        return refusals

    def _tell_later(self, batch: Sequence[Append], refusals: "_Refusals") -> None:
        # A closed loop has nobody left to tell; the records are stored all the same.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, batch, refusals)

    # ---- the event loop's thread

    def _flush(self) -> None:
        """Commit what this round of the loop handed in, or leave it to the thread."""
        self._flush_is_due = False
        self._flush_at_s = self._loop.time() + bounds.PROMPT_WINDOW_S
        desk, started_s = self._desk, time.monotonic()
        small = len(self._queue) <= bounds.PROMPT_APPENDS and started_s >= self._slow_until_s
        if not small or desk is None or not self._at_desk.acquire(blocking=False):
            if self._asleep:
                self._wake_up()
            return
        batch = self._appends(bounds.PROMPT_APPENDS)
        try:
            refusals = self._commit(batch, desk) if batch else _Refusals()
        except apsw.BusyError:
            self._queue.extendleft(reversed(batch))
            self._slow_until_s = started_s + bounds.SLOW_S
            self._wake_up()
            return
        finally:
            self._at_desk.release()
        if time.monotonic() - started_s > bounds.SLOW_COMMIT_S:
            self._slow_until_s = started_s + bounds.SLOW_S
        if (self._queue or desk.recent.due or desk.checkpoints.due) and self._asleep:
            self._wake_up()
        self._tell(batch, refusals)

    def _tell(self, batch: Sequence[Append], refusals: "_Refusals") -> None:
        if refusals.fresh:
            # Before any of them can hand in anything new.
            self.put(_Told(sessions=refusals.fresh))
        for place, append in enumerate(batch):
            try:
                append.done(refusals.places.get(place))
            # One caller's mistake is not another's: the others are told all the same.
            except Exception as error:  # noqa: BLE001
                context = {"message": "an append's `done` raised", "exception": error}
                self._loop.call_exception_handler(context)


class _Refusals:
    """What of a group was not stored: by its place, by session, and which sessions fail for the first time."""

    __slots__ = ("fresh", "places", "sessions")

    def __init__(self) -> None:
        self.places: dict[int, StoreError] = {}
        self.sessions: dict[str, StoreError] = {}
        self.fresh: tuple[str, ...] = ()


class _Desk:
    """What is written with. Only who holds `Writer._at_desk` touches it."""

    def __init__(self, connection: apsw.Connection, checkpoints: Checkpoints, fd: int) -> None:
        self.connection = connection
        self.checkpoints = checkpoints
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
        if self.checkpoints.worthwhile:
            with contextlib.suppress(apsw.Error):
                self.checkpoints.copy()
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
        checkpoints = Checkpoints(
            connection, settings.path, synchronous="FULL" if settings.durability == "power" else "NORMAL"
        )
        stack.callback(checkpoints.close)
        return _Desk(connection, checkpoints, fd), stack.pop_all()
