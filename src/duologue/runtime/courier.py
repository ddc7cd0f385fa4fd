"""Carrying one session's notices to one hook, in order."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.events import AnyEvent, HistoryTrimmed
from duologue.model.records import decode_events
from duologue.ports.clock import Clock
from duologue.ports.notices import Notices
from duologue.ports.outbox import Cursor, DeadLetter, Hook, Outbox
from duologue.ports.post import Answered, Letter, Post
from duologue.ports.store import Store
from duologue.runtime.figures import count

TRIMMED = "trimmed"
"""The kind of a dead letter that stands for events which were removed before anybody looked at them."""

TraceOf: TypeAlias = Callable[[str, int], Mapping[str, str]]
"""Gives the headers that make a notice part of the trace of a session's turn; empty where none is known."""


def no_trace(_session_id: str, _turn: int) -> Mapping[str, str]:
    """Know of no trace."""
    return {}


Complete: TypeAlias = Callable[[str, AnyEvent], Awaitable[AnyEvent]]
"""Adds to an event of a session what its receiver is told and no journal holds, at the moment of each attempt.

May raise `StoreError`: it is tried again later. What it waits for it bounds in time.
"""


async def as_stored(_session_id: str, event: AnyEvent) -> AnyEvent:
    """Add nothing."""
    return event


class DeliverySettings(Value, kw_only=True):
    """How notices are delivered.

    Attributes:
        hook: is told of all sessions; `None` where only sessions' own hooks are.
        retries: how often a notice is tried again before it is given up.
        backoff_ms: the longest pause before the first retry; doubled for each later one.
    """

    hook: Hook | None = None
    retries: int = limits.WEBHOOK_RETRIES
    backoff_ms: int = limits.WEBHOOK_BACKOFF_MS


@dataclass(slots=True)
class DeliveryFigures:
    """Counts since the start.

    Attributes:
        attempts: by outcome: `delivered`, `failed` (it is tried again, or was tried by hand), `dead` (given up).
    """

    attempts: dict[str, int] = field(default_factory=dict[str, int])


class _Place(NamedTuple):
    """Where a delivery stands: everything up to `seq` is done, and what follows has failed so often."""

    seq: int
    failures: int


class Courier:
    """Reads a session's journal from a cursor on, and sends what its hook asks for, one after the other.

    An event is sent again until its receiver has it or it is given up; what follows waits. Where the process dies
    between the receipt and its note, the receiver gets the same notice again, with the same id.
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
        settings: DeliverySettings,
        trace: TraceOf = no_trace,
        complete: Complete = as_stored,
    ) -> None:
        self.figures = DeliveryFigures()
        self._store, self._outbox, self._post = store, outbox, post
        self._notices, self._clock, self._chance = notices, clock, chance
        self._settings, self._trace, self._complete = settings, trace, complete

    async def carry(self, cursor: Cursor, hook: Hook, *, since_ms: int) -> None:
        """Send what follows a cursor, until there is no more, one has to wait, or it is others' turn.

        Args:
            cursor: is due.
            hook: its hook.
            since_ms: what is older is not sent.
        Raises:
            StoreError: the journal or the outbox cannot be used now.
            msgspec.MsgspecError: the journal is damaged.
        Cancellation: safe; what was not noted is sent again.
        """
        place = _Place(cursor.seq, cursor.failures)
        sent = 0
        while True:
            events = await self._read(cursor.session_id, place.seq)
            for event in events:
                kind = self._asked_for(event, hook, since_ms)
                if kind is None:
                    if _is_gap(event, place.seq, since_ms):
                        await self._give_up(cursor, event, kind=TRIMMED, failures=0, error="removed by retention")
                    place = place._replace(seq=event.seq)
                    continue
                if not await self._deliver(cursor, hook, event, kind, place):
                    return
                place, sent = _Place(event.seq, 0), sent + 1
                if sent == limits.WEBHOOK_RUN:
                    return
            if len(events) < limits.READ_EVENTS:
                await self._finish(cursor, place.seq, found=bool(events))
                return

    async def send(self, hook: Hook, session_id: str, event: AnyEvent, *, attempt: int) -> Answered:
        """Send an event's notice once.

        Raises:
            StoreError: it could not be completed now; nothing was sent.
        """
        body = self._notices.body(await self._complete(session_id, event))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "duologue",
            "Duologue-Session": quote(session_id, safe=""),
            "Duologue-Turn": str(event.turn),
            "Duologue-Request-Id": quote(event.request_id, safe=""),
            "Duologue-Sequence": str(event.seq),
            "Duologue-Event-Id": event_id(session_id, event),
            "Duologue-Attempt": str(attempt),
        }
        headers |= self._trace(session_id, event.turn)
        headers |= self._notices.proof(body, secret=hook.secret, now_ms=self._clock.now_ms())
        return await self._post.send(Letter(url=hook.url, headers=headers, body=body))

    async def find(self, letter: DeadLetter) -> AnyEvent | None:
        """Find what a dead letter was about; `None` where the journal does not have it any more."""
        for event in await self._read(letter.session_id, letter.seq - 1):
            if event.seq == letter.seq and event.at_ms == letter.at_ms and self._notices.kind(event) is not None:
                return event
        return None

    async def _read(self, session_id: str, after: int) -> list[AnyEvent]:
        lines = await self._store.read(session_id, after=after, limit=limits.READ_EVENTS)
        return [event for event in decode_events(lines) if event.seq > after]

    def _asked_for(self, event: AnyEvent, hook: Hook, since_ms: int) -> str | None:
        """The kind of notice that a hook is to get of an event."""
        if event.at_ms < since_ms:
            return None
        kind = self._notices.kind(event)
        return None if kind is None or (hook.kinds and kind not in hook.kinds) else kind

    async def _deliver(self, cursor: Cursor, hook: Hook, event: AnyEvent, kind: str, place: _Place) -> bool:
        """Send a notice, and note what came of it; false where it has to wait."""
        failures = place.failures
        answered = await self.send(hook, cursor.session_id, event, attempt=failures + 1)
        if not answered.error:
            count(self.figures.attempts, "delivered")
            await self._outbox.advance(cursor, seq=event.seq)
            return True
        failures += 1
        if failures > self._settings.retries:
            await self._give_up(cursor, event, kind=kind, failures=failures, error=answered.error)
            return True
        count(self.figures.attempts, "failed")
        pause_ms = max(answered.wait_ms, self._pause_ms(failures))
        await self._outbox.put_off(
            cursor,
            seq=place.seq,
            failures=failures,
            due_ms=self._clock.now_ms() + pause_ms,
            error=answered.error,
        )
        return False

    def _pause_ms(self, failures: int) -> int:
        """Wait longer each time, and not at the same moment as all others that failed with it."""
        longest = min(self._settings.backoff_ms * 2 ** (failures - 1), limits.WEBHOOK_BACKOFF_MAX_MS)
        return int(longest * (0.5 + self._chance() / 2))

    async def _give_up(self, cursor: Cursor, event: AnyEvent, *, kind: str, failures: int, error: str) -> None:
        count(self.figures.attempts, "dead")
        letter = DeadLetter(
            session_id=cursor.session_id,
            hook=cursor.hook,
            kind=kind,
            seq=event.seq,
            at_ms=event.at_ms,
            failures=failures,
            error=error,
            failed_ms=self._clock.now_ms(),
        )
        await self._outbox.bury(letter, keep=limits.WEBHOOK_LETTERS)

    async def _finish(self, cursor: Cursor, seq: int, *, found: bool) -> None:
        # What was removed by another way than the hub's is forgotten here.
        if not found and await self._store.info(cursor.session_id) is None:
            await self._outbox.forget([cursor.session_id])
        else:
            await self._outbox.settle(cursor, seq=seq)


def event_id(session_id: str, event: AnyEvent) -> str:
    """Make an event's id for receivers: the same at each attempt, and another for a later session of the same name."""
    return blake2b(f"{event.seq} {event.at_ms} {session_id}".encode(), digest_size=16).hexdigest()


def _is_gap(event: AnyEvent, after: int, since_ms: int) -> bool:
    """Whether events that follow `after` were removed, which might have been sent."""
    return isinstance(event, HistoryTrimmed) and event.seq > after + 1 and event.at_ms >= since_ms
