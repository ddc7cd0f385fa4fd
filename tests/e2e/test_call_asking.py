"""What is asked of somebody in a call: beside a person who takes over, in another client, and of others than them."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

import pytest
from tests.e2e.calls import scripted_calls
from tests.e2e.desk import Operator
from tests.e2e.dialects import AGENTCALL
from tests.e2e.harness import CountingAgent, serving, until
from tests.e2e.lines import KINDS, SESSION, Kind, Seen
from tests.e2e.links import AGENTCALL_WS
from tests.e2e.test_agentcall_live import PIXEL, photo
from tests.e2e.wire import fetch

from duologue import tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.model.events import SpeakingFinished, ToolReturned, TurnEnded, WordSpoken
from duologue.model.observations import Observe
from duologue.model.voice import VoiceRules
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

RULES: Final = VoiceRules(silence_ms=100, endpoint_ms=50, min_speech_ms=200)
"""Quick ones: what takes its time here is people."""

WORD_MS: Final = 20

ASKED: Final = "Refund 40 euros for A-1?"

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


async def refunds(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Pay back, once, and say what came of it."""
    if request.tool_results:
        yield f"It is {request.tool_results[-1].status}."
    else:
        yield ToolRequested(call_id="call-1", name="refund", arguments='{"order": "A-1", "euros": 40}')
    yield Finished()


@each_kind
async def test_what_a_person_who_took_over_left_open_is_asked_again(kind: Kind, tmp_path: Path) -> None:
    paid: list[str] = []

    @tool(policy="user_confirm", confirm="Refund {euros} euros for {order}?")
    async def refund(order: str, euros: int) -> str:
        """Pay back."""
        paid.append(f"{order} {euros}")
        return "refunded"

    calls = scripted_calls(
        *(Segment(text=text) for text in ("my money back", "yes", "yes, please")),
        rules=RULES,
        voice=ScriptedTextToSpeech(word_ms=WORD_MS),
    )
    agent = CountingAgent(refunds)
    async with serving(agent, tmp_path, calls=calls, tools=[refund]) as server, kind.ring(server.port) as line:
        seen, mia = Seen(server), Operator(server.port, "mia")
        await line.say(300, then_ms=200)
        await seen.has(SpeakingFinished)
        taken = (await mia.post("take-over", sessionId=SESSION)).body["handoff"]["id"]
        # This yes is the operator's.
        await line.say(300, then_ms=200)
        await seen.has(TurnEnded, count=2)
        await mia.do(taken, "say", text="Then do it.")
        await seen.has(SpeakingFinished, count=2)
        await mia.do(taken, "hand-back")
        await seen.has(SpeakingFinished, count=3)
        assert not paid
        await line.say(300, then_ms=200)
        await seen.has(SpeakingFinished, count=4)
        assert answers(seen) == [
            ("asked", ASKED),
            ("passed", ""),
            ("completed", "Then do it."),
            ("asked", f"Please say yes or no: {ASKED}"),
            ("completed", "It is completed."),
        ]
        assert paid == ["A-1 40"]
        assert len(agent.requests) == 2


@each_kind
async def test_what_a_supervisor_lets_run_later_is_told_aloud(kind: Kind, tmp_path: Path) -> None:
    @tool(policy="supervisor_approve")
    async def refund(order: str, euros: int) -> str:
        """Pay back."""
        return f"{order} {euros}"

    calls = scripted_calls(Segment(text="my money back"), rules=RULES, voice=ScriptedTextToSpeech(word_ms=WORD_MS))
    async with (
        serving(CountingAgent(refunds), tmp_path, calls=calls, tools=[refund]) as server,
        kind.ring(server.port) as line,
    ):
        seen = Seen(server)
        await line.say(300, then_ms=200)
        await seen.has(SpeakingFinished)
        (waits,) = (await fetch(server.port, "GET", "/api/approvals")).body["approvals"]
        decided = {"decision": "approve", "digest": waits["digest"]}
        loud_ms = line.loud_ms
        decision = await fetch(server.port, "POST", f"/api/approvals/{waits['approvalId']}", body=decided)
        assert decision.status == 200
        await seen.has(SpeakingFinished, count=2)
        assert answers(seen) == [("completed", "It is pending_supervisor."), ("completed", "It is completed.")]
        await until(lambda: line.loud_ms > loud_ms)


@each_kind
async def test_what_is_said_before_a_tool_is_heard_while_it_runs(kind: Kind, tmp_path: Path) -> None:
    done = asyncio.Event()

    @tool
    async def look() -> str:
        """Look."""
        await done.wait()
        return "ten"

    async def asks(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        if request.tool_results:
            yield f"It is {request.tool_results[0].content}."
        else:
            # As models write it: nothing follows the full stop.
            yield "Let me look."
            yield ToolRequested(call_id="call-1", name="look", arguments="{}")
        yield Finished()

    calls = scripted_calls(Segment(text="how late is it"), rules=RULES, voice=ScriptedTextToSpeech(word_ms=WORD_MS))
    async with (
        serving(CountingAgent(asks), tmp_path, calls=calls, tools=[look]) as server,
        kind.ring(server.port) as line,
    ):
        seen = Seen(server)
        await line.say(300, then_ms=200)
        await seen.has(WordSpoken, count=3)
        await until(lambda: line.loud_ms >= 3 * WORD_MS)
        assert not seen.all(ToolReturned)
        done.set()
        await seen.has(SpeakingFinished)
        assert answers(seen) == [("completed", "Let me look.It is ten.")]


async def looks(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Ask for a photo, and thank for it."""
    if request.observation is None:
        yield "Oh."
        yield Observe(modality="photo", prompt="Show me the damage.")
        return
    yield "I see it."
    yield Finished()


@each_kind
async def test_what_another_client_shows_is_answered_aloud(kind: Kind, tmp_path: Path) -> None:
    calls = scripted_calls(Segment(text="it is broken"), rules=RULES, voice=ScriptedTextToSpeech(word_ms=WORD_MS))
    hello = AGENTCALL.hello(SESSION, 0) | {"clientCapabilities": {"physicalObservations": {"modalities": ["photo"]}}}
    async with serving(CountingAgent(looks), tmp_path, calls=calls) as server:
        link = await AGENTCALL_WS.open(server.port, SESSION, hello=hello)
        try:
            await link.up_to(2)
            async with kind.ring(server.port) as line:
                seen = Seen(server)
                await line.say(300, then_ms=200)
                asked = (await link.over())[-1].body["event"]["outcome"]["interrupts"][0]
                assert (asked["message"], asked["metadata"]["modality"]) == ("Show me the damage.", "photo")
                shown = photo() | {"data": b64encode(PIXEL).decode()}
                said = {"type": "user.observation", "turn": 2, "interactionId": asked["id"], "observation": shown}
                loud_ms = line.loud_ms
                await link.send(said)
                await seen.has(SpeakingFinished, count=2)
                assert answers(seen) == [("asked", "Oh. Show me the damage."), ("completed", "I see it.")]
                await until(lambda: line.loud_ms > loud_ms)
        finally:
            await link.drop()


def answers(seen: Seen) -> list[tuple[str, str]]:
    """How turns ended, and what was heard of their answers."""
    return [(one.outcome, one.answer.strip()) for one in seen.all(TurnEnded) if isinstance(one, TurnEnded)]
