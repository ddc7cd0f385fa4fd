"""The process that serves a session in a simulated world, and its store: what is written, lost, and read back."""

from collections.abc import Callable
from typing import NamedTuple

from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import Stepped, step
from duologue.model.effects import Effect
from duologue.model.events import AnyEvent
from duologue.model.inputs import AnyInput
from duologue.model.records import Record, decode_records, encode_record


class Pending(NamedTuple):
    """A step on its way to the store."""

    record: Record
    effects: tuple[Effect, ...]


class Process:
    """What a process holds of a session, and what its store keeps beyond its death.

    Attributes:
        pending: steps on their way to the store, the oldest first.
        lines: the journal, a record each.
        events: the stored ones, in order.
        snapshots_read: how often a crash was recovered from with one.
    """

    def __init__(self) -> None:
        self.pending: list[Pending] = []
        self.lines: list[bytes] = []
        self.events: list[AnyEvent] = []
        self.snapshots_read = 0
        self._read: list[Record] = []
        self._snapshot: tuple[int, bytes] | None = None

    def store(self, count: int) -> list[Pending]:
        """Make the oldest steps durable: their events may be shown, their effects are carried out."""
        stored = self.pending[:count]
        del self.pending[:count]
        for record, _ in stored:
            self.lines.append(encode_record(record))
            self.events.extend(record.events)
        return stored

    def die(self) -> int:
        """Lose what was not stored; gives how much."""
        lost = len(self.pending)
        self.pending.clear()
        return lost

    def keep_snapshot(self, state: SessionState) -> None:
        """Keep the state as of the last record; only while nothing is on its way."""
        assert not self.pending
        self._snapshot = (len(self.lines), snapshot(state))

    def load(self) -> SessionState:
        """Read the state back: the journal's inputs are stepped again, from the snapshot on where there is one."""
        if self._snapshot is None:
            return replayed(self.lines, self.journal())
        self.snapshots_read += 1
        count, encoded = self._snapshot
        return fold(restore(encoded), self.journal()[count:])

    def journal(self) -> list[Record]:
        """The stored records; each line is read back once."""
        self._read.extend(decode_records(b"".join(self.lines[len(self._read) :])))
        return self._read


def replayed(
    lines: list[bytes], records: list[Record], judge: Callable[[AnyInput, Stepped], None] | None = None
) -> SessionState:
    """Step a stored journal's inputs again; every record must come out byte for byte."""
    state = SessionState()
    for line, record in zip(lines, records, strict=True):
        stepped = step(state, record.input, now_ms=record.at_ms)
        if judge is not None:
            judge(record.input, stepped)
        again = Record(at_ms=state.at_ms, input=record.input, events=stepped.events)
        assert encode_record(again) == line, f"event {state.seq} replays differently"
    return state
