"""The language of what a person writes: told by the text where no client declares it, and the same ever after."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import CHANNELS, GHOST_WS, Channel, channel_name, journal, kinds

from duologue.model.agent import AgentItem, AgentRequest, Finished, Text
from duologue.server.settings import AgentSettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

GERMAN = "Wo ist der Bahnhof, und wie komme ich dahin?"


async def tell(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Say which language the agent was told."""
    yield Text(text=request.language)
    yield Finished()


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_the_text_tells_the_language_once(channel: Channel, tmp_path: Path) -> None:
    agent = CountingAgent(tell)
    async with serving(agent, tmp_path) as server:
        async with channel.link(server.port, "s-1") as link:
            for number, text in enumerate((GERMAN, "ok", "What is this, and how do you know?"), start=1):
                await link.say(text, number)
                await link.over()
            assert link.text == "dedeen"
            # A repeat of what was told is the same turn, though the conversation speaks English by now.
            await link.say(GERMAN, 1)
            await link.say("next", 4)
            await link.over()
            assert link.refusals == []
        events = await journal(server.port, "s-1")
        assert [event["language"] for event in kinds(events, "turn_accepted")] == ["de", "de", "en", "en"]
        assert [event["figures"]["language"] for event in kinds(events, "turn_ended")] == ["de", "de", "en", "en"]
        assert len(agent.requests) == 4
    # Another process replays the journal.
    async with serving(agent, tmp_path) as server, channel.link(server.port, "s-1") as link:
        assert await journal(server.port, "s-1") == events


@pytest.mark.parametrize(("declared", "detects"), [("fr", True), (None, False)])
async def test_a_declared_language_stands_and_it_can_be_turned_off(
    declared: str | None, detects: bool, tmp_path: Path
) -> None:
    settings = Settings(server=ServerSettings(drain_ms=500), agent=AgentSettings(detect_language=detects))
    async with (
        serving(CountingAgent(tell), tmp_path, settings) as server,
        GHOST_WS.link(server.port, "s-1") as link,
    ):
        turn = {"type": "user_sends_text", "text": GERMAN, "turn_id": "t-1"}
        await link.send(turn | ({"language": declared} if declared else {}))
        frames = await link.over()
        language = declared or "en"
        assert [f.body["payload"]["language_detected"] for f in frames if f.body["type"] == "turn.start"] == [language]
        assert frames[-1].body["payload"]["language"] == link.text == language
