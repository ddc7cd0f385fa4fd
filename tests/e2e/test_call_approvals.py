"""A tool that the person has to let run, in a call: they hear what is to be done, and say yes or no."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.calls import scripted_calls
from tests.e2e.harness import CountingAgent, serving, until
from tests.e2e.lines import KINDS, Kind, Seen

from duologue import tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.model.events import SpeakingFinished, TextDelta, ToolMoved, ToolReturned, TurnEnded
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

PAID: list[tuple[str, int]] = []


@tool(policy="user_confirm", confirm="Refund {euros} euros for {order}?")
async def refund(order: str, euros: int) -> str:
    """Pay back."""
    PAID.append((order, euros))
    return "refunded"


async def refunds(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Pay back, once, and say what came of it."""
    if request.leg == 1 and not request.resume:
        yield ToolRequested(call_id="call-1", name="refund", arguments='{"order": "A-1", "euros": 40}')
    else:
        yield f"It is {request.tool_results[0].status}."
    yield Finished()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("word", "status", "paid"), [("Yes, please.", "completed", 1), ("No, don't.", "denied", 0)])
async def test_what_is_to_be_done_is_heard_and_heard_again_and_a_word_decides(
    kind: Kind, word: str, status: str, paid: int, tmp_path: Path
) -> None:
    PAID.clear()
    heard = (Segment(text="my money back"), Segment(text="well I wonder"), Segment(text=word))
    calls = scripted_calls(*heard, voice=ScriptedTextToSpeech(word_ms=30))
    agent = CountingAgent(refunds)
    async with serving(agent, tmp_path, calls=calls, tools=[refund]) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        asked = "Refund 40 euros for A-1?"
        for turn, said in enumerate((asked, f"Please say yes or no: {asked}", f"It is {status}."), 1):
            await line.say(600, then_ms=500)
            await seen.has(SpeakingFinished, count=turn)
            ended = seen.all(TurnEnded)[turn - 1]
            assert isinstance(ended, TurnEnded)
            assert (ended.answer.strip(), ended.outcome) == (said, "completed" if turn == 3 else "asked")
            assert len(PAID) == (paid if turn == 3 else 0)
        assert line.loud_ms > 0
        # Nobody is run to ask once more.
        assert len(agent.requests) == 2
        assert "".join(one.text for one in seen.all(TextDelta) if isinstance(one, TextDelta)).count(asked) == 2
        walked = [one.status for one in seen.all(ToolMoved) if isinstance(one, ToolMoved)]
        assert walked == ["requested", "awaiting_approval", *(["approved", "executing"] if paid else [])]
        (returned,) = seen.all(ToolReturned)
        assert isinstance(returned, ToolReturned)
        assert (returned.status, returned.policy) == (status, "user_confirm")
        await until(lambda: len(PAID) == paid)
