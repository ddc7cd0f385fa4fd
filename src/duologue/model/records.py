"""Journal records: one input and what followed from it, as one line of JSON."""

from collections.abc import Iterable, Iterator

import msgspec

from duologue.model.base import Value
from duologue.model.events import AnyEvent
from duologue.model.inputs import AnyInput


class Record(Value, kw_only=True):
    """One step: the input, when it came (ms since 1970), and its events (at least one)."""

    at_ms: int
    input: AnyInput
    events: tuple[AnyEvent, ...]


class _EventsOnly(msgspec.Struct):
    events: tuple[AnyEvent, ...]


_encoder = msgspec.json.Encoder()
_records = msgspec.json.Decoder(Record)
_events = msgspec.json.Decoder(_EventsOnly)


def encode_record(record: Record) -> bytes:
    """Encode one record as a line of JSON with its line end."""
    return _encoder.encode_lines((record,))


def decode_records(lines: bytes) -> Iterator[Record]:
    """Decode records from JSON lines, in order.

    Raises:
        msgspec.MsgspecError: a line is not a record of this version.
    """
    return map(_records.decode, lines.splitlines())


def decode_events(lines: bytes) -> Iterator[AnyEvent]:
    """Decode only the events of JSON lines; the inputs are skipped unread."""
    for line in lines.splitlines():
        yield from _events.decode(line).events


def encode_records(records: Iterable[Record]) -> bytes:
    """Encode records as JSON lines."""
    return b"".join(map(encode_record, records))


def last_seq(lines: bytes) -> int:
    """The number of the last event in JSON lines that are not empty."""
    return _events.decode(lines[lines.rstrip(b"\n").rfind(b"\n") + 1 :]).events[-1].seq
