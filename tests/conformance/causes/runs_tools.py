"""Runs in which tools are called, let run or not, and observed things asked for."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final

from tests.conformance.causes.runs_phone import TAG, Phone
from tests.conformance.causes.world import Json, Story, World
from tests.e2e.harness import WAIT_S, CountingAgent, Live, serving
from tests.e2e.links import AGENTCALL_WS, journal
from tests.e2e.wire import fetch

from duologue import Idempotency, tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested
from duologue.model.observations import Observe

SESSION: Final = "tools"


@tool(side_effect="read")
async def look_up(day: str) -> str:
    """Look up when it is open."""
    return f"open on {day}"


@tool(side_effect="read")
async def broken() -> str:
    """Fail."""
    raise RuntimeError("no")


@tool(side_effect="read", timeout_ms=50)
async def slow() -> str:
    """Take longer than it may."""
    await asyncio.Event().wait()
    return "never"


@tool(policy="user_confirm")
async def refund(order: str) -> str:
    """Pay back."""
    return f"refunded {order}"


@tool(policy="supervisor_approve")
async def forgive(order: str) -> str:
    """Forgive a debt."""
    return f"forgiven {order}"


@tool(policy="async_pending")
async def wire(order: str) -> str:
    """Pay by wire."""
    return f"wired {order}"


@tool(policy="denied")
async def erase() -> str:
    """Erase all."""
    return "never"


@tool(policy="auto", idempotency=Idempotency(mode="key", key_arguments=("order",)))
async def pay(order: str, euros: int) -> str:
    """Pay."""
    return f"paid {euros} for {order}"


@tool(policy="auto", idempotency=Idempotency(mode="input", on_duplicate="reject"))
async def send(order: str) -> str:
    """Send once."""
    return f"sent {order}"


TOOLS: Final = (look_up, broken, slow, refund, forgive, wire, erase, pay, send)

CALLED: Final = (
    'look_up {"day": "Monday"}',
    "broken {}",
    "slow {}",
    "erase {}",
    "nobody_has_it {}",
    'pay {"order": "7", "euros": 5}',
    'pay {"order": "7", "euros": 5}',
    'pay {"order": "7", "euros": 6}',
    'send {"order": "7"}',
    'send {"order": "7"}',
    'forgive {"order": "7"}',
    'wire {"order": "7"}',
)


async def calls(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Call what the person names, once, and say what came of it."""
    if request.leg == 1 and not request.resumed and not request.resume:
        name, _, arguments = request.text.partition(" ")
        yield ToolRequested(call_id=f"call-{request.turn}", name=name, arguments=arguments)
    else:
        yield f"[{'; '.join(result.content for result in request.tool_results)}]"
    yield Finished()


async def _say(server: Live, text: str, number: int) -> Json:
    body = {"sessionId": SESSION, "requestId": f"m-{number}", "text": text}
    answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
    assert answer.status == 200, answer.raw
    return answer.body


async def _tools(world: World, folder: Path) -> None:
    async with serving(CountingAgent(calls), folder, tools=TOOLS) as server:
        for number, text in enumerate(CALLED, 1):
            await _say(server, text, number)
        for number, decision in ((20, "approve"), (21, "deny")):
            asked = await _say(server, 'refund {"order": "7"}', number)
            assert asked["outcome"] == "asked", asked
            call = asked["interrupts"][0]["toolCallId"]
            body = {"sessionId": SESSION, "toolCallId": call, "decision": decision, "arguments": {"order": "7"}}
            answer = await fetch(server.port, "POST", "/chat/tool-call", body=body)
            assert answer.status == 200, answer.raw
            await _resumed(server, number - 19)
        await _supervised(server)
        await _by_client(server)
        await world.note(server, SESSION)


async def _supervised(server: Live) -> None:
    """A supervisor lets run what waits for one."""
    waiting = await fetch(server.port, "GET", "/api/approvals")
    for asked in waiting.body["approvals"]:
        decision = {"decision": "approve", "digest": asked["digest"], "reason": "fine"}
        answer = await fetch(server.port, "POST", f"/api/approvals/{asked['approvalId']}", body=decision)
        assert answer.status == 200, answer.raw
    await _resumed(server, 3)


async def _by_client(server: Live) -> None:
    """A tool that the chat client itself has."""
    offered = [{"name": "where", "description": "where you are"}]
    body = {"sessionId": SESSION, "requestId": "m-40", "text": "where {}", "tools": offered}
    asked = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
    (call,) = asked.body["pendingToolCalls"]
    given = {"sessionId": SESSION, "toolCallId": call, "output": {"town": "Ulm"}}
    answer = await fetch(server.port, "POST", "/chat/tool-call", body=given)
    assert answer.status == 200, answer.raw


async def _resumed(server: Live, count: int) -> None:
    """Wait until turns have gone on by themselves so often, and ended again."""
    async with asyncio.timeout(WAIT_S):
        while True:
            ended = [one for one in await journal(server.port, SESSION) if one["kind"] == "turn_ended"]
            if sum(one.get("resumed", False) for one in ended) >= count:
                return


async def _asks_to_see(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    if request.observation is None and not request.resume:
        yield Observe(modality="nfc", prompt="Hold the phone to the tag.")
        return
    yield "Thank you."
    yield Finished()


async def _observed(world: World, folder: Path) -> None:
    async with serving(CountingAgent(_asks_to_see), folder) as server:
        hello = {
            "type": "session.start",
            "sessionId": "observed",
            "clientCapabilities": {"physicalObservations": {"modalities": ["nfc"]}},
        }
        phone = Phone(world, server, await AGENTCALL_WS.open(server.port, "observed", hello=hello))
        await phone.send({"type": "user.turn", "turn": 1, "text": "What is this?"}, "RUN_FINISHED")
        shown = {"type": "user.observation", "turn": 2, "interactionId": "interaction-1", "observation": TAG}
        await phone.send(shown, "duologue.turn.accepted")
        await phone.until("RUN_FINISHED")
        await phone.link.drop()
        await world.note(server, "observed")


STORIES = (
    Story("tools", "tools of every policy are called, also again, are let run or not, fail and take too long", _tools),
    Story("observed", "the agent asks a mobile client for a tag, and goes on with what it shows", _observed),
)
