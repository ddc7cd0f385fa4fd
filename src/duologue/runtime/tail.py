"""The latest durable events of a live session, and the frames that were made of them."""

from duologue.model import limits
from duologue.model.events import AnyEvent
from duologue.ports.dialect import Dialect

BOUND_EVERY = 128
"""A power of two."""

_MOST = 2 * limits.TAIL_EVENTS - BOUND_EVERY

_FRAMES = 64
"""Frames of a dialect that are kept for its other readers, who are at nearly the same place."""


class Tail:
    """Keeps at most twice `limits.TAIL_EVENTS` events (policy: drop the oldest; readers behind it ask the store).

    Who appends to `events` by himself, which is the way of every token, calls `bound` at least every `BOUND_EVERY`.

    The frames of the latest events are made once per dialect, however many connections show them.
    """

    __slots__ = ("_first", "_frames", "events")

    def __init__(self, after: int) -> None:
        self._first = after + 1
        self.events: list[AnyEvent] = []
        self._frames: dict[Dialect, dict[int, bytes | None]] = {}

    def add(self, events: tuple[AnyEvent, ...]) -> None:
        """Add the next durable events."""
        self.events += events
        self.bound()

    def bound(self) -> None:
        """Drop the oldest, where there are too many."""
        if len(self.events) > _MOST:
            self._cut(len(self.events) - limits.TAIL_EVENTS)

    def after(self, seq: int, *, limit: int) -> list[AnyEvent] | None:
        """Events that follow `seq`, oldest first, at most `limit`; `None` where the next one is gone from here."""
        start = seq + 1 - self._first
        return self.events[start : start + limit] if start >= 0 else None

    def frames(self, dialect: Dialect, events: list[AnyEvent]) -> list[tuple[int, bytes]]:
        """Events in a dialect's words, each with its number; events that it has no word for are left out."""
        frames: list[tuple[int, bytes]] = []
        for event in events:
            data = self.frame(dialect, event)
            if data is not None:
                frames.append((event.seq, data))
        return frames

    def frame(self, dialect: Dialect, event: AnyEvent) -> bytes | None:
        """An event in a dialect's words; `None` where it has no word for it."""
        seq, known = event.seq, self._frames.setdefault(dialect, {})
        if seq in known:
            return known[seq]
        if len(known) == _FRAMES:
            known.clear()
        known[seq] = data = dialect.project(event)
        return data

    def clear(self) -> None:
        """Forget all; what is asked for comes from the store."""
        self._cut(len(self.events))
        self._frames.clear()

    def _cut(self, count: int) -> None:
        self._first += count
        del self.events[:count]
