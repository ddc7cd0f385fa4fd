"""Case 4: quiet is not dead. Times are those of the case, divided by 75."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.e2e.harness import serving
from tests.e2e.links import CHANNELS, GHOST_SSE, Channel, StreamLink, channel_name
from tests.e2e.wire import Gone

from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_agent import Pause, ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio

TOOL_MS = 1_200
CUT_S = 0.8
HEARTBEAT_MS = 100
HEADERS_S = 1.0


@asynccontextmanager
async def proxy(port: int) -> AsyncGenerator[int]:
    """Pass connections on, and cut one whose server has said nothing for `CUT_S`; gives the proxy's port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", port)

        async def up() -> None:
            while data := await reader.read(65_536):
                there_writer.write(data)

        async def down() -> None:
            while data := await asyncio.wait_for(there_reader.read(65_536), CUT_S):
                writer.write(data)

        work = [asyncio.ensure_future(up()), asyncio.ensure_future(down())]
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in work:
                pump.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            writer.transport.abort()
            there_writer.transport.abort()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listener:
        yield listener.sockets[0].getsockname()[1]


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_case_4_heartbeats_keep_a_quiet_turn_alive(channel: Channel, tmp_path: Path) -> None:
    agent = ScriptedAgent([Pause(ms=TOOL_MS), "at ", "last"])
    settings = Settings(server=ServerSettings(heartbeat_ms=HEARTBEAT_MS))
    async with (
        serving(agent, tmp_path, settings) as server,
        proxy(server.port) as port,
        channel.link(port, "s-1") as link,
    ):
        async with asyncio.timeout(HEADERS_S):
            await link.say("use the slow tool", 1)
        await link.over()
        whole = await channel.read(server.port, "s-1", up_to=link.last)
        assert link.text == "at last"
        assert link.frames == [frame for frame in whole if frame.seq >= link.frames[0].seq]
        if isinstance(link, StreamLink):
            assert link.source is not None
            assert set(link.source.comments) == {"keep-alive"}
            assert len(link.source.comments) >= 3


async def test_case_4_headers_come_before_the_first_event(tmp_path: Path) -> None:
    agent = ScriptedAgent([WaitFor(event=asyncio.Event())])
    async with serving(agent, tmp_path) as server:
        async with GHOST_SSE.link(server.port, "s-1") as first:
            await first.up_to(1)
        # Everything that exists was read: the stream has nothing to say, and begins all the same.
        async with asyncio.timeout(HEADERS_S), GHOST_SSE.link(server.port, "s-1", 1) as link:
            assert isinstance(link, StreamLink)
            assert link.source is not None
            assert link.source.exchange.headers["content-type"].startswith("text/event-stream")


async def test_the_proxy_of_this_test_cuts_what_is_silent(tmp_path: Path) -> None:
    agent = ScriptedAgent([Pause(ms=TOOL_MS), "too late"])
    async with (
        serving(agent, tmp_path) as server,
        proxy(server.port) as port,
        GHOST_SSE.link(port, "s-1") as link,
    ):
        await link.say("use the slow tool", 1)
        with pytest.raises(Gone):
            await link.over()
