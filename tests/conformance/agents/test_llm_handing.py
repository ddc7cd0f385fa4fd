"""A language model passes a conversation on, as an OpenAI-compatible server says it."""

import json

import pytest
from tests.conformance.agents.proxy import Step, proxied
from tests.conformance.agents.test_llm import answer, request

from duologue.adapters.agent_llm import Endpoint, Handing, LlmAgent, LlmOptions
from duologue.model.agent import AgentItem, Finished, Text, ToolRequested
from duologue.model.content import ClientTool
from duologue.model.handoff import HandOff

pytestmark = pytest.mark.anyio

HANDING = Handing(queues=("general", "billing"), agents=(("travel", "books flights"),))


def streamed(name: str, arguments: str) -> Step:
    """An answer that says a little, then calls a tool."""
    called = {"index": 0, "id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}
    deltas: list[tuple[object, str | None]] = [
        ({"role": "assistant", "content": "One moment. "}, None),
        ({"tool_calls": [called]}, None),
        ({}, "tool_calls"),
    ]
    frames = [
        {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
        }
        for delta, reason in deltas
    ]
    body = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + "data: [DONE]\n\n"
    return Step(status=200, headers=("Content-Type: text/event-stream",), body=body)


async def asked(step: Step, handing: Handing | None) -> tuple[list[AgentItem], list[str]]:
    """Ask a model that answers so; gives what it said, and the tools that it was told of."""
    async with proxied("http://127.0.0.1:1", (step,)) as proxy:
        endpoint = Endpoint(model="m", base_url=f"{proxy.address}/v1", api_key="k")
        agent = LlmAgent(LlmOptions(endpoint=endpoint, attempts=1, handing=handing))
        client_tools = (ClientTool(name="hand_off", description="the client's own"),)
        items = await answer(agent, request("I want a person", tools=client_tools))
    return items, [
        f"{tool['function']['name']}: {tool['function']['description']}" for tool in proxy.bodies[0]["tools"]
    ]


async def test_a_model_passes_the_conversation_to_people() -> None:
    arguments = {"reason": "wants a refund", "summary": "bought tea", "queue": "billing"}
    items, tools = await asked(streamed("hand_off", json.dumps(arguments)), HANDING)
    assert items == [
        Text(text="One moment. "),
        HandOff(reason="wants a refund", target="billing", summary="bought tea"),
    ]
    assert [tool.partition(":")[0] for tool in tools] == ["hand_off"]
    assert "Let somebody else go on" in tools[0]


async def test_or_to_another_agent() -> None:
    items, _ = await asked(streamed("hand_off", '{"reason": "a flight", "agent": "travel"}'), HANDING)
    assert items[-1] == HandOff(reason="a flight", transfer="bot_to_bot", target="travel")


@pytest.mark.parametrize("arguments", ["{}", '{"reason": 7}', "[]"])
async def test_what_it_writes_wrongly_is_left_to_the_rules(arguments: str) -> None:
    items, _ = await asked(streamed("hand_off", arguments), HANDING)
    assert items[-1] == HandOff(reason="the agent asked for somebody else")


async def test_without_queues_it_has_no_such_tool() -> None:
    items, tools = await asked(streamed("hand_off", "{}"), None)
    assert tools == ["hand_off: the client's own"]
    assert [type(item) for item in items] == [Text, ToolRequested, Finished]
