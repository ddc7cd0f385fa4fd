"""SIGTERM: running answers finish, new turns are refused, clients are told to come back, and everything goes on."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import CountingAgent, Server, serving
from tests.e2e.links import AGENTCALL_WS, CHANNELS, CHAT_SSE, Channel, StreamLink, channel_name, journal, kinds
from tests.e2e.wire import fetch

from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Finished, Text

pytestmark = pytest.mark.anyio

GATED = ("--agent", "paced_agent:gated")


async def draining(server: Server) -> None:
    """Wait until the server says that it is stopping."""
    async with asyncio.timeout(15):
        while (await fetch(server.port, "GET", "/readyz")).status != 503:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_running_answer_finishes(channel: Channel, serve: Serve, tmp_path: Path) -> None:
    server = serve(*GATED)
    async with channel.link(server.port, "s-1") as first:
        await first.say("short", 1)
        await first.over()
    async with channel.link(server.port, "s-1", first.last) as link, channel.link(server.port, "s-1") as other:
        await link.say("wait", 2)
        await link.until_delta()
        server.tell_to_stop()
        await draining(server)
        await other.say("too late", 3)
        refusal = await other.refused()
        assert channel.dialect.refusal(refusal) == "draining"
        assert refusal.get("retryable", refusal.get("recoverable")) is True
        (tmp_path / "go").touch()
        ended = await link.over()
        assert channel.dialect.outcome(ended[-1].body) == "completed"
        for client in (link, other):
            gone = await client.gone()
            if isinstance(client, StreamLink):
                assert client.source is not None
                assert client.source.comments == ["the server is restarting"]
                assert client.source.retry_ms == 1_000
            else:
                assert (gone.code, gone.reason) == (1012, "the server is restarting; reconnect and resume")
    assert await asyncio.to_thread(server.wait) == 0

    server.start()
    async with channel.link(server.port, "s-1", link.last) as again:
        await again.say("too late", 3)
        await again.over()
    whole = await channel.read(server.port, "s-1", up_to=again.last)
    assert link.frames + again.frames == [frame for frame in whole if frame.seq > first.last]
    assert kinds(await journal(server.port, "s-1"), "response_failed") == []


@pytest.mark.parametrize("channel", [AGENTCALL_WS, CHAT_SSE], ids=channel_name)
async def test_a_run_that_outlasts_the_drain_is_taken_up_again(channel: Channel, serve: Serve, tmp_path: Path) -> None:
    server = serve(*GATED, environment={"DUOLOGUE_SERVER__DRAIN_MS": "50"})
    async with channel.link(server.port, "s-1") as link:
        await link.say("wait", 1)
        await link.until_delta()
        assert await asyncio.to_thread(server.stop) == 0
        await link.gone()
    (tmp_path / "go").touch()
    server.start()
    async with channel.link(server.port, "s-1", link.last) as again:
        await again.over()
    outcomes = [channel.dialect.outcome(frame.body) for frame in link.frames + again.frames]
    assert [outcome for outcome in outcomes if outcome] == ["again", "completed"]
    events = await journal(server.port, "s-1")
    assert [event["response_id"] for event in kinds(events, "response_started")] == ["response-1", "response-2"]
    assert len(kinds(events, "turn_ended")) == 1


async def test_an_agent_that_does_not_clean_up_does_not_keep_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CANCEL_MS", 50)

    async def stubborn(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        del request
        yield Text(text="x")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.Event().wait()
        yield Finished()

    agent = CountingAgent(stubborn)
    async with asyncio.timeout(8):
        async with serving(agent, tmp_path) as server, AGENTCALL_WS.link(server.port, "s-1") as link:
            await link.say("hello", 1)
            await link.until_delta()
    assert agent.closed == 1


async def test_no_session_is_opened_for_a_turn_while_the_server_stops(serve: Serve, tmp_path: Path) -> None:
    server = serve(*GATED)
    async with AGENTCALL_WS.link(server.port, "s-1") as link:
        await link.say("wait", 1)
        await link.until_delta()
        server.tell_to_stop()
        await draining(server)
        answer = await fetch(server.port, "POST", "/chat/stream", body={"requestId": "r", "text": "x"})
        assert (answer.status, answer.body["reason"]) == (503, "draining")
        (tmp_path / "go").touch()
        await link.over()
    assert await asyncio.to_thread(server.wait) == 0
    server.start()
    sessions = (await fetch(server.port, "GET", "/api/sessions")).body["sessions"]
    assert [session["sessionId"] for session in sessions] == ["s-1"]
