"""Case 8 where approvals are decided by messages on sockets: offered again, decided once, by whichever device."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import AGENTCALL_WS, CHAT_WS, GHOST_WS, Channel, Link, channel_name
from tests.e2e.wire import Json

from duologue import tool
from duologue.model.agent import AgentItem, AgentRequest, Finished, ToolRequested

pytestmark = pytest.mark.anyio

SESSION = "s-1"
PAID: list[str] = []


@tool(policy="user_confirm", confirm="Refund order {order}?")
async def refund(order: str) -> str:
    """Pay back."""
    PAID.append(order)
    return f"refunded {order}"


async def refunds(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Pay back, once, and say what came of it."""
    if request.leg == 1 and not request.resume:
        yield ToolRequested(call_id="call-1", name="refund", arguments='{"order": "7"}')
    else:
        yield f"It is {request.tool_results[0].status}."
    yield Finished()


async def offered(link: Link) -> Json:
    """Read on until an approval is offered."""
    while True:
        body = (await link.next()).body
        inside = body.get("payload", body)
        if inside.get("status") == "awaiting_approval":
            return inside["approval"]


def approval_id(link: Link) -> str:
    """How a dialect spells it: Ghost's names have underscores."""
    return "approval_id" if link.dialect.name == "ghost" else "approvalId"


async def refusal(link: Link, **decision: Json) -> str:
    """Decide, and give the words in which that is refused."""
    await link.send({"type": "approval.decide", "decision": "approve", **decision})
    return str(await link.refused())


@pytest.mark.parametrize("channel", [CHAT_WS, GHOST_WS], ids=channel_name)
@pytest.mark.parametrize(("decision", "status", "paid"), [("approve", "completed", ["7"]), ("deny", "denied", [])])
async def test_case_8_an_approval_survives_and_is_decided_once(
    channel: Channel, decision: str, status: str, paid: list[str], tmp_path: Path
) -> None:
    PAID.clear()
    agent = CountingAgent(refunds)
    async with serving(agent, tmp_path, tools=[refund]) as server, channel.link(server.port, SESSION) as first:
        await first.say("my money", 1)
        asked = await offered(first)
        assert asked["prompt"] == "Refund order 7?"
        await first.over()
        await first.drop()
        async with channel.link(server.port, SESSION) as reloaded:
            assert await offered(reloaded) == asked
    # Another start of the server, and two devices: the same is offered to both.
    async with (
        serving(agent, tmp_path, tools=[refund]) as server,
        channel.link(server.port, SESSION) as one,
        channel.link(server.port, SESSION) as two,
    ):
        assert await offered(one) == await offered(two) == asked
        named = {approval_id(one): asked[approval_id(one)]}
        assert "another call" in await refusal(one, **named, arguments={"order": "8"})
        assert "another call" in await refusal(one, **named, digest="0" * 32)
        assert "no approval" in await refusal(one, **{approval_id(one): "0" * 24})
        assert PAID == []
        exactly = named | {"arguments": {"order": "7"}, "digest": asked["digest"]}
        await two.send({"type": "approval.decide", "decision": decision, **exactly})
        async with asyncio.timeout(15):
            while f"It is {status}." not in two.text:
                await two.next()
        assert "already decided" in await refusal(one, **exactly)
        assert "already decided" in await refusal(two, **exactly)
    assert paid == PAID
    assert len(agent.requests) == 2


async def test_case_8_where_a_protocol_has_no_message_for_it_words_decide(tmp_path: Path) -> None:
    PAID.clear()
    agent = CountingAgent(refunds)
    async with serving(agent, tmp_path, tools=[refund]) as server, AGENTCALL_WS.link(server.port, SESSION) as first:
        await first.say("my money", 1)
        assert "Refund order 7?" in str([frame.body for frame in await first.over()])
        await first.drop()
    async with (
        serving(agent, tmp_path, tools=[refund]) as server,
        AGENTCALL_WS.link(server.port, SESSION) as one,
        AGENTCALL_WS.link(server.port, SESSION) as two,
    ):
        await one.over()
        await two.over()
        assert "Refund order 7?" in str([frame.body for frame in two.frames]), "it is offered again"
        assert PAID == []
        await two.say("Yes, please.", 2)
        await two.over()
        assert two.text == "It is completed."
        # The same turn again, from the other device, is the same turn.
        await one.say("Yes, please.", 2)
        await one.over()
        assert one.text == "It is completed."
    assert PAID == ["7"]
    assert len(agent.requests) == 2
