"""What OpenAI-compatible servers send besides what the reference shows: as bytes over HTTP, read by the agent."""

from collections.abc import Sequence

import pytest
from tests.conformance.agents.test_llm import answer, request, troubles, words
from tests.counterparts.chat_completions import DONE, Chunk, called, chunk, delta, ended, piece, said, scripted

from duologue.adapters.agent_llm import Endpoint, LlmAgent, LlmOptions
from duologue.model.agent import AgentItem, Failure, Finished, ToolRequested
from duologue.model.content import ClientTool, Message, ToolCall

pytestmark = pytest.mark.anyio

TEA, COFFEE = '{"product": "tea"}', '{"product": "coffee"}'
BOTH = [("a", TEA), ("b", COFFEE)]

STOCK = ClientTool(name="stock", description="Tells the stock.")


async def heard(*answer_: Chunk | bytes, earlier: Sequence[str] = (), attempts: int = 1) -> list[AgentItem]:
    """What the agent makes of an answer; `earlier` are the ids of calls that were made before."""
    calls = tuple(ToolCall(call_id=one, name="stock", arguments="{}", runs_on="server", result="1") for one in earlier)
    so_far = (Message(role="assistant", text="", turn=1, calls=calls),) if calls else ()
    async with scripted(answer_) as server:
        options = LlmOptions(endpoint=Endpoint(model="m", base_url=server.address), attempts=attempts)
        return await answer(LlmAgent(options), request("Hi", tools=(STOCK,), so_far=so_far))


def calls(items: Sequence[AgentItem]) -> list[tuple[str, str]]:
    return [(item.call_id, item.arguments) for item in items if isinstance(item, ToolRequested)]


@pytest.mark.parametrize(
    "chunks",
    [
        [
            called(piece(0, call_id="a", name="stock", arguments=TEA)),
            called(piece(1, call_id="b", name="stock", arguments=COFFEE)),
        ],
        [
            called(
                piece(0, call_id="a", name="stock", arguments=TEA),
                piece(1, call_id="b", name="stock", arguments=COFFEE),
            )
        ],
        [
            called(piece(0, call_id="a", name="stock")),
            *(called(piece(0, arguments=letter)) for letter in TEA),
            called(piece(1, call_id="b", name="stock")),
            *(called(piece(1, arguments=letter)) for letter in COFFEE),
        ],
        [
            called(piece(0, call_id="a", name="stock", arguments=TEA[:4])),
            called(piece(1, call_id="b", name="stock", arguments=COFFEE[:7])),
            called(piece(0, arguments=TEA[4:])),
            called(piece(1, arguments=COFFEE[7:])),
        ],
        [
            called(piece(2, call_id="a", name="stock", arguments=TEA)),
            called(piece(9, call_id="b", name="stock", arguments=COFFEE)),
        ],
        [
            delta({"role": "assistant", "content": None}),
            delta({"tool_calls": [{"id": "a", "function": {"name": "stock", "arguments": TEA}}]}),
            delta({"tool_calls": [{"id": "b", "function": {"name": "stock", "arguments": COFFEE}}]}),
            delta({"content": "", "tool_calls": None}),
        ],
    ],
    ids=[
        "one a chunk",
        "both in one chunk",
        "letter by letter",
        "interleaved",
        "gaps",
        "no index, and nothing as text",
    ],
)
@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
async def test_two_calls_are_read_in_whatever_pieces_they_come(chunks: list[Chunk], reason: str) -> None:
    items = await heard(*chunks, ended(reason), DONE)
    assert calls(items) == BOTH
    assert isinstance(items[-1], Finished)


@pytest.mark.parametrize("call_id", [None, "", "same", "x" * 300], ids=["none", "empty", "the same", "too long"])
async def test_each_call_has_an_id_of_its_own(call_id: str | None) -> None:
    made = [called(piece(index, call_id=call_id, name="stock", arguments=TEA)) for index in range(2)]
    items = await heard(*made, ended("tool_calls"), DONE)
    first, second = (one for one, _ in calls(items))
    assert first and second and first != second
    assert max(len(first), len(second)) <= 256


async def test_an_id_that_an_earlier_answer_had_is_not_used_again() -> None:
    items = await heard(
        called(piece(0, call_id="call_0", name="stock", arguments=TEA)), ended("stop"), DONE, earlier=["call_0"]
    )
    assert calls(items) == [("response-1-1-0", TEA)]


@pytest.mark.parametrize(
    ("written", "why"),
    [('{"product": ', "truncated"), ("[1]", "got `array`"), ("nothing", "invalid"), ('"tea"', "got `str`")],
)
async def test_arguments_that_are_no_json_object_are_told_to_the_model(written: str, why: str) -> None:
    items = await heard(called(piece(0, call_id="a", name="stock", arguments=written)), ended("tool_calls"), DONE)
    (asked,) = (item for item in items if isinstance(item, ToolRequested))
    assert asked.arguments == "{}"
    assert asked.wrong.startswith("the arguments are no JSON object (") and why in asked.wrong
    assert "tea" not in asked.wrong


async def test_a_call_without_arguments_has_none() -> None:
    items = await heard(called(piece(0, call_id="a", name="stock", arguments="")), ended("tool_calls"), DONE)
    assert calls(items) == [("a", "{}")]


@pytest.mark.parametrize(
    ("chunks", "met"),
    [
        ([ended("length"), DONE], "cut"),
        ([ended("content_filter"), DONE], "filtered"),
        ([DONE], "truncated"),
        ([], "truncated"),
        ([{"error": {"message": "secret", "code": 500}}, DONE], "provider_failed"),
        ([b"data: {oops\n\n", DONE], "provider_failed"),
    ],
    ids=["limit of tokens", "content filter", "no reason", "cut cleanly", "error", "no JSON"],
)
async def test_of_an_answer_that_is_not_whole_no_tool_runs(chunks: list[Chunk | bytes], met: str) -> None:
    items = await heard(said("One moment."), called(piece(0, call_id="a", name="stock", arguments=TEA)), *chunks)
    assert words(items) == "One moment."
    assert not calls(items)
    assert troubles(items) == [met]
    assert isinstance(items[-1], Failure)
    assert "secret" not in str(items)


async def test_the_count_of_tokens_comes_in_a_chunk_without_choices() -> None:
    counted = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    items = await heard(said(None, role="assistant"), said("Hi"), ended("stop"), chunk(choices=[], usage=counted), DONE)
    assert words(items) == "Hi"
    assert isinstance(items[-1], Finished)
    (usage,) = items[-1].usage
    assert (usage.input_tokens, usage.output_tokens) == (3, 1)


async def test_the_old_way_of_calling_is_refused_and_named() -> None:
    items = await heard(delta({"function_call": {"name": "stock", "arguments": TEA}}), ended("function_call"), DONE)
    assert troubles(items) == ["bad_answer"]
    assert isinstance(items[-1], Failure)
    assert "function_call" in items[-1].message and not items[-1].retryable


@pytest.mark.parametrize("nothing", [[said("")], [called(piece(0, call_id="a"))]], ids=["no words", "no name"])
async def test_an_answer_with_nothing_in_it_is_asked_for_again_and_then_a_failure(
    nothing: list[Chunk], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("duologue.model.limits.LLM_BACKOFF_MS", 10)
    items = await heard(*nothing, ended("stop"), DONE, attempts=2)
    assert troubles(items) == ["empty", "empty"]
    assert items[-1] == Failure(message="the model answered with nothing", retryable=True)


async def test_nothing_more_to_say_after_a_tool_is_an_end() -> None:
    items = await heard(said(""), ended("stop"), DONE, earlier=["call_0"])
    assert [type(item) for item in items] == [Finished]
