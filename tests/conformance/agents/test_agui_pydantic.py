"""The AG-UI agent against Pydantic AI's own AG-UI server."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
import pytest
from tests.counterparts.pydantic_agents import application
from tests.counterparts.serve import served

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Asked,
    Failure,
    Finished,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.content import Answer, ClientTool, Message, ToolCall, ToolResult

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("Pydantic AI")]


class NoFiles:
    """Has no uploads."""

    async def read(self, upload_id: str) -> bytes:
        """Give nothing."""
        raise LookupError(upload_id)


@pytest.fixture
async def address() -> AsyncGenerator[str]:
    """Serve the agents."""
    async with served(application()) as url:
        yield url


def request(text: str, **more: Any) -> AgentRequest:
    return AgentRequest(
        session_id="session-1",
        subject="local",
        response_id="response-2",
        turn=2,
        text=text,
        request_id="request-2",
        **more,
    )


async def answer(url: str, asked: AgentRequest) -> list[AgentItem]:
    async with aclosing(AguiAgent(AguiOptions(url=url))) as agent, aclosing(agent.run(asked, NoFiles())) as items:
        return [item async for item in items]


def words(items: list[AgentItem]) -> str:
    return "".join(item.text for item in items if isinstance(item, Text))


async def test_the_words_come_as_they_are_said_with_the_conversation_before(address: str) -> None:
    history = (
        Message(role="user", text="First", turn=1, message_id="m-1"),
        Message(role="assistant", text="Yes.", turn=1, message_id="m-2"),
    )
    items = await answer(f"{address}/echo", request("Second", history=history))
    assert [item.text for item in items if isinstance(item, Text)] == ["2: ", "Second"]
    assert isinstance(items[-1], Finished)
    (usage,) = items[-1].usage
    assert usage.input_tokens and usage.output_tokens


async def test_a_tool_of_the_agents_own_is_shown(address: str) -> None:
    items = await answer(f"{address}/shop", request("stock"))
    call, result = (item for item in items if isinstance(item, ToolCalled | ToolReturned))
    assert isinstance(call, ToolCalled) and isinstance(result, ToolReturned)
    assert (call.name, call.arguments, result.call_id) == ("stock", '{"shelf": 4}', call.call_id)
    assert msgspec.json.decode(result.result) == {"shelf": 4, "left": 3}
    assert words(items).startswith("Let me look. \n\nIt says: {")
    assert isinstance(items[-1], Finished)


async def test_a_tool_of_the_clients_is_asked_for_and_its_result_goes_back(address: str) -> None:
    offered = (ClientTool(name="where", description="Where the person is.", parameters={"type": "object"}),)
    items = await answer(f"{address}/shop", request("where", tools=offered))
    asked = items[-2]
    assert asked == ToolRequested(call_id="call-1", name="where", arguments='{"shelf": 4}')
    assert isinstance(items[-1], Finished)
    call = ToolCall(call_id="call-1", name="where", arguments='{"shelf": 4}', runs_on="client", result="at shelf 4")
    history = (
        Message(role="user", text="where", turn=1, message_id="m-1"),
        Message(role="assistant", text="Let me look. ", turn=1, message_id="m-2", calls=(call,)),
    )
    brought = (ToolResult(call_id="call-1", content="at shelf 4"),)
    items = await answer(f"{address}/shop", request("", tools=offered, history=history, tool_results=brought))
    assert words(items) == "It says: at shelf 4"
    assert isinstance(items[-1], Finished)


@pytest.mark.parametrize(
    ("answered", "result"),
    [
        (Answer(interrupt_id="", status="resolved", payload={"approved": True}), "ordered for shelf 4"),
        (Answer(interrupt_id="", status="resolved", payload={"approved": False, "reason": "No."}), "No."),
        (Answer(interrupt_id="", status="cancelled"), "Cancelled by user."),
    ],
    ids=["approved", "denied", "given up"],
)
async def test_an_approval_is_asked_for_and_its_answer_goes_back(address: str, answered: Answer, result: str) -> None:
    items = await answer(f"{address}/shop", request("order"))
    call, asked = items[-2:]
    assert isinstance(call, ToolCalled) and isinstance(asked, Asked)
    (interrupt,) = asked.interrupts
    assert interrupt.tool_call_id == call.call_id
    assert interrupt.response_schema is not None
    open_call = ToolCall(call_id=call.call_id, name=call.name, arguments=call.arguments)
    history = (
        Message(role="user", text="order", turn=1, message_id="m-1"),
        Message(role="assistant", text="Let me look. ", turn=1, calls=(open_call,), interrupts=asked.interrupts),
    )
    resume = (msgspec.structs.replace(answered, interrupt_id=interrupt.interrupt_id),)
    resumed = request("", history=history, interrupts=asked.interrupts, resume=resume)
    items = await answer(f"{address}/shop", resumed)
    assert items[0] == ToolReturned(call_id=call.call_id, result=result)
    assert words(items) == f"It says: {result}"
    assert isinstance(items[-1], Finished)


async def test_an_agent_that_breaks_says_so_and_nothing_of_its_inside(address: str) -> None:
    items = await answer(f"{address}/breaks", request("Hello"))
    assert words(items) == "So far"
    assert items[-1] == Failure(message="the agent says that it failed", retryable=True)
    assert "secret" not in str(items)
