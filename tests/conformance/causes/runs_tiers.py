"""Runs in which turns are routed between tiers, and in which the machine has less and less left."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.conformance.causes.world import Json, Story, World
from tests.e2e.harness import WAIT_S, Live, serving
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue.model.agent import AgentRequest
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_agents import OtherAgent
from duologue.server.settings_tiers import ConditionSettings, TiersSettings
from duologue.testing.scripted_agent import Line, ScriptedAgent

AGENTS: Final = (
    OtherAgent(name="gate", tier="gate", kind="canned"),
    OtherAgent(name="quick", tier="reflex", kind="python", function="tests.conformance.causes.tier_agents:reflex"),
)
SAID: Final = (
    "Hello",
    "When does it open?",
    "Tell me more.",
    "Will the weather be fine?",
    "What do I need for this?",
    "Compare the three tariffs step by step, explain the trade-offs of each, and prove which is best and why.",
)
STEPS: Final[tuple[Json, ...]] = (
    {"battery": 0.3, "plugged": False},
    {"battery": 0.15, "plugged": False},
    {"temperature_c": 96.0},
    {"free_memory_mb": 100},
    {},
    {"unloaded": ["workhorse"]},
    {},
)
"""What the machine's sensors say, one after the other; all else is plenty."""

PLENTY: Final[Json] = {
    "temperature_c": 40.0,
    "battery": 1.0,
    "plugged": True,
    "free_memory_mb": 8_000,
    "unloaded": [],
}


def _workhorse(request: AgentRequest) -> Sequence[Line]:
    return [f"It depends; about {request.text}: the whole answer."]


async def _say(server: Live, session: str, text: str, number: int) -> None:
    body = {"sessionId": session, "requestId": f"m-{number}", "text": text}
    answer = await fetch(server.port, "POST", "/chat/stream", body=body)
    assert answer.status == 200, answer.raw


async def _tiers(world: World, folder: Path) -> None:
    settings = Settings(
        server=ServerSettings(drain_ms=500),
        agents=AGENTS,
        tiers=TiersSettings(gate_below=0.1),
        condition=ConditionSettings(watch=False),
    )
    async with serving(ScriptedAgent(_workhorse), folder, settings) as server:
        for number, text in enumerate(SAID, 1):
            await _say(server, "tiers", text, number)
        await world.note(server, "tiers")


async def _condition(world: World, folder: Path) -> None:
    readings = folder / "readings.json"
    readings.write_text(json.dumps(PLENTY))
    settings = Settings(
        server=ServerSettings(drain_ms=500),
        agents=AGENTS,
        condition=ConditionSettings(every_ms=100, settle_ms=0, readings_file=str(readings)),
    )
    async with serving(ScriptedAgent(_workhorse), folder, settings) as server:
        await _say(server, "condition", "Hello", 1)
        for count, step in enumerate(STEPS, 1):
            readings.write_text(json.dumps(PLENTY | step))
            await _degraded(server, count)
        await world.note(server, "condition")


async def _degraded(server: Live, count: int) -> None:
    """Wait until the session was told so often that the condition has changed."""
    async with asyncio.timeout(WAIT_S):
        while len(kinds(await journal(server.port, "condition"), "agent_degraded")) < count:
            pass


STORIES = (
    Story("tiers", "easy and hard questions go to three tiers; an answer hedges, and more detail is asked for", _tiers),
    Story("condition", "the machine gets hot, has little battery and memory left, and loses a model", _condition),
)
