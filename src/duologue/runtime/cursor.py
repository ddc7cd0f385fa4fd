"""A connection's place in a journal."""

import asyncio
from collections.abc import Iterator
from typing import Literal, NamedTuple

from duologue.model import limits
from duologue.model.events import AnyEvent, SessionEnded, TurnEnded
from duologue.model.records import decode_events
from duologue.ports.dialect import Dialect
from duologue.ports.store import Store
from duologue.runtime.session import LiveSession

Stop = Literal["ended", "turn_ended", "failed", "draining"]
"""Why nothing more comes: the session or the one turn is over, the store failed, or the server is leaving."""


class Frame(NamedTuple):
    """One frame, and the number of the event that it shows."""

    seq: int
    data: bytes


class Cursor:
    """Follows a session from a number on, in one dialect, at its reader's own pace.

    Nothing is buffered for it: it takes what comes next when its reader asks, from the tail or from the store.

    Attributes:
        seq: the last event that was taken.
        stop: why nothing more comes, once nothing does.
    """

    def __init__(
        self, session: LiveSession, *, dialect: Dialect, store: Store, after: int, only_turn: int | None = None
    ) -> None:
        self.session = session
        self.seq = after
        self.stop: Stop | None = None
        self._dialect, self._store, self._only_turn = dialect, store, only_turn
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[bool] | None = None

    def __enter__(self) -> "Cursor":
        self.session.readers += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.session.readers -= 1

    async def take(self, *, beat_ms: int | None = None) -> list[Frame]:
        """Wait for the next frames.

        Args:
            beat_ms: how long to wait at most; `None` waits for ever.
        Returns:
            At most `limits.READ_EVENTS` frames in order; empty when `beat_ms` passed without any, after a
            `nudge`, or when `stop` says that nothing more comes.
        Raises:
            StoreError: stored events cannot be read now.
        Cancellation: safe; nothing is lost, the next call goes on from `seq`.
        """
        frame = self.session.tail.frame
        while events := await self.events(beat_ms=beat_ms):
            frames = [
                Frame(event.seq, data)
                for event in events
                if (data := frame(self._dialect, event)) is not None
            ]
            if frames:
                return frames
        return []

    async def events(self, *, beat_ms: int | None = None) -> list[AnyEvent]:
        """Wait for the next events; as `take`, before they are put into words."""
        session = self.session
        while self.stop is None:
            if self.seq < session.stored_seq:
                if events := await self._read():
                    return events
            elif session.failure is not None:
                self.stop = "failed"
            elif session.leaving:
                self.stop = "draining"
            elif session.state.ended and session.state.seq == self.seq:
                self.stop = "ended"
            elif not await self._changed(beat_ms):
                return []
        return []

    def nudge(self) -> None:
        """Make a waiting `take` return, so that its task can do something else."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(False)

    async def _changed(self, beat_ms: int | None) -> bool:
        self._waiting = self.session.changed()
        timer = self._loop.call_later(beat_ms / 1000, self.nudge) if beat_ms is not None else None
        try:
            return await self._waiting
        finally:
            if timer is not None:
                timer.cancel()

    async def _read(self) -> list[AnyEvent]:
        tail = self.session.tail
        if tail.reaches(self.seq):
            found = tail.after(self.seq, limit=limits.READ_EVENTS)
        else:
            session_id = self.session.state.session_id
            lines = await self._store.read(session_id, after=self.seq, limit=limits.READ_EVENTS)
            found = [event for event in decode_events(lines) if event.seq > self.seq]
        if self._only_turn is None and found and found[-1].seq <= self.session.stored_seq:
            self.seq = found[-1].seq
            return found
        return list(self._within(found))

    def _within(self, events: list[AnyEvent]) -> Iterator[AnyEvent]:
        """Pass events on and note how far they went; stop where this cursor's turn does."""
        for event in events:
            if event.seq > self.session.stored_seq:
                return
            self.seq = event.seq
            if self._only_turn is None:
                yield event
                continue
            if event.turn == self._only_turn:
                yield event
            if event.turn == self._only_turn and isinstance(event, TurnEnded):
                self.stop = "turn_ended"
            if isinstance(event, SessionEnded):
                yield event
            if self.stop is not None:
                return

