"""The AG-UI agent's parts: reading streams of events and knowing the protocol; runs are in tests/conformance/agents."""

from itertools import pairwise

import msgspec
import pytest
from ag_ui.core import EventType
from hypothesis import given
from hypothesis import strategies as st

from duologue.adapters.agent_agui import AguiAgent, AguiOptions, wire
from duologue.adapters.agent_agui.sse import SseReader, TooLarge

STREAM = b"\xef\xbb\xbfdata: a\r\ndata:b\r\r: comment\n\nevent: x\ndata\n\nid: 7\n\ndata:  c\n\ndata: cut"


def read(chunks: list[bytes], *, most: int = 1_000) -> list[bytes]:
    reader = SseReader(most=most)
    return [data for chunk in chunks for data in reader.feed(chunk)]


def test_a_stream_is_read_as_the_standard_says() -> None:
    assert read([STREAM]) == [b"a\nb", b"", b" c"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_however_it_is_cut(places: list[int]) -> None:
    ends = [0, *sorted(places), len(STREAM)]
    chunks = [STREAM[begin:end] for begin, end in pairwise(ends)]
    assert read(chunks) == [b"a\nb", b"", b" c"]


@given(st.binary(max_size=200), st.integers(1, 40))
def test_nothing_that_comes_in_is_kept_beyond_the_bound(stream: bytes, size: int) -> None:
    reader = SseReader(most=50)
    try:
        for place in range(0, len(stream), size):
            for data in reader.feed(stream[place : place + size]):
                assert len(data) <= 50
    except TooLarge:
        pass


def test_an_event_that_is_too_large_is_refused_before_it_is_whole() -> None:
    with pytest.raises(TooLarge):
        read([b"data: " + b"x" * 46], most=50)
    with pytest.raises(TooLarge):
        read([b"data: xxxxxxxxx\n"] * 5, most=50)
    assert read([b"data: xxxxxxxxx\n\n"] * 20, most=50) == [b"xxxxxxxxx"] * 20


@pytest.mark.parametrize("kind", EventType, ids=lambda kind: kind.value)
def test_every_event_of_the_official_package_is_known(kind: EventType) -> None:
    data = msgspec.json.encode({"type": kind.value})
    try:
        event = wire.decode(data)
    except msgspec.ValidationError:
        return  # It is known, and misses its members.
    assert not isinstance(event, wire.Passed) or event.known


def test_another_event_is_none_that_is_known() -> None:
    assert wire.decode(b'{"type": "NEW", "x": 1}') == wire.Passed(type="NEW", known=False)


def test_headers_are_not_shown() -> None:
    options = AguiOptions(url="http://agent.example/run", headers=(("Authorization", "Bearer hunter2"),))
    agent = AguiAgent(options)
    assert "hunter2" not in f"{options} {options!r} {agent!r}"
    assert agent.name == "agent.example"
