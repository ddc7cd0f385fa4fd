"""Moods and wishes decide where a conversation goes and who may take it, and the customer's client is told why."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.e2e.desk import Operator, until_step
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import AGENTCALL_WS, CHAT_WS
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished
from duologue.model.handoff import HandOff
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_agents import OtherAgent
from duologue.server.settings_handoff import HandoffSettings, OperatorSettings, QueueSettings, RuleSettings
from duologue.server.settings_signals import IntentSettings, SignalsSettings

pytestmark = pytest.mark.anyio

DESK = HandoffSettings(
    queues=(QueueSettings(name="care"), QueueSettings(name="contracts")),
    rules=(
        RuleSettings(name="hours", transfers=("bot_to_bot",), signals=("opening",), agent="pages"),
        RuleSettings(name="leaving", signals=("cancel",), queue="contracts", priority=2),
        RuleSettings(name="furious", signals=("anger",), above=0.6, queue="care", skills=("calm",), priority=7),
    ),
    operators=(OperatorSettings(id="bob", skills=("german",)), OperatorSettings(id="sue", skills=("calm",))),
)
SIGNALS = SignalsSettings(
    sources=("rule",),
    intents=(
        IntentSettings(name="cancel", examples=("I want to cancel my contract", "Please end my subscription")),
        IntentSettings(name="opening", examples=("When are you open?", "What are your opening hours?")),
    ),
)


async def _passes_on(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Pass everything on; to which agent, the rules know."""
    if "opening" in request.text:
        yield HandOff(reason="somebody else knows", transfer="bot_to_bot")
        return
    yield HandOff(reason="a person is needed")
    yield Finished()


def _settings(folder: Path) -> Settings:
    folder.mkdir()
    (folder / "hours.md").write_text("# Hours\n\n## What are your opening hours?\n\nFrom ten to six.\n")
    pages = OtherAgent(name="pages", folder=str(folder))
    return Settings(server=ServerSettings(drain_ms=500), handoff=DESK, signals=SIGNALS, agents=(pages,))


async def test_a_mood_decides_the_skill_and_who_is_taken_first(tmp_path: Path) -> None:
    given = _settings(tmp_path / "pages")
    async with serving(CountingAgent(_passes_on), tmp_path / "data", given) as server:
        bob, sue = Operator(server.port, "bob"), Operator(server.port, "sue")
        async with CHAT_WS.link(server.port, "calm") as calm, CHAT_WS.link(server.port, "angry") as angry:
            await calm.say("I have a question", 1)
            first = await until_step(calm, "queued")
            assert first["routeDecision"] == {"target": "care", "reasons": ["no rule fits"]}
            assert first["queuePosition"] == 1
            await angry.say("This is outrageous, I am furious", 1)
            step = await until_step(angry, "queued")
            decision = step["routeDecision"]
            assert (decision["target"], decision["rule"], step["queuePosition"]) == ("care", "furious", 1)
            signal, *effects = decision["reasons"]
            assert signal.startswith("signal anger at 0.") and effects == ["takes calm", "priority +7"]
            while (await until_step(calm, "queued"))["queuePosition"] != 2:
                await calm.next()
            row = await sue.waiting("angry")
            assert (row["skills"], row["priority"], row["route"]) == (["calm"], 7, decision)
            assert await bob.refused(row["id"], "take") == "forbidden"
            await sue.do(row["id"], "take")
        async with AGENTCALL_WS.link(server.port, "angry") as late:
            route = (await until_step(late, "connected"))["route"]
            assert route == decision


async def test_a_wish_decides_the_queue_and_the_agent(tmp_path: Path) -> None:
    given = _settings(tmp_path / "pages")
    async with serving(CountingAgent(_passes_on), tmp_path / "data", given) as server:
        async with CHAT_WS.link(server.port, "leaves") as leaves:
            await leaves.say("I want to cancel my contract", 1)
            decision = (await until_step(leaves, "queued"))["routeDecision"]
            assert (decision["target"], decision["rule"]) == ("contracts", "leaving")
            assert decision["reasons"][0].startswith("signal cancel at ") and decision["reasons"][1:] == ["priority +2"]
        async with CHAT_WS.link(server.port, "asks") as asks:
            await asks.say("What are your opening hours?", 1)
            moved = await until_step(asks, "transferred")
            assert (moved["targetAgent"], moved["routeDecision"]["rule"]) == ("pages", "hours")
            transfer, signal = moved["routeDecision"]["reasons"]
            assert transfer == "transfer bot_to_bot" and signal.startswith("signal opening at ")
            while "From ten to six" not in asks.text:
                await asks.next()


async def test_what_a_backend_estimates_counts_as_much(tmp_path: Path) -> None:
    """The estimate is there before the conversation is passed on, by whomever."""
    given = _settings(tmp_path / "pages")

    async def answers(_: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        yield "Yes."
        yield Finished()

    async with (
        serving(CountingAgent(answers), tmp_path / "data", given) as server,
        CHAT_WS.link(server.port, "s") as link,
    ):
        await link.say("hello", 1)
        await link.over()
        angry = {"kind": "sentiment", "category": "anger", "score": 0.9, "confidence": 0.9, "polarity": "negative"}
        body = {"adapter": "crm", "turn": 1, "latencyMs": 3, "signals": [angry]}
        assert (await fetch(server.port, "POST", "/api/sessions/s/signals", body=body)).status == 200
        asked = await fetch(server.port, "POST", "/api/handoffs", body={"sessionId": "s", "priority": 3})
        assert asked.status == 201
        reasons = (await until_step(link, "queued"))["routeDecision"]["reasons"]
        assert reasons == ["signal anger at 0.90", "takes calm", "priority +7"]
        assert (await Operator(server.port, "sue").waiting("s"))["priority"] == 10
