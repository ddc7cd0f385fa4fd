"""Recordings in their forms give the same frames, at the lines on which they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duologue.check.reading import SseParser, frames

SSE = b': hello\n\nid: 1\nevent: x\ndata: {"a":1}\n\ndata: {"b":\ndata: 2}\n\nretry: 9\n\ndata:{"c":3}\n\n'


def found(recording: bytes) -> list[tuple[int, int, bytes]]:
    return [(frame.number, frame.line, frame.data) for frame in frames(recording)]


def test_lines_are_frames_and_empty_ones_are_not() -> None:
    assert found(b'{"a":1}\n\n{"b":2}\r\n') == [(1, 1, b'{"a":1}'), (2, 3, b'{"b":2}')]


def test_a_byte_order_mark_is_none_of_it() -> None:
    assert found(b'\xef\xbb\xbf{"a":1}') == [(1, 1, b'{"a":1}')]


def test_marks_of_command_line_clients_are_left_out() -> None:
    assert found(b'> {"a":1}\n< {"b":2}\n') == [(1, 1, b'{"a":1}'), (2, 2, b'{"b":2}')]


def test_one_object_may_stand_on_several_lines() -> None:
    assert found(b'{\n  "a": 1\n}\n') == [(1, 1, b'{\n  "a": 1\n}')]


def test_an_array_gives_its_items_where_they_stand() -> None:
    assert found(b'[{"a":1},\n  {"b":[2]}\n]') == [(1, 1, b'{"a":1}'), (2, 2, b'{"b":[2]}')]
    assert found(b"[]") == []


@pytest.mark.parametrize("form", ["[%s]", "%s", "data: %s\n\n"])
def test_a_long_recording_takes_no_longer_for_each_frame(form: str) -> None:
    """Twenty thousand frames within the time limit of a test: what looks back at each frame does not get there."""
    one = '{"type":"text.delta","delta":"' + "x" * 200 + '"}'
    if form.startswith("data"):
        recording = (form % one) * 20_000
    else:
        recording = form % (",\n" if form.startswith("[") else "\n").join([one] * 20_000)
    last = found(recording.encode())[-1]
    assert last[0] == 20_000
    assert last[2] == one.encode()


def test_an_array_that_breaks_off_ends_in_a_broken_frame() -> None:
    assert found(b'[{"a":1},\n{"b"') == [(1, 1, b'{"a":1}'), (2, 2, b'{"b"')]


def test_server_sent_events_give_their_data() -> None:
    assert found(SSE) == [(1, 5, b'{"a":1}'), (2, 7, b'{"b":\n2}'), (3, 12, b'{"c":3}')]


def test_the_last_event_needs_no_empty_line() -> None:
    assert found(b'data: {"a":1}\n\ndata: {"b":2}') == [(1, 1, b'{"a":1}'), (2, 3, b'{"b":2}')]


@given(st.lists(st.integers(0, len(SSE)), max_size=6), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_events_are_the_same_however_the_bytes_are_cut(cuts: list[int], line_end: bytes) -> None:
    whole = SSE.replace(b"\n", line_end)
    places = sorted(min(cut, len(whole)) for cut in cuts)
    pieces = [whole[a:b] for a, b in zip([0, *places], [*places, len(whole)], strict=True)]
    parser = SseParser()
    coming = [frame for piece in pieces for frame in parser.take(piece)]
    assert [frame.data for frame in [*coming, *parser.end()]] == [b'{"a":1}', b'{"b":\n2}', b'{"c":3}']


@pytest.mark.parametrize("recording", [b"", b"\n\n", b": only a comment\n\n"])
def test_nothing_is_no_frame(recording: bytes) -> None:
    assert found(recording) == []
