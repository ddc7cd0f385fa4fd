"""Runs in which people are remembered."""

import asyncio
from pathlib import Path
from typing import Final

from tests.conformance.causes.world import Story, World
from tests.e2e.harness import WAIT_S, Live, serving
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_memory import MemorySettings
from duologue.testing.scripted_agent import ScriptedAgent

TOLD: Final = (
    "I live in Leeds.",
    "Please call me Ada.",
    "We are flying to Madeira next week.",
    "My dog is called Rex.",
)


async def _say(server: Live, session: str, text: str, number: int) -> None:
    body = {"sessionId": session, "requestId": f"m-{number}", "text": text}
    answer = await fetch(server.port, "POST", "/chat/stream", body=body)
    assert answer.status == 200, answer.raw


async def _remembered(world: World, folder: Path) -> None:
    settings = Settings(server=ServerSettings(drain_ms=500), memory=MemorySettings(enabled=True))
    async with serving(ScriptedAgent(["Yes."]), folder, settings) as server:
        for number, text in enumerate(TOLD, 1):
            await _say(server, "told", text, number)
            await _stored(server, number)
        await world.note(server, "told")
        await _say(server, "asked", "Where do I live?", 1)
        await world.note(server, "asked")


async def _stored(server: Live, count: int) -> None:
    """Wait until so much is remembered: it is learnt beside the conversation."""
    async with asyncio.timeout(WAIT_S):
        while len(kinds(await journal(server.port, "told"), "memory_stored")) < count:
            pass


STORIES = (Story("memory", "a person tells of themselves, and is remembered in another conversation", _remembered),)
