"""Several clients on one session through different protocols at once; a slow one delays nobody."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from tests.e2e.conftest import Serve
from tests.e2e.dialects import CHAT, Outcome
from tests.e2e.harness import serving, until
from tests.e2e.links import (
    AGENTCALL_WS,
    CHANNELS,
    GHOST_WS,
    Link,
    connect_to,
    journal,
    kinds,
)
from tests.e2e.wire import fetch

from duologue.model.agent import AgentRequest
from duologue.testing.scripted_agent import Line, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

PIECES = 400
TURNS = 10
SLOW_READERS = 20
GROWTH_BYTES = 64 * 2**20
"""The answers have 8 MiB, and twenty clients do not read them: 160 MiB if they were kept for them."""


async def all_links(stack: contextlib.AsyncExitStack, port: int, session: str) -> list[Link]:
    """One link through each channel, all of them live."""
    opened = await stack.enter_async_context(AGENTCALL_WS.link(port, session))
    # The chat protocol over HTTP follows only what exists.
    await opened.up_to(1)
    return [opened] + [await stack.enter_async_context(channel.link(port, session)) for channel in CHANNELS[1:]]


def asked(link: Link) -> list[str]:
    found = (link.dialect.asked(frame.body) for frame in link.frames)
    return [text for text in found if text is not None]


def outcomes(link: Link) -> list[Outcome]:
    found: list[Outcome] = []
    for frame in link.frames:
        outcome = link.dialect.outcome(frame.body)
        if outcome is not None:
            found.append(outcome)
    return found


async def over(links: Sequence[Link]) -> None:
    await asyncio.gather(*(link.over() for link in links))


async def test_each_sees_the_same_turns_in_its_own_words(tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        return ["you ", "said ", request.text]

    async with serving(ScriptedAgent(script), tmp_path) as server, contextlib.AsyncExitStack() as stack:
        links = await all_links(stack, server.port, "s-1")
        for number, link in enumerate(links, 1):
            await link.say(f"from {number}", number)
            await over(links)
        said = [f"from {number}" for number in range(1, len(links) + 1)]
        for link in links:
            assert asked(link) == said
            assert link.text == "".join(f"you said {text}" for text in said)
            assert outcomes(link) == ["completed"] * len(links)
            assert link.refusals == []
        for channel, link in zip(CHANNELS, links, strict=True):
            assert link.frames == await channel.read(server.port, "s-1", up_to=link.last)


async def test_all_speak_at_once_and_all_see_the_same_order(tmp_path: Path) -> None:
    agent = ScriptedAgent(["some ", "answer"])
    async with serving(agent, tmp_path) as server, contextlib.AsyncExitStack() as stack:
        links = await all_links(stack, server.port, "s-1")
        # AgentCall's turns are numbered by its one client; the others speak at the same moment.
        await asyncio.gather(*(link.say(f"from {place}", place) for place, link in enumerate(links[1:], 1)))
        for link in links:
            while len(outcomes(link)) < len(links) - 1:
                await link.next()
        events = await journal(server.port, "s-1")
        order = [event["text"] for event in kinds(events, "turn_accepted")]
        assert sorted(order) == [f"from {place}" for place in range(1, len(links))]
        for link in links:
            assert asked(link) == order
        ends = [event["outcome"] for event in kinds(events, "turn_ended")]
        assert ends[-1] == "completed"
        assert set(ends) <= {"completed", "interrupted"}


async def test_a_turn_interrupts_and_a_stop_stops_from_any_protocol(tmp_path: Path) -> None:
    def script(request: AgentRequest) -> list[Line]:
        return ["before ", WaitFor(event=asyncio.Event())] if request.text == "long" else ["short"]

    agent = ScriptedAgent(script)
    async with serving(agent, tmp_path) as server, contextlib.AsyncExitStack() as stack:
        links = await all_links(stack, server.port, "s-1")
        for place, link in enumerate(links):
            other = links[place - 1]
            start = len(outcomes(links[0]))
            await link.say("long", 10 * place + 1)
            await asyncio.gather(*(each.until_delta() for each in links))
            await other.say("instead", 10 * place + 2)
            await over(links)
            await over(links)
            await link.say("long", 10 * place + 3)
            await asyncio.gather(*(each.until_delta() for each in links))
            await other.send(other.dialect.cancel())
            await over(links)
            for each in links:
                assert outcomes(each)[start:] == ["interrupted", "completed", "cancelled"]
        await until(lambda: agent.cancelled == 2 * len(links))


async def test_who_does_not_read_delays_nobody_and_costs_little(serve: Serve) -> None:
    server = serve("--agent", "paced_agent:bulk")
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(AGENTCALL_WS.link(server.port, "s-1"))
        await first.up_to(1)
        slow: list[socket.socket] = []
        for place in range(SLOW_READERS):
            reader = stack.enter_context(contextlib.closing(socket.socket()))
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            reader.connect(("127.0.0.1", server.port))
            path = "/chat/sessions/s-1/events" if place % 2 else "/ghost/sessions/s-1/events"
            reader.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            slow.append(reader)
        # A socket whose client asks and does not listen.
        mute = await connect_to(server.port, CHAT.path)
        stack.push_async_callback(mute.wait_closed)
        stack.callback(mute.transport.abort)
        mute.transport.pause_reading()
        await mute.send(json.dumps(CHAT.hello("s-1", 0)))

        other = await stack.enter_async_context(GHOST_WS.link(server.port, "other"))
        process = psutil.Process(server.pid)
        before = process.memory_info().rss
        for turn in range(1, TURNS + 1):
            await first.say(str(PIECES), turn)
            await first.until_delta()
            await other.say("3", turn)
            await other.over()
            await first.over()
        assert len(first.text) == TURNS * PIECES * 2_048
        assert process.memory_info().rss - before < GROWTH_BYTES

        # A slow one may still read all of it later.
        mute.transport.resume_reading()
        texts = ends = 0
        async with asyncio.timeout(30):
            while ends < TURNS:
                body = json.loads(await mute.recv())
                texts += body["type"] == "text.delta"
                ends += body["type"] == "response.completed"
        assert texts == TURNS * PIECES


async def test_metrics_count_who_is_connected(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        async with AGENTCALL_WS.link(server.port, "s-1") as link, GHOST_WS.link(server.port, "s-1") as ghost:
            await link.say("hello", 1)
            await ghost.over()
            text = (await fetch(server.port, "GET", "/metrics")).raw.decode()
        assert 'duologue_connections{protocol="agentcall",transport="websocket"} 1.0' in text
        assert 'duologue_connections{protocol="ghost",transport="websocket"} 1.0' in text
        assert "duologue_sessions_live 1.0" in text
        assert 'duologue_turns_total{outcome="completed"} 1.0' in text
        for path in ("/healthz", "/readyz"):
            assert (await fetch(server.port, "GET", path)).status == 200
