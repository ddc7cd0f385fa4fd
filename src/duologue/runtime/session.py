"""A live session: the one writer of its journal."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.responses import go_on
from duologue.engine.resuming import unfinished
from duologue.engine.state import SessionState
from duologue.engine.step import Stepped, step
from duologue.model import limits
from duologue.model.effects import Effect
from duologue.model.errors import StoreError
from duologue.model.events import AnyEvent, TextDelta
from duologue.model.inputs import AnyInput, DeadlinePassed
from duologue.model.records import Record, encode_record, encode_text
from duologue.model.replies import Repeated, Reply
from duologue.ports.clock import Clock
from duologue.ports.store import Append, SessionMark, Store
from duologue.runtime.tail import BOUND_EVERY, Tail

_Pending: TypeAlias = tuple[tuple[AnyEvent, ...], tuple[Effect, ...], bool]
"""The events and effects of a step that is on its way to the store; whether it is but some more text."""


class LiveSession:
    """Steps the engine, hands the record to the store, and lets out what the store has confirmed.

    Everything happens on the event loop's thread; a step is one call without an await, so steps never mix.

    Attributes:
        state: as of the last step, which may be ahead of the store.
        stored_seq: the last event that is durable; nothing above it is shown to anybody.
        first_seq: the first event that is still stored.
        tail: the latest durable events.
        failure: why this session must be loaded anew, or `None`.
        readers: connections that follow it.
        onlookers: those of them that are not the person's: operators, backends, whoever looks at conversations.
        watchers: called at each durable change, with the event where it is just some more text; they neither
            raise nor give anything, and the list stays as it is.
        leaving: readers are to go: the server is stopping and they come back later, or it is `deleted`.
        deleted: the session is being removed; there is nothing to come back to.
        touched_ms: when it was last asked for; what happened in it later is in its state.
        snapshot_seq: the event as of which the store has a snapshot; 0 for none.
        counted_seq: the last event that the figures count.
        granted: scopes of tools that whoever joined last has: those of a call that they begin.
        trim_point: an event, and the state as of it, up to which the journal may be trimmed later.
    """

    def __init__(
        self,
        state: SessionState,
        *,
        store: Store,
        clock: Clock,
        first_seq: int,
        epoch: int,
        carry_out: Callable[["LiveSession", Effect], None],
        stored: Callable[["LiveSession", tuple[AnyEvent, ...]], None],
        failed: Callable[["LiveSession"], None],
    ) -> None:
        self.state = state
        self.stored_seq = state.seq
        self.first_seq = first_seq
        self.epoch = epoch
        self.tail = Tail(state.seq)
        self._recent = self.tail.events
        self.failure: StoreError | None = None
        self.readers = self.onlookers = 0
        self.watchers: list[Callable[[TextDelta | None], None]] = []
        self.leaving = self.deleted = False
        self.touched_ms = clock.now_ms()
        self.snapshot_seq = 0
        self.granted: tuple[str, ...] | None = None
        self.trim_point: tuple[int, bytes] | None = None
        self._append, self._append_at_once, self._clock = store.append, store.append_at_once, clock
        self._carry_out, self._on_stored, self._on_failed = carry_out, stored, failed
        self._pending: deque[_Pending] = deque()
        self._waiting: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._due_ms = 0
        self._mark = -1
        self.counted_seq = state.seq
        self._loop = asyncio.get_running_loop()

    def give(self, happened: AnyInput) -> Stepped:
        """Step, and hand the record to the store without waiting for it.

        Raises:
            StoreError: an earlier record was not stored; nothing was done.
        """
        if self.failure is not None:
            raise self.failure
        now_ms = self._clock.now_ms()
        stepped = step(self.state, happened, now_ms=now_ms)
        if stepped.events:
            self._hand_in(happened, stepped.events, stepped.effects)
        return stepped

    def say(self, response_id: str, text: str) -> bool:
        """Take some more text of the running answer, as `give` an `AgentSpoke` would, in fewer calls.

        Returns:
            False where it is not just that, and nothing was done: `give` it.
        Raises:
            StoreError: an earlier record was not stored; nothing was done.
        """
        if self.failure is not None:
            raise self.failure
        state = self.state
        delta = go_on(state, response_id, text, now_ms=self._clock.now_ms())
        if delta is None:
            return False
        seq, line = delta.seq, encode_text(delta)
        if not self._append_at_once(state.session_id, seq, line):
            self._say_later(delta, line)
            return True
        self.stored_seq = seq
        self._recent.append(delta)
        if not seq % BOUND_EVERY:
            self.tail.bound()
        if self._waiting:
            self._wake_waiting()
        for watcher in self.watchers:
            watcher(delta)
        return True

    def _say_later(self, delta: TextDelta, line: bytes) -> None:
        """Hand some more text to the store where it may have to wait."""
        seq = delta.seq
        durable = self._append(
            Append(
                session_id=self.state.session_id,
                lines=line,
                first_seq=seq,
                last_seq=seq,
                at_ms=delta.at_ms,
                done=self._done,
            )
        )
        if durable:
            self._let_out((delta,), (), plain=True)
        else:
            self._pending.append(((delta,), (), True))

    async def submit(self, happened: AnyInput) -> Reply:
        """Step, and wait until what the reply speaks of is durable.

        Raises:
            StoreError: it was not stored; nothing of it will be seen.
        Cancellation: the step is done and will be stored all the same.
        """
        reply = self.give(happened).reply
        seq = reply.seq if isinstance(reply, Repeated) else self.state.seq
        while self.stored_seq < seq:
            await self.changed()
            if self.failure is not None:
                raise self.failure
        return reply

    def changed(self) -> asyncio.Future[None]:
        """A future that is done at the next durable change, or when the session fails or must leave."""
        waiting = self._loop.create_future()
        self._waiting.append(waiting)
        return waiting

    def wake(self) -> None:
        """Tell everybody who waits for a change, or watches."""
        self._wake_waiting()
        for watcher in self.watchers:
            watcher(None)

    def _wake_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def settled(self) -> None:
        """Wait until nothing is on its way to the store."""
        while self._pending and self.failure is None:
            await self.changed()

    @property
    def crowded(self) -> bool:
        """Whether so much waits for the store that the agent must wait too."""
        return len(self._pending) >= limits.BACKLOG_RECORDS

    @property
    def quiet(self) -> bool:
        """Whether nothing is running, no call is on, and nothing is on its way to the store."""
        return self.state.open is None and self.state.call is None and not self._pending

    @property
    def attended(self) -> bool:
        """Whether a client of the person's is there."""
        return self.readers > self.onlookers or self.state.call is not None

    def leave(self) -> None:
        """Send the readers away; they are told to come back."""
        self.leaving = True
        self.wake()

    def close(self) -> None:
        """Let go of the timer; the session takes no more part in anything."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hand_in(self, happened: AnyInput, events: tuple[AnyEvent, ...], effects: tuple[Effect, ...]) -> None:
        state, last = self.state, events[-1]
        # Some more text changes nothing that is listed or counted, and orders nothing.
        plain = last.__class__ is TextDelta and not effects
        mark = None if plain else self._changed_mark()
        durable = self._append(
            Append(
                session_id=state.session_id,
                lines=encode_record(Record(at_ms=state.at_ms, input=happened, events=events)),
                first_seq=events[0].seq,
                last_seq=last.seq,
                at_ms=state.at_ms,
                mark=mark,
                fresh=events[0].seq == 1,
                done=self._done,
            )
        )
        if self._timer is None or state.call is not None or state.tools.calls or state.observations.open:
            self.arm()
        if durable:
            self._let_out(events, effects, plain=plain)
        else:
            self._pending.append((events, effects, plain))

    def _changed_mark(self) -> SessionMark | None:
        state = self.state
        # What is open has to be found again after a restart.
        waits = unfinished(state)
        mark = state.turns * 4 + waits * 2 + state.ended
        if mark == self._mark:
            return None
        self._mark = mark
        return SessionMark(
            subject=state.subject,
            agent=state.agent,
            title=state.title,
            turns=state.turns,
            open_turn=waits,
            ended=state.ended,
        )

    def _done(self, error: StoreError | None) -> None:
        if error is not None or self.failure is not None:
            self._fail(error)
            return
        events, effects, plain = self._pending.popleft()
        self._let_out(events, effects, plain=plain)

    def _let_out(self, events: tuple[AnyEvent, ...], effects: tuple[Effect, ...], *, plain: bool) -> None:
        """Show what is durable, and do what it orders."""
        self.stored_seq = events[-1].seq
        self.tail.add(events)
        self.wake()
        if plain:
            return
        self._on_stored(self, events)
        for effect in effects:
            self._carry_out(self, effect)

    def _fail(self, error: StoreError | None) -> None:
        if self.failure is not None:
            return
        self.failure = error
        self._pending.clear()
        self.close()
        self._on_failed(self)
        self.wake()

    def arm(self) -> None:
        """Wait for the engine's next deadline.

        Without a call, and without anything that is waited for between turns, deadlines only move on, so a timer is
        early enough.
        """
        if (due_ms := next_deadline_ms(self.state)) is None:
            return
        if self._timer is not None:
            if self._due_ms <= due_ms:
                return
            self._timer.cancel()
        self._due_ms = due_ms
        self._timer = self._loop.call_later(max(0, due_ms - self._clock.now_ms()) / 1000, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.failure is None:
            self.give(DeadlinePassed())
            self.arm()
