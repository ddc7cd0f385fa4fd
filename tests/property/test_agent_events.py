"""Whatever an agent elsewhere sends, it is items of its run or a precise failure, and never an exception."""

import json
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.test_decoders import broken, frames

from duologue.adapters.agent_agui import wire
from duologue.adapters.agent_agui.reading import Reading
from duologue.adapters.agent_agui.trouble import AguiTrouble
from duologue.model.agent import AgentItem, AgentRequest, Finished

ITEMS: Final = get_args(AgentItem)

REQUEST: Final = AgentRequest(session_id="s", subject="local", response_id="response-1", turn=1, text="hello")

IDS: Final = st.sampled_from(["a", "b"])
VALUES: Final = st.dictionaries(st.sampled_from(["title", "url", "payloadType"]), st.text(max_size=4), max_size=3)
STARTED: Final = b'{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}'


def event(kind: str, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[bytes]:
    return st.fixed_dictionaries({"type": st.just(kind)} | members).map(lambda body: json.dumps(body).encode())


LIKELY: Final = st.one_of(
    st.just(STARTED),
    event("TEXT_MESSAGE_START", messageId=IDS, role=st.sampled_from(["assistant", "user", "system"])),
    event("TEXT_MESSAGE_CONTENT", messageId=IDS, delta=st.text(max_size=8)),
    event("TEXT_MESSAGE_END", messageId=IDS),
    event("TEXT_MESSAGE_CHUNK", messageId=IDS | st.none(), delta=st.text(max_size=8)),
    event("TOOL_CALL_START", toolCallId=IDS, toolCallName=st.sampled_from(["look", ""])),
    event("TOOL_CALL_ARGS", toolCallId=IDS, delta=st.sampled_from(["{", "}", "{}", "nothing"])),
    event("TOOL_CALL_END", toolCallId=IDS),
    event("TOOL_CALL_CHUNK", toolCallId=IDS | st.none(), toolCallName=st.just("look") | st.none(), delta=st.just("{}")),
    event("TOOL_CALL_RESULT", toolCallId=IDS, messageId=IDS, content=st.text(max_size=8)),
    event("CUSTOM", name=st.sampled_from(["duologue.citation", "duologue.rich", "x"]), value=st.none() | VALUES),
    event("RUN_FINISHED", threadId=st.just("t"), runId=st.just("r")),
    event("RUN_ERROR", message=st.text(max_size=8)),
)
"""Events of a conversation, in any order."""

ANY: Final = st.binary(max_size=80) | frames(wire) | broken(frames(wire)) | LIKELY


def play(events: list[bytes]) -> tuple[list[AgentItem], Reading, bool]:
    """Let a run be read; what was said, and whether it broke the protocol."""
    reading, said = Reading(REQUEST, url="http://agent.example/"), list[AgentItem]()
    try:
        for data in events:
            said += reading.feed(data)
    except AguiTrouble:
        return said, reading, True
    return said, reading, False


@given(st.lists(ANY, max_size=12), st.booleans())
def test_any_events_are_items_or_a_breach_of_the_protocol(events: list[bytes], started: bool) -> None:
    said, _, _ = play([STARTED, *events] if started else events)
    assert all(isinstance(item, ITEMS) for item in said)


@given(st.lists(LIKELY, max_size=12))
def test_no_end_is_invented_and_nothing_is_said_after_one(events: list[bytes]) -> None:
    _, reading, wrong = play([STARTED, *events])
    ended = [at for at, data in enumerate(events) if json.loads(data)["type"] in ("RUN_FINISHED", "RUN_ERROR")]
    if not ended:
        assert reading.end is None
    elif not wrong:
        assert ended == [len(events) - 1]
    if isinstance(reading.end, Finished):
        assert json.loads(events[ended[0]])["type"] == "RUN_FINISHED"


def test_what_is_likely_is_sometimes_a_whole_run() -> None:
    """The strategy would prove nothing if every run of it were broken."""
    whole: list[int] = []

    @given(st.lists(LIKELY, min_size=1, max_size=4))
    def attempt(events: list[bytes]) -> None:
        said, reading, wrong = play([STARTED, *events])
        if not wrong and (said or reading.end is not None):
            whole.append(len(events))

    attempt()
    assert whole


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"type":' * 20_000, b'{"type": "\\ud800"}', b"\xff", b"1e999999"])
def test_odd_bytes_are_a_breach(data: bytes) -> None:
    assert play([STARTED, data])[2]
