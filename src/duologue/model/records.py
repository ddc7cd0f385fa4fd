"""Journal records: one input and what followed from it, as one line of JSON."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec

from duologue.model.base import Value
from duologue.model.events import AnyEvent, TextDelta
from duologue.model.inputs import AgentSpoke, AnyInput


class Record(Value, kw_only=True):
    """One step: the input, when it came (ms since 1970), and its events (at least one)."""

    at_ms: int
    input: AnyInput
    events: tuple[AnyEvent, ...]


class _Line(Value, kw_only=True):
    """A record as it is written. Some more text is its event alone: the input and its time are in it."""

    at_ms: int | None = None
    input: AnyInput | None = None
    events: Annotated[tuple[AnyEvent, ...], msgspec.Meta(min_length=1)]


class _EventsOnly(msgspec.Struct):
    events: tuple[AnyEvent, ...]


_encoder = msgspec.json.Encoder()
_encode = _encoder.encode
_lines = msgspec.json.Decoder(_Line)
_events = msgspec.json.Decoder(_EventsOnly)


def encode_record(record: Record) -> bytes:
    """Encode one record as a line of JSON with its line end."""
    event = record.events[0]
    if len(record.events) == 1 and isinstance(event, TextDelta) and _spoken(event) == (record.input, record.at_ms):
        return encode_text(event)
    return _encoder.encode_lines((record,))


def encode_text(event: TextDelta) -> bytes:
    """Encode the record of some more text; the one that is written per token."""
    return b'{"events":[%b]}\n' % _encode(event)


def decode_records(lines: bytes) -> Iterator[Record]:
    """Decode records from JSON lines, in order.

    Raises:
        msgspec.MsgspecError: a line is not a record of this version.
    """
    for line in lines.splitlines():
        written = _lines.decode(line)
        happened, at_ms, event = written.input, written.at_ms, written.events[0]
        if happened is None or at_ms is None:
            if not isinstance(event, TextDelta):
                raise msgspec.ValidationError("a record without its input holds some more text and nothing else")
            happened, at_ms = _spoken(event)
        yield Record(at_ms=at_ms, input=happened, events=written.events)


def _spoken(event: TextDelta) -> tuple[AgentSpoke, int]:
    return AgentSpoke(response_id=event.response_id, text=event.text), event.at_ms


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
