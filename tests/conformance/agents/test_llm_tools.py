"""A real language model and tools: it chooses a tool, somebody lets it run, and it answers with what the tool gave."""

import pytest
from tests.conformance.agents.proxy import proxied
from tests.conformance.agents.tool_hub import shop

from duologue.model.events import LegEnded, TextDelta, ToolCalled

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("llama.cpp")]

TEA = "How many packs of tea are there?"
BOTH = "How many packs of tea and of coffee are there?"


async def test_a_model_calls_a_tool_and_answers_with_what_it_gave(llama: str) -> None:
    async with proxied(llama) as proxy, shop(f"{proxy.address}/v1") as here:
        ended = await here.say(TEA)
        assert (ended.outcome, ended.answer) == ("completed", "There are 7 packs of tea.")
        assert here.asked == ["tea"]
        (steps,) = (await here.walks()).values()
        assert steps == ["requested", "executing", "completed"]
        assert len(await here.events(TextDelta)) > 3, "the answer comes in pieces"
        assert [one.leg for one in await here.events(LegEnded)] == [1]
        (call,) = await here.events(ToolCalled)
        first, second = proxy.bodies
        assert [one["role"] for one in first["messages"]] == ["user"]
        assert second["messages"][1]["tool_calls"][0]["function"] == {"name": "stock", "arguments": '{"product":"tea"}'}
        assert second["messages"][2] == {"role": "tool", "tool_call_id": call.call_id, "content": "7"}


async def test_a_model_that_needs_no_tool_calls_none(llama: str) -> None:
    async with shop(f"{llama}/v1") as here:
        ended = await here.say("Hello")
        assert ended.outcome == "completed" and ended.answer
        assert not await here.walks()


async def test_two_tools_that_a_model_calls_in_one_step_run_and_it_is_told_both_results(llama: str) -> None:
    async with proxied(llama) as proxy, shop(f"{proxy.address}/v1") as here:
        ended = await here.say(BOTH)
        assert ended.outcome == "completed" and "7" in ended.answer
        assert sorted(here.asked) == ["coffee", "tea"]
        _, second = proxy.bodies
        assert sorted((one["role"], one["content"]) for one in second["messages"][2:]) == [("tool", "3"), ("tool", "7")]


async def test_a_call_waits_until_the_person_lets_it_run(llama: str) -> None:
    async with proxied(llama) as proxy, shop(f"{proxy.address}/v1", policy="user_confirm") as here:
        assert (await here.say(TEA)).outcome == "asked"
        assert not here.asked and len(proxy.bodies) == 1
        ended = await here.say("yes")
        assert (ended.outcome, ended.answer) == ("completed", "There are 7 packs of tea.")
        assert here.asked == ["tea"]


async def test_a_model_is_told_that_the_person_said_no(llama: str) -> None:
    async with proxied(llama) as proxy, shop(f"{proxy.address}/v1", policy="user_confirm") as here:
        await here.say(TEA)
        ended = await here.say("no")
        assert ended.outcome == "completed" and ended.answer
        assert not here.asked
        told = proxy.bodies[-1]["messages"][2]
        assert (told["role"], told["content"]) == ("tool", "the person did not let it run")


async def test_an_answer_that_is_stopped_while_its_tool_runs_asks_the_model_no_more(llama: str) -> None:
    async with proxied(llama) as proxy, shop(f"{proxy.address}/v1") as here:
        here.shelf.clear()
        await here.begin(TEA)
        await here.busy.wait()
        assert (await here.stop()).outcome == "cancelled"
        here.shelf.set()
        assert (await here.returned()).status == "completed", "what was begun is recorded"
        ended = await here.say("Hello")
        assert ended.outcome == "completed"
        assert len(proxy.bodies) == 2, "nothing follows from a result that nobody waits for"
        sent = proxy.bodies[-1]["messages"]
        assert [one["role"] for one in sent] == ["user", "assistant", "tool", "user"]
        assert sent[2]["content"] == "7"
