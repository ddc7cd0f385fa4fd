"""Records as lines: what is written comes back, and some more text is written short."""

import msgspec
import pytest

from duologue.model.events import TextDelta
from duologue.model.inputs import AgentSpoke, DeadlinePassed
from duologue.model.records import Record, decode_events, decode_records, encode_record, encode_text

DELTA = TextDelta(
    seq=7,
    at_ms=1_000,
    state="speaking",
    turn=1,
    request_id="q",
    response_id="response-1",
    message_id="response-1-message",
    text="naïve\n",
    length=12,
)
SPOKEN = AgentSpoke(response_id="response-1", text="naïve\n")


def test_some_more_text_is_its_event_alone() -> None:
    record = Record(at_ms=1_000, input=SPOKEN, events=(DELTA,))
    line = encode_record(record)
    assert line == encode_text(DELTA)
    assert list(msgspec.json.decode(line)) == ["events"]
    assert list(decode_records(line)) == [record]
    assert list(decode_events(line)) == [DELTA]


@pytest.mark.parametrize(
    "record",
    [
        Record(at_ms=1_001, input=SPOKEN, events=(DELTA,)),
        Record(at_ms=1_000, input=AgentSpoke(response_id="response-1", text="other"), events=(DELTA,)),
        Record(at_ms=1_000, input=DeadlinePassed(), events=(DELTA,)),
        Record(at_ms=1_000, input=SPOKEN, events=(DELTA, DELTA)),
    ],
)
def test_what_the_event_does_not_say_is_written(record: Record) -> None:
    line = encode_record(record)
    assert "input" in msgspec.json.decode(line)
    assert list(decode_records(line)) == [record]


@pytest.mark.parametrize(
    "line",
    [
        b'{"events":[]}',
        b'{"events":[{"kind":"session_ended","seq":1,"at_ms":1,"state":"idle","reason":"x"}]}',
        b'{"at_ms":1,"events":[{"kind":"session_ended","seq":1,"at_ms":1,"state":"idle","reason":"x"}]}',
    ],
)
def test_a_record_without_its_input_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        list(decode_records(line))
