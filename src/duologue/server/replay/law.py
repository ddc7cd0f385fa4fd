"""The law of the journal: the recorded inputs, stepped again, give the recorded events byte for byte.

An event of an earlier version may lack members that came later (stored types only gain optional ones). Where that is
all that differs, the law holds, and it is told how often.
"""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Final, NamedTuple

import msgspec

from duologue.engine.step import step
from duologue.model.base import Value
from duologue.model.jsonwire import Json
from duologue.server.replay.recorded import Recorded

NOTHING: Final = b"no such event"
"""What is shown where one side has fewer events."""


class Breach(Value, kw_only=True):
    """Where a journal does not step to itself. `stored` and `stepped` are one event's JSON."""

    seq: int
    stored: str
    stepped: str


class Verdict(Value, kw_only=True):
    """What came of it.

    Attributes:
        records, events: how many were stepped again.
        older: events that lack members which a later version writes, and are else the same.
        before: events that cannot be stepped, as retention has removed what led to them.
        breach: the first difference; what follows it was not looked at.
    """

    records: int
    events: int
    older: int = 0
    before: int
    breach: Breach | None = None

    @property
    def holds(self) -> bool:
        """Whether everything came out the same."""
        return self.breach is None


class _Raw(msgspec.Struct):
    events: tuple[msgspec.Raw, ...]


_raws: Final = msgspec.json.Decoder(_Raw)
_encode: Final = msgspec.json.Encoder().encode


def verify(recorded: Recorded) -> Verdict:
    """Step all inputs again, and compare what comes out with what is stored."""
    state = recorded.beginning()
    records = events = older = 0
    breach: Breach | None = None
    for line, record in recorded.steps():
        try:
            stepped = step(state, record.input, now_ms=record.at_ms)
        except AssertionError as error:
            stored = _text(raw_events(line)[0])
            breach = Breach(seq=record.events[0].seq, stored=stored, stepped=f"the engine stops: {error}")
            break
        compared = compare(raw_events(line), map(_encode, stepped.events), first=record.events[0].seq)
        if compared.breach is not None:
            breach = compared.breach
            break
        records, events, older = records + 1, events + len(record.events), older + compared.older
    info = recorded.header.info
    before = max(0, recorded.begins_after - info.first_seq + 1)
    return Verdict(records=records, events=events, older=older, before=before, breach=breach)


def raw_events(line: bytes) -> list[bytes]:
    """The events of a record's line, as they were written."""
    return [bytes(event) for event in _raws.decode(line).events]


class Compared(NamedTuple):
    """How events compare: those that only lack members, and the first that is another one."""

    older: int
    breach: Breach | None


def compare(stored: Iterable[bytes], again: Iterable[bytes], *, first: int) -> Compared:
    """Compare events one by one, as bytes.

    Args:
        first: the number of the first one.
    """
    older = 0
    for place, (old, new) in enumerate(zip_longest(stored, again, fillvalue=NOTHING)):
        if old == new:
            continue
        if NOTHING in (old, new) or not _grown(msgspec.json.decode(old), msgspec.json.decode(new)):
            return Compared(older, Breach(seq=first + place, stored=_text(old), stepped=_text(new)))
        older += 1
    return Compared(older, None)


def again_the_same(recorded: Iterable[bytes], lines: Iterable[bytes]) -> bool:
    """Whether two journals hold the same events, from the first to the last."""
    return compare(_all(recorded), _all(lines), first=1).breach is None


def _all(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield from raw_events(line)


def _grown(old: Json, new: Json) -> bool:
    """Whether all that is in the old value is in the new one as it was."""
    match old, new:
        case dict(), dict():
            return all(name in new and _grown(value, new[name]) for name, value in old.items())
        case list(), list():
            return len(old) == len(new) and all(map(_grown, old, new))
        case _:
            # JSON tells true from 1, which Python does not.
            return type(old) is type(new) and old == new


def _text(event: bytes) -> str:
    return event.decode("utf-8", "replace")
