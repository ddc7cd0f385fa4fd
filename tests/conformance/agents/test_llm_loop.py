"""The loop of a language model and its tools where the model writes what no small one can be made to write."""

import asyncio
from typing import Final

import pytest
from tests.conformance.agents.tool_hub import shop
from tests.counterparts.chat_completions import DONE, Chunk, called, ended, piece, said, scripted

from duologue.model import limits
from duologue.model.errors import Code
from duologue.model.events import ResponseFailed, ToolCalled

pytestmark = pytest.mark.anyio

TEA: Final = '{"product": "tea"}'
IN_WORDS: Final[list[Chunk | bytes | float]] = [said("There are 7."), ended("stop"), DONE]


def call(arguments: str, *, call_id: str = "a", name: str = "stock") -> list[Chunk | bytes | float]:
    """An answer that calls one tool."""
    return [called(piece(0, call_id=call_id, name=name, arguments=arguments)), ended("tool_calls"), DONE]


@pytest.mark.parametrize(
    ("arguments", "name", "why"),
    [
        ('{"product": "milk"}', "stock", '$.product: "milk" is not one of "coffee" or "tea"'),
        ("{}", "stock", "product"),
        ('{"product": "tea", "shelf": 4}', "stock", "shelf"),
        ('{"product": ', "stock", "no JSON object (Input data was truncated)"),
        (TEA, "stocks", "unknown tool: nobody has a tool 'stocks'"),
    ],
    ids=["not in the schema", "left out", "too much", "broken", "unknown"],
)
async def test_a_model_is_told_what_is_wrong_with_its_call_and_mends_it(arguments: str, name: str, why: str) -> None:
    async with scripted(call(arguments, name=name), call(TEA), IN_WORDS) as server, shop(server.address) as here:
        ended_ = await here.say("How much tea?")
        assert (ended_.outcome, ended_.answer) == ("completed", "There are 7.")
        assert here.asked == ["tea"], "only the call that fits runs"
        told = server.bodies[1]["messages"][-1]
        assert told["role"] == "tool" and why in told["content"], told
        assert [steps[-1] for steps in (await here.walks()).values()] == ["failed", "completed"]
        # The server gave both calls one id.
        assert len({one.call_id for one in await here.events(ToolCalled)}) == 2


async def test_a_model_that_calls_for_ever_is_stopped_with_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("duologue.model.limits.RUN_LEGS", 5)
    async with scripted(call(TEA)) as server, shop(server.address) as here:
        assert (await here.say("How much tea?")).outcome == "failed"
        (failed,) = await here.events(ResponseFailed)
        assert (failed.code, failed.retryable) == (Code.AGENT_TOO_LONG, False)
        assert failed.message == f"the agent asked for tools {limits.RUN_LEGS} times, and came to no end"
        assert len(server.bodies) == len(here.asked) == limits.RUN_LEGS


async def test_an_answer_that_is_stopped_while_a_call_is_written_runs_nothing() -> None:
    begun: list[Chunk | bytes | float] = [
        said("One moment."),
        called(piece(0, call_id="a", name="stock", arguments=TEA)),
        30.0,
    ]
    async with scripted(begun, IN_WORDS) as server, shop(server.address) as here:
        await here.begin("How much tea?")
        async with asyncio.timeout(10):
            while here.session.state.open is None or not here.session.state.open.response.pieces:
                await here.session.changed()
        assert (await here.stop()).answer == "One moment."
        assert not here.asked and not await here.walks()
        assert (await here.say("And now?")).answer == "There are 7."


async def test_words_before_a_call_and_after_it_are_one_answer() -> None:
    first = [said("One moment. "), *call(TEA)]
    async with scripted(first, IN_WORDS) as server, shop(server.address) as here:
        assert (await here.say("How much tea?")).answer == "One moment. There are 7."
        sent = server.bodies[1]["messages"][1]
        assert (sent["content"], sent["tool_calls"][0]["id"]) == ("One moment. ", "a")
