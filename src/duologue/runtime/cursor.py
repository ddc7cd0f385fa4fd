"""A connection's place in a journal."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent, SessionEnded, TextDelta, TurnEnded
from duologue.model.records import decode_events
from duologue.ports.dialect import Dialect
from duologue.ports.store import Store
from duologue.runtime.session import LiveSession

Stop = Literal["ended", "turn_ended", "failed", "draining", "deleted"]
"""Why nothing more comes: the session or the turn is over or removed, the store failed, or the server is leaving."""


Frame: TypeAlias = tuple[int, bytes]
"""The number of an event, and its frame."""


class Cursor:
    """Follows a session from a number on, in one dialect, at its reader's own pace.

    Nothing is buffered for it: it takes what comes next when its reader asks, from the tail or from the store.

    Args:
        session: what it follows.
        dialect: whose frames it gives.
        store: has what is in memory no longer.
        after: the last event that its reader has.
        only_turn: it stops with the end of this turn; `None` for never.
        aside: its reader is not the person, who does not count as being there for it.
    Attributes:
        seq: the last event that was taken.
        stop: why nothing more comes, once nothing does.
        project: the dialect's.
    """

    def __init__(
        self,
        session: LiveSession,
        *,
        dialect: Dialect,
        store: Store,
        after: int,
        only_turn: int | None = None,
        aside: bool = False,
    ) -> None:
        self.session = session
        self.seq = after
        self.stop: Stop | None = None
        self.project = dialect.project
        self._dialect, self._store, self._only_turn, self._aside = dialect, store, only_turn, aside

    def __enter__(self) -> "Cursor":
        self.session.readers += 1
        self.session.onlookers += self._aside
        return self

    def __exit__(self, *_: object) -> None:
        self.session.readers -= 1
        self.session.onlookers -= self._aside
        if self.session.leaving:
            self.session.wake()

    async def take(self) -> list[Frame]:
        """Wait for the next frames.

        Returns:
            At most `limits.READ_EVENTS` frames in order; empty when `stop` says that nothing more comes.
        Raises:
            StoreError: stored events cannot be read now.
        Cancellation: safe; nothing is lost, the next call goes on from `seq`.
        """
        while events := await self.events():
            if frames := self.written(events):
                return frames
        return []

    def ready(self) -> list[Frame] | None:
        """Take the frames that are at hand, without waiting.

        Returns:
            Frames, maybe none; `None` where `take` has to be asked: it must read the store, or has a reason to stop.
        """
        session = self.session
        if self.stop is not None or session.failure is not None or session.leaving:
            return None
        if self.seq >= session.stored_seq:
            return None if session.state.ended else []
        found = session.tail.after(self.seq, limit=limits.READ_EVENTS)
        if found is None:
            return None
        frames = self.written(self._shown(found))
        return frames or self._none()

    def _none(self) -> list[Frame] | None:
        """What `ready` says after events without a word: of a session that is over, no wake comes any more."""
        return None if self.stop is not None or self.session.state.ended else []

    def written(self, events: list[AnyEvent]) -> list[Frame]:
        """Put events into the dialect's words; those that it has no word for are left out."""
        return self.session.tail.frames(self._dialect, events)

    def shared(self, event: TextDelta) -> bytes | None:
        """Some more text in the cursor's dialect, made once for all who show it; `None` where there is no word."""
        return self.session.tail.frame(self._dialect, event)

    async def events(self) -> list[AnyEvent]:
        """Wait for the next events; as `take`, before they are put into words."""
        session = self.session
        while self.stop is None:
            if session.deleted:
                self.stop = "deleted"
            elif self.seq < session.stored_seq:
                found = session.tail.after(self.seq, limit=limits.READ_EVENTS)
                if found is None:
                    found = await self._stored()
                if events := self._shown(found):
                    return events
            elif session.failure is not None:
                self.stop = "failed"
            elif session.leaving:
                self.stop = "draining"
            elif session.state.ended and session.state.seq == self.seq:
                self.stop = "ended"
            else:
                await session.changed()
        return []

    async def _stored(self) -> list[AnyEvent]:
        """The next events, from the store. They may go beyond what the session knows to be durable; they are."""
        session_id = self.session.state.session_id
        lines = await self._store.read(session_id, after=self.seq, limit=limits.READ_EVENTS)
        return [event for event in decode_events(lines) if event.seq > self.seq]

    def _shown(self, found: list[AnyEvent]) -> list[AnyEvent]:
        """What this cursor shows of events; it goes as far as they do, or as far as its turn."""
        if not found:
            return found
        self.seq = found[-1].seq
        only_turn = self._only_turn
        if only_turn is None:
            return found
        shown: list[AnyEvent] = []
        for event in found:
            if event.turn == only_turn:
                shown.append(event)
                if event.__class__ is TurnEnded:
                    self.seq, self.stop = event.seq, "turn_ended"
                    break
            elif event.__class__ is SessionEnded:
                shown.append(event)
        return shown


def check_place(session: LiveSession, after: int) -> None:
    """Check that a reader can go on after a number.

    Raises:
        Refused: the number is above what exists, or what follows it was trimmed.
    """
    if after > session.stored_seq:
        message = f"sequence {after} does not exist yet; the last one is {session.stored_seq}"
        raise Refused(Problem(code=Code.RESUME_AHEAD, message=message, limit=session.stored_seq))
    if 0 < after < session.first_seq and session.first_seq > 1:
        message = (
            f"what follows sequence {after} has been trimmed; start again from 0: "
            f"event {session.first_seq} stands for everything up to it"
        )
        raise Refused(Problem(code=Code.RESUME_TRIMMED, message=message, limit=session.first_seq))


class OpenedCursor(Cursor):
    """A cursor with frames of its reader's own before all others.

    Args:
        first: those frames, each with the number that the reader has after it.
        deleted: writes what its reader is told last where the session was deleted; the end of a stream does not say so.
    """

    def __init__(
        self,
        session: LiveSession,
        *,
        dialect: Dialect,
        store: Store,
        after: int,
        first: list[Frame],
        only_turn: int | None = None,
        deleted: Callable[[], bytes] | None = None,
    ) -> None:
        super().__init__(session, dialect=dialect, store=store, after=after, only_turn=only_turn)
        self._first, self._deleted = first, deleted

    async def take(self) -> list[Frame]:
        """Wait for the next frames; see `Cursor.take`."""
        frames = self._opening() or await super().take()
        if frames or self.stop != "deleted" or self._deleted is None:
            return frames
        told, self._deleted = self._deleted, None
        return [(self.seq, told())]

    def ready(self) -> list[Frame] | None:
        """Take the frames that are at hand; see `Cursor.ready`."""
        return self._opening() or super().ready()

    def _opening(self) -> list[Frame]:
        first, self._first = self._first, []
        return first
