"""The AG-UI agent's parts: reading streams of events and knowing the protocol; runs are in tests/conformance/agents."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from ag_ui.core import EventType, RunAgentInput
from hypothesis import given
from hypothesis import strategies as st

from duologue.adapters.agent_agui import AguiAgent, AguiOptions, wire
from duologue.adapters.agent_agui.request import run_input
from duologue.adapters.agent_agui.sse import SseReader, TooLarge
from duologue.model.agent import AgentRequest
from duologue.model.content import Answer, ClientTool, Interrupt, Message, ToolCall, ToolResult

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


ASKED = AgentRequest(session_id="s", subject="ada", response_id="response-1", turn=1, text="How much tea?")
CALLED = Message(
    role="assistant",
    text="",
    turn=1,
    calls=(ToolCall(call_id="1", name="stock", arguments="{}", runs_on="server", result='{"left":3}'),),
)
LEFT = ToolResult(call_id="1", content='{"left":3}')


def body(request: AgentRequest, *, remembers: bool = False) -> dict[str, Any]:
    return run_input(request, remembers=remembers, pictures={})


def test_tools_of_the_server_are_a_front_end_s_to_the_agent() -> None:
    server = ClientTool(name="stock", description="the server's", parameters={"type": "object"})
    client = ClientTool(name="stock", description="a client's")
    request = msgspec.structs.replace(ASKED, offered=(server,), tools=(client,))
    assert body(request)["tools"] == [
        {"name": "stock", "description": "the server's", "parameters": {"type": "object"}}
    ]
    RunAgentInput.model_validate(body(request))


def test_another_leg_is_another_run_and_brings_the_results() -> None:
    request = msgspec.structs.replace(ASKED, leg=2, so_far=(CALLED,), tool_results=(LEFT,))
    sent = body(request)
    assert sent["runId"] == "s:response-1:2"
    assert [one["role"] for one in sent["messages"]] == ["user", "assistant", "tool"]
    assert sent["messages"][2]["content"] == '{"left":3}'
    assert len({one["id"] for one in sent["messages"]}) == 3
    assert [one["role"] for one in body(request, remembers=True)["messages"]] == ["tool"]
    RunAgentInput.model_validate(sent)


def test_an_approval_of_the_server_s_is_no_answer_to_the_agent() -> None:
    approval = Interrupt(interrupt_id="a", reason="tool_approval", metadata={"digest": "x"})
    own = Interrupt(interrupt_id="b", reason="tool_approval")
    answers = tuple(Answer(interrupt_id=one.interrupt_id, status="resolved") for one in (approval, own))
    request = msgspec.structs.replace(ASKED, interrupts=(approval, own), resume=answers)
    assert [one["interruptId"] for one in body(request)["resume"]] == ["b"]
    assert "resume" not in body(msgspec.structs.replace(ASKED, interrupts=(approval,), resume=answers[:1]))


def test_who_remembers_is_told_what_people_said_in_its_place() -> None:
    def said(role: Any, text: str, turn: int, author: str = "") -> Message:
        return Message(role=role, text=text, turn=turn, author=author, message_id=f"{role}-{turn}-{author}")

    history = (
        said("user", "hello", 1),
        said("assistant", "hi", 1),
        said("user", "a person!", 2),
        said("assistant", "Mia here", 2, "Mia"),
    )
    asked = AgentRequest(session_id="s", subject="local", response_id="r", turn=3, text="and now?", history=history)
    sent = run_input(asked, remembers=True, pictures={})["messages"]
    assert [(one["role"], one.get("name"), one["content"]) for one in sent] == [
        ("user", None, "a person!"),
        ("assistant", "Mia", "Mia here"),
        ("user", None, "and now?"),
    ]
    resumed = msgspec.structs.replace(
        asked, history=history[:2], text="a person!", turn=2, resumed="handed_back", so_far=history[3:]
    )
    sent = run_input(resumed, remembers=True, pictures={})["messages"]
    assert [one["content"] for one in sent] == ["a person!", "Mia here"]
    usual = msgspec.structs.replace(asked, history=history[:2], text="next", turn=2)
    assert [one["content"] for one in run_input(usual, remembers=True, pictures={})["messages"]] == ["next"]
