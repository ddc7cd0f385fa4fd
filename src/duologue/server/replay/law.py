"""The law of the journal: the recorded inputs, stepped again, give the recorded events byte for byte."""

import msgspec

from duologue.engine.step import step
from duologue.model.base import Value
from duologue.model.records import Record, encode_record
from duologue.server.replay.recorded import Recorded


class Breach(Value, kw_only=True):
    """Where a journal does not step to itself. `stored` and `stepped` are JSON, as far as they differ."""

    seq: int
    stored: str
    stepped: str


class Verdict(Value, kw_only=True):
    """What came of it.

    Attributes:
        records, events: how many were stepped again.
        before: events that cannot be, as retention has removed what led to them.
        breach: the first difference; what follows it was not looked at.
    """

    records: int
    events: int
    before: int
    breach: Breach | None = None

    @property
    def holds(self) -> bool:
        """Whether everything came out the same."""
        return self.breach is None


def verify(recorded: Recorded) -> Verdict:
    """Step all inputs again, and compare what comes out with what is stored."""
    state = recorded.beginning()
    records = events = 0
    breach: Breach | None = None
    for line, record in recorded.steps():
        try:
            stepped = step(state, record.input, now_ms=record.at_ms)
        except AssertionError as error:
            breach = Breach(seq=record.events[0].seq, stored=_text(line), stepped=f"the engine stops: {error}")
            break
        again = encode_record(Record(at_ms=state.at_ms, input=record.input, events=stepped.events))
        if again != line:
            breach = _breach(record, line, again)
            break
        records += 1
        events += len(record.events)
    info = recorded.header.info
    before = max(0, recorded.begins_after - info.first_seq + 1)
    return Verdict(records=records, events=events, before=before, breach=breach)


def _breach(record: Record, line: bytes, again: bytes) -> Breach:
    """Show the events that differ; where none does, the whole lines, of which another version wrote one."""
    stepped = msgspec.json.decode(again, type=Record)
    pairs = zip(record.events, stepped.events, strict=False)
    for stored, new in pairs:
        if stored != new:
            return Breach(
                seq=stored.seq, stored=_text(msgspec.json.encode(stored)), stepped=_text(msgspec.json.encode(new))
            )
    return Breach(seq=record.events[0].seq, stored=_text(line), stepped=_text(again))


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\n")
