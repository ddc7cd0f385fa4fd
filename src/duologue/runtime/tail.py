"""The latest durable events of a live session, and the frames that were made of them."""

from duologue.model import limits
from duologue.model.events import AnyEvent
from duologue.ports.dialect import Dialect


class Tail:
    """Keeps at most twice `limits.TAIL_EVENTS` events (policy: drop the oldest; readers behind it ask the store).

    A frame is made once per dialect, however many connections show it.
    """

    __slots__ = ("_events", "_first", "_frames")

    def __init__(self, after: int) -> None:
        self._first = after + 1
        self._events: list[AnyEvent] = []
        self._frames: dict[str, dict[int, bytes | None]] = {}

    def add(self, events: tuple[AnyEvent, ...]) -> None:
        """Add the next durable events."""
        self._events += events
        if len(self._events) > 2 * limits.TAIL_EVENTS:
            self._cut(len(self._events) - limits.TAIL_EVENTS)

    def after(self, seq: int, *, limit: int) -> list[AnyEvent] | None:
        """Events that follow `seq`, oldest first, at most `limit`; `None` where the next one is gone from here."""
        start = seq + 1 - self._first
        return self._events[start : start + limit] if start >= 0 else None

    def frames(self, dialect: Dialect, events: list[AnyEvent]) -> list[tuple[int, bytes]]:
        """Events in a dialect's words, each with its number; those that are here are put into words once."""
        known = self._frames.get(dialect.name)
        if known is None:
            known = self._frames[dialect.name] = {}
        frames: list[tuple[int, bytes]] = []
        for event in events:
            seq = event.seq
            if seq in known:
                data = known[seq]
            else:
                data = dialect.project(event)
                if seq >= self._first:
                    known[seq] = data
            if data is not None:
                frames.append((seq, data))
        return frames

    def clear(self) -> None:
        """Forget all; what is asked for comes from the store."""
        self._cut(len(self._events))
        self._frames = {}

    def _cut(self, count: int) -> None:
        self._first += count
        del self._events[:count]
        for frames in self._frames.values():
            for seq in [seq for seq in frames if seq < self._first]:
                del frames[seq]
