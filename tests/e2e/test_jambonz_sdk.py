"""What is watched is what jambonz's own SDK hands to an application."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.node import Program, installed, running
from tests.e2e.harness import serving
from tests.e2e.links import CHAT_WS, connect_to
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("@jambonz/sdk")]


@pytest.fixture
def application() -> Iterator[Program]:
    """An application that was made with the SDK."""
    home = installed("jambonz")
    with running(home, "app.mjs") as program:
        yield program


async def test_the_sdk_reads_our_frames(application: Program, tmp_path: Path) -> None:
    app_port = await asyncio.to_thread(application.read)
    async with serving(ScriptedAgent(["Hel", "lo"]), tmp_path) as live, CHAT_WS.link(live.port, "s-1") as talk:
        await talk.say("hi", 1)
        await talk.over()
        async with (
            await connect_to(live.port, "/api/sessions/s-1/agent-events") as watched,
            connect(f"ws://127.0.0.1:{app_port}/", subprotocols=[Subprotocol("ws.jambonz.org")]) as app,
        ):
            opening = {"type": "session:new", "msgid": "m-0", "call_sid": "s-1", "data": {"call_sid": "s-1"}}
            await app.send(json.dumps(opening))
            for _ in range(3):
                frame = await watched.recv()
                await app.send(frame)
                assert await asyncio.to_thread(application.read) == json.loads(frame)["data"]
