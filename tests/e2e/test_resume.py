"""Cases 1 and 2: a client drops and resumes, and gets every event exactly once, byte for byte."""

import asyncio
from pathlib import Path

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import serving
from tests.e2e.links import CHANNELS, Channel, channel_name, journal, kinds, stored

from duologue.testing.scripted_agent import ScriptedAgent, WaitFor

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)]


async def test_case_1_drop_and_resume(channel: Channel, tmp_path: Path) -> None:
    # 1 to 4 come before the text, five pieces of it, and three events after it: twelve.
    agent = ScriptedAgent(["one ", "two ", "three ", "four ", "five"])
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as first:
            await first.say("count", 1)
            await first.up_to(7)
        await stored(server.port, "s-1", at_least=12)
        rest = [await _resume(channel, server.port, after=7, up_to=11) for _ in range(2)]
        assert agent.runs == 1

        async with channel.link(server.port, "s-1", 12) as after_all:
            await after_all.say("count", 2)
            later = await after_all.over()
            assert after_all.refusals == []

        whole = await channel.read(server.port, "s-1", up_to=later[-1].seq)
        # A turn's own stream begins with the turn.
        assert first.frames == [frame for frame in whole if first.frames[0].seq <= frame.seq <= 7]
        assert rest == [[frame for frame in whole if 8 <= frame.seq <= 11]] * 2
        assert later == [frame for frame in whole if frame.seq > 12]
        assert agent.runs == 2


async def test_case_2_the_seam(channel: Channel, tmp_path: Path) -> None:
    begin, go_on = asyncio.Event(), asyncio.Event()
    agent = ScriptedAgent([WaitFor(event=begin), *"abcdef", WaitFor(event=go_on), "g"])
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as first:
            await first.say("go", 1)
            await first.up_to(3)
        begin.set()
        await stored(server.port, "s-1", at_least=10)
        async with channel.link(server.port, "s-1", 3) as second:
            await second.up_to(10)
            go_on.set()
            await second.over()
        whole = await channel.read(server.port, "s-1", up_to=second.last)
        assert first.frames + second.frames == [frame for frame in whole if frame.seq >= first.frames[0].seq]
        assert second.text == "abcdefg"
        assert agent.runs == 1


async def test_case_2b_the_server_is_killed_meanwhile(channel: Channel, serve: Serve) -> None:
    server = serve("--agent", "paced_agent:count")
    async with channel.link(server.port, "s-1") as first:
        await first.say("7", 1)
        await first.up_to(3)
    await stored(server.port, "s-1", at_least=14)
    server.kill()
    server.start()
    async with channel.link(server.port, "s-1", 3) as second:
        ended = await second.over()
        await second.say("2", 2)
        await second.over()
    whole = await channel.read(server.port, "s-1", up_to=second.last)
    assert first.frames + second.frames == [frame for frame in whole if frame.seq >= first.frames[0].seq]
    assert ended[-1].seq < 15 <= second.frames[len(ended) + 1].seq
    events = await journal(server.port, "s-1")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(kinds(events, "response_started")) == 2


async def _resume(channel: Channel, port: int, *, after: int, up_to: int) -> object:
    async with channel.link(port, "s-1", after) as link:
        return await link.up_to(up_to)
