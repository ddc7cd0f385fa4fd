"""Delivering notices: which session's hook is due, how many at once, and what is remembered of it.

The journal is what is delivered, so nothing is queued: a cursor in the outbox says how far each hook has come. Sessions
that change are noted there within moments; what a crash keeps from being noted is found on the next start, by the
time of the sessions' last change.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

from duologue.model import limits
from duologue.model.errors import DuologueError, StoreError
from duologue.model.events import AnyEvent
from duologue.ports.clock import Clock
from duologue.ports.notices import Notices
from duologue.ports.outbox import Counts, Cursor, DeadLetter, Hook, HookName, Outbox
from duologue.ports.post import Answered, Post
from duologue.ports.store import Place, Store
from duologue.runtime.courier import (
    Complete,
    Courier,
    DeliveryFigures,
    DeliverySettings,
    TraceOf,
    as_stored,
    no_trace,
)
from duologue.runtime.events_log import EventLog
from duologue.runtime.figures import count

COVER_MS: Final = 600_000
"""How far back a start looks for changes that were not noted: far longer than one is on its way to the store."""

COVER_EVERY_MS: Final = 60_000
"""How often it is remembered how far back that is."""

LISTED: Final = 500
"""Sessions looked at at once on a start."""

RETRY_MS: Final = 5_000
"""How long to wait where the store or the outbox fails: neither is a receiver's fault."""

_Key = tuple[str, HookName]


class Deliveries:
    """Delivers what is stored, at least once and in order for each session and hook. A `runtime.companions.Companion`.

    A slow or dead receiver costs sockets and rows of the outbox, and delays no conversation.

    Args:
        chance: draws from 0 to 1, for pauses that differ.
        trace: names the trace of a turn to its receivers.
        complete: adds what no journal holds, as it is sent.
    """

    def __init__(
        self,
        *,
        store: Store,
        outbox: Outbox,
        post: Post,
        notices: Notices,
        clock: Clock,
        chance: Callable[[], float],
        log: EventLog,
        settings: DeliverySettings,
        trace: TraceOf = no_trace,
        complete: Complete = as_stored,
    ) -> None:
        self._store, self._outbox, self._post, self._notices = store, outbox, post, notices
        self._clock, self._log, self._settings = clock, log, settings
        self._courier = Courier(
            store=store,
            outbox=outbox,
            post=post,
            notices=notices,
            clock=clock,
            chance=chance,
            settings=settings,
            trace=trace,
            complete=complete,
        )
        self._open = self._caught_up = self._stopping = False
        self._since_ms = self._covered_at_ms = self._looked_ms = 0
        self._changed: dict[str, int] = {}
        self._busy: dict[_Key, str] = {}
        self._woken = asyncio.Event()
        self._group = asyncio.TaskGroup()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def figures(self) -> DeliveryFigures:
        """What was counted."""
        return self._courier.figures

    async def __aenter__(self) -> Self:
        try:
            await self._begin(create=self._settings.hook is not None)
        except BaseException:
            await self._outbox.close()
            raise
        await self._group.__aenter__()
        self._loop = self._group.create_task(self._run(), name="deliveries")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping = True
        self._loop.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=limits.WEBHOOK_STOP_MS / 1000)
        for task in self._tasks:
            task.cancel()
        try:
            await self._group.__aexit__(None, None, None)
            await self._note()
        except StoreError as failed:
            self._log("webhooks_failed", error=str(failed))
        finally:
            await self._post.close()
            await self._outbox.close()

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events; those that somebody may be told of make their session due."""
        if self._open and any(self._notices.kind(event) is not None for event in events):
            self._changed[session_id] = events[-1].seq
            self._woken.set()

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget sessions that are about to be removed; see `Companion`."""
        for session_id in session_ids:
            self._changed.pop(session_id, None)
        if self._open:
            await self._outbox.forget(session_ids)

    async def imported(self, session_id: str, *, last_seq: int) -> None:
        """Take it that whoever had a session before has told of it.

        Raises:
            StoreError: the outbox cannot note it now.
        """
        if self._open and self._settings.hook is not None:
            await self._outbox.skip(session_id, seq=last_seq)

    async def set_hook(self, session_id: str, hook: Hook, *, seq: int) -> Cursor:
        """Give a session a hook of its own, which is told of what follows `seq`, or change the one that it has.

        Raises:
            StoreError: the outbox cannot keep it now.
        """
        await self._begin(create=True)
        await self._outbox.set_hook(session_id, hook, seq=seq)
        self._woken.set()
        found = await self.hook(session_id)
        assert found is not None, "it was just set"
        return found[1]

    async def hook(self, session_id: str) -> tuple[Hook, Cursor] | None:
        """A session's own hook, and how far it has come.

        Raises:
            StoreError: the outbox cannot be read now.
        """
        if not self._open:
            return None
        hook = await self._outbox.hook(session_id)
        cursors = [cursor for cursor in await self._outbox.cursors(session_id) if cursor.hook == "session"]
        return (hook, cursors[0]) if hook is not None and cursors else None

    async def drop_hook(self, session_id: str) -> bool:
        """Remove a session's own hook; false where it has none. What waits for it is not sent.

        Raises:
            StoreError: the outbox cannot be used now.
        """
        return self._open and await self._outbox.drop_hook(session_id)

    async def letters(self, *, before: int | None, limit: int) -> Sequence[DeadLetter]:
        """List dead letters; see the port.

        Raises:
            StoreError: the outbox cannot be read now.
        """
        return await self._outbox.letters(before=before, limit=limit) if self._open else ()

    async def discard(self, number: int) -> bool:
        """Remove a dead letter; false where there is none.

        Raises:
            StoreError: the outbox cannot be used now.
        """
        return self._open and await self._outbox.discard(number)

    async def redeliver(self, number: int) -> Answered | None:
        """Send a dead letter once more, now and out of turn; it is dead no longer once its receiver has it.

        Returns:
            What came of it; `None` where there is no such letter.
        Raises:
            StoreError: the outbox or the journal cannot be used now.
        """
        letter = await self._outbox.letter(number) if self._open else None
        if letter is None:
            return None
        hook = await self._hook_of(letter.session_id, letter.hook)
        if hook is None:
            return Answered(error="its hook was removed")
        event = await self._courier.find(letter)
        if event is None:
            return Answered(error="its event is in the journal no longer")
        answered = await self._courier.send(hook, letter.session_id, event, attempt=letter.failures + 1)
        if answered.error:
            count(self.figures.attempts, "failed")
            await self._outbox.failed_again(number, error=answered.error, now_ms=self._clock.now_ms())
        else:
            count(self.figures.attempts, "delivered")
            await self._outbox.discard(number)
        return answered

    async def counts(self) -> Counts:
        """Count what is waiting and what is dead.

        Raises:
            StoreError: the outbox cannot be read now.
        """
        return await self._outbox.counts() if self._open else Counts(waiting=0, dead=0)

    async def _begin(self, *, create: bool) -> None:
        """Open the outbox where there is one, or there has to be."""
        if self._open or not await self._outbox.open(create=create):
            return
        now_ms = self._clock.now_ms()
        if self._settings.hook is not None:
            self._since_ms = await self._outbox.began_ms(now_ms)
        else:
            await self._outbox.end()
        if await self._outbox.covered_ms() is None:
            await self._outbox.cover(now_ms)
        self._open = True

    async def _run(self) -> None:
        """Deliver, for ever."""
        while True:
            self._woken.clear()
            try:
                await self._round()
                rest_ms = await self._rest_ms()
            # The boundary of all deliveries: conversations go on whatever goes wrong here.
            except Exception as error:  # noqa: BLE001
                self._log("webhooks_failed", error=_words(error))
                await asyncio.sleep(RETRY_MS / 1000)
                continue
            try:
                async with asyncio.timeout(rest_ms / 1000):
                    await self._woken.wait()
            except TimeoutError:
                pass

    async def _round(self) -> None:
        if not self._open:
            return
        await self._note()
        if not self._caught_up:
            await self._catch_up()
        await self._dispatch()
        now_ms = self._clock.now_ms()
        if now_ms - self._covered_at_ms >= COVER_EVERY_MS:
            await self._outbox.cover(max(now_ms - COVER_MS, await self._outbox.covered_ms() or 0))
            self._covered_at_ms = now_ms

    async def _rest_ms(self) -> int:
        """How long nothing is to do, unless something happens."""
        if not self._open:
            return COVER_EVERY_MS
        # After the moment of the last look: what became due since then would otherwise be missed.
        due_ms = await self._outbox.next_due_ms(self._looked_ms)
        rest_ms = COVER_EVERY_MS if due_ms is None else due_ms - self._clock.now_ms()
        return max(1, min(rest_ms, COVER_EVERY_MS))

    async def _note(self) -> None:
        """Note what has changed; what cannot be noted now stays to be."""
        changed, self._changed = self._changed, {}
        if not changed:
            return
        try:
            await self._outbox.note(changed, now_ms=self._clock.now_ms(), everyone=self._settings.hook is not None)
        except BaseException:
            self._changed = changed | self._changed
            raise

    async def _catch_up(self) -> None:
        """Note the sessions that changed before the process died and were not noted."""
        now_ms = self._clock.now_ms()
        covered_ms = await self._outbox.covered_ms() or 0
        if covered_ms > now_ms:
            # The clock was set back, so times say nothing: look at all.
            covered_ms = 0
        after: Place | None = None
        while True:
            page = await self._store.list_sessions(after=after, limit=LISTED)
            recent = {info.session_id: info.last_seq for info in page if info.updated_ms >= covered_ms}
            if recent:
                await self._outbox.note(recent, now_ms=now_ms, everyone=self._settings.hook is not None)
            if len(recent) < len(page) or len(page) < LISTED:
                break
            after = Place(updated_ms=page[-1].updated_ms, session_id=page[-1].session_id)
        self._caught_up = True

    async def _dispatch(self) -> None:
        """Give due cursors to couriers, as far as there is room."""
        room = limits.WEBHOOK_SENDS - len(self._busy)
        if room <= 0 or self._stopping:
            return
        at_work = Counter(self._busy.values())
        full = frozenset(target for target, times in at_work.items() if times >= limits.WEBHOOK_SENDS_PER_TARGET)
        self._looked_ms = self._clock.now_ms()
        found = await self._outbox.due(self._looked_ms, limit=room + len(self._busy), without=full)
        for cursor in found:
            key = (cursor.session_id, cursor.hook)
            if key in self._busy or len(self._busy) >= limits.WEBHOOK_SENDS:
                continue
            if at_work[cursor.target] < limits.WEBHOOK_SENDS_PER_TARGET:
                at_work[cursor.target] += 1
                self._busy[key] = cursor.target
                task = self._group.create_task(self._carry(cursor), name="courier")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _carry(self, cursor: Cursor) -> None:
        try:
            hook = await self._hook_of(cursor.session_id, cursor.hook)
            if hook is not None:
                since_ms = self._since_ms if cursor.hook == "server" else 0
                await self._courier.carry(cursor, hook, since_ms=since_ms)
            else:
                await self._outbox.drop_hook(cursor.session_id)
        # The boundary of one session's deliveries: whatever goes wrong there, the others go on.
        except Exception as error:  # noqa: BLE001
            self._log("webhook_failed", session=cursor.session_id, error=_words(error))
            await self._wait(cursor)
        finally:
            del self._busy[cursor.session_id, cursor.hook]
            self._woken.set()

    async def _wait(self, cursor: Cursor) -> None:
        """Look at a cursor again after a while: what failed was not its receiver."""
        try:
            await self._outbox.put_off(
                cursor,
                seq=cursor.seq,
                failures=cursor.failures,
                due_ms=self._clock.now_ms() + RETRY_MS,
                error=cursor.error,
            )
        except StoreError:
            await asyncio.sleep(RETRY_MS / 1000)

    async def _hook_of(self, session_id: str, name: HookName) -> Hook | None:
        return self._settings.hook if name == "server" else await self._outbox.hook(session_id)


def _words(error: Exception) -> str:
    """What may be logged of an error: ours say no more than that, the text of others may quote what people wrote."""
    return str(error) if isinstance(error, DuologueError) else type(error).__name__
