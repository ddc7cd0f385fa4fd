"""Conversations that are passed on: to people over every protocol, between people, and between agents."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from tests.e2e.agui import agui_input, follow
from tests.e2e.desk import Operator
from tests.e2e.harness import CountingAgent, serving
from tests.e2e.links import AGENTCALL_WS, CHAT_SSE, CHAT_WS, GHOST_WS, Channel, channel_name, journal, kinds
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished
from duologue.model.handoff import HandOff
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_agents import OtherAgent
from duologue.server.settings_handoff import HandoffSettings, OperatorSettings, QueueSettings, RuleSettings

pytestmark = pytest.mark.anyio

Answer = Callable[[AgentRequest], AsyncGenerator[AgentItem, None]]


def settings(handoff: HandoffSettings) -> Settings:
    """Settings with a desk."""
    return Settings(server=ServerSettings(drain_ms=500), handoff=handoff)


async def never_done(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Begin an answer, and finish only those of later turns."""
    yield "Let me see. "
    if request.turn == 1:
        await asyncio.Event().wait()
    yield f"You said {request.text}."
    yield Finished()


async def hands_over(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Hand over what is about money."""
    if "money" in request.text:
        yield "A colleague will help. "
        yield HandOff(reason="about money", skills=("billing",), summary="wants money")
        return
    yield f"You said {request.text}."
    yield Finished()


@pytest.mark.parametrize("channel", [CHAT_WS, CHAT_SSE, AGENTCALL_WS, GHOST_WS], ids=channel_name)
async def test_case_12_a_person_takes_over_answers_and_hands_back(channel: Channel, tmp_path: Path) -> None:
    """0 runs while the person has it, then exactly 1, whose input includes what the person said."""
    agent = CountingAgent(never_done)
    async with serving(agent, tmp_path) as server:
        mia = Operator(server.port, "mia")
        async with channel.link(server.port, "s-1") as link:
            await link.say("where is my order", 1)
            if channel is not CHAT_SSE:
                await link.until_delta()
            await until_runs(agent, 1)
            taken = (await mia.post("take-over", sessionId="s-1")).body["handoff"]
            assert taken["status"] == "connected"
            await until_closed(agent)
            assert len(agent.requests) == 1

            for number, text in ((2, "hello?"), (3, "anybody?")):
                await link.say(text, number)
            await passed(server.port, "s-1", 2)
            await mia.do(taken["id"], "say", text="Mia here. It was sent back.", messageId="m-1")
            again = await mia.post(f"{taken['id']}/say", text="Mia here. It was sent back.", messageId="m-1")
            assert again.body["repeated"]
            await mia.do(taken["id"], "hand-back", note="a mistake of ours")
            assert len(agent.requests) == 1

            await link.say("and now?", 4)
            await until_runs(agent, 2)
            asked = agent.requests[1]
            told = [(one.role, one.text, one.author) for one in asked.history]
            assert told[-4:] == [
                ("assistant", "Let me see. ", ""),
                ("user", "hello?", ""),
                ("user", "anybody?", ""),
                ("assistant", "Mia here. It was sent back.", "mia"),
            ]
            assert [item.value for item in asked.context] == ["a mistake of ours"]
        events = await journal(server.port, "s-1")
        ended = [event["outcome"] for event in kinds(events, "turn_ended")]
        assert ended[:4] == ["interrupted", "passed", "passed", "completed"]
        async with channel.link(server.port, "s-1") as late:
            while "You said and now?." not in late.text:
                await late.next()
            assert "Mia here. It was sent back." in late.text


async def test_case_12_over_ag_ui(tmp_path: Path) -> None:
    agent = CountingAgent(never_done)
    async with serving(agent, tmp_path) as server:
        mia = Operator(server.port, "mia")
        watching = await follow(server.port, agui_input("t-1", "look-1"))
        talking = asyncio.create_task(say(server.port, "t-1", "where is it", 1))
        await watching.until("TEXT_MESSAGE_CONTENT")
        taken = (await mia.post("take-over", sessionId="t-1")).body["handoff"]
        await talking
        await watching.over()
        await say(server.port, "t-1", "hello?", 2)
        second = await follow(server.port, agui_input("t-1", "look-2"))
        await second.until("MESSAGES_SNAPSHOT")
        await mia.do(taken["id"], "say", text="Mia here.")
        await second.until("TEXT_MESSAGE_CONTENT")
        assert second.text == "Mia here."
        assert [one["name"] for one in second.of("TEXT_MESSAGE_START")] == ["mia"]
        second.drop()
        await mia.do(taken["id"], "hand-back")
        assert len(agent.requests) == 1
        await say(server.port, "t-1", "thanks", 3)
        assert len(agent.requests) == 2
        assert "Mia here." in [one.text for one in agent.requests[1].history]


async def test_what_an_agent_hands_over_is_queued_taken_and_resolved(tmp_path: Path) -> None:
    desk = HandoffSettings(
        queues=(QueueSettings(name="general"), QueueSettings(name="billing", skills=("billing",))),
        rules=(RuleSettings(name="money", queue="billing", words=("money",), priority=5),),
        operators=(
            OperatorSettings(id="mia", name="Mia", skills=("billing", "french")),
            OperatorSettings(id="bob", name="Bob", skills=("french",)),
            OperatorSettings(id="one", name="One", at_most=1),
        ),
    )
    async with serving(CountingAgent(hands_over), tmp_path, settings(desk)) as server:
        port = server.port
        mia, bob, one = Operator(port, "mia"), Operator(port, "bob"), Operator(port, "one")
        async with mia:
            await say(port, "s-1", "my money back", 1)
            row = await mia.waiting("s-1")
            assert row["route"] == {"target": "billing", "rule": "money", "reasons": ["word money", "priority +5"]}
            assert (row["queue"], row["skills"], row["priority"], row["position"]) == ("billing", ["billing"], 5, 1)
            assert (row["transfer"], row["cause"], row["agent"]) == ("bot_to_human", "agent", "counting")
            news = [one["handoff"]["status"] for one in mia.news if one["type"] == "handoff"]
            assert news in ([], ["requested"], ["requested", "queued"])
            seen = await mia.get(f"/{row['id']}")
            bundle = seen["bundle"]
            assert (bundle["summary"], bundle["summaryBy"]) == ("wants money", "agent")
            assert [(one["role"], one["text"]) for one in bundle["transcript"]] == [
                ("customer", "my money back"),
                ("agent", "A colleague will help. "),
            ]
            assert await bob.refused(row["id"], "take") == "forbidden"
            assert (await mia.do(row["id"], "connect"))["status"] == "connecting"
            assert await one.refused(row["id"], "take") == "handoff_state"
            assert (await mia.do(row["id"], "take"))["operator"] == {"id": "mia", "name": "Mia"}
            assert (await mia.do(row["id"], "hold"))["status"] == "on_hold"
            assert (await mia.do(row["id"], "resume"))["status"] == "connected"
            assert await bob.refused(row["id"], "say", text="hi") == "forbidden"
            await say(port, "s-1", "are you there", 2)
            while (said := (await mia.told("said"))["said"])["text"] != "are you there":
                assert said["role"] in ("customer", "agent")
            await mia.do(row["id"], "resolve", note="paid")
            assert (await mia.over("s-1"))["status"] == "resolved"
            assert await mia.refused(row["id"], "say", text="hi") == "handoff_unknown"
        await say(port, "s-2", "more money", 1)
        await say(port, "s-3", "more money", 1)
        first, second = await mia.waiting("s-2"), await mia.waiting("s-3")
        assert (first["position"], second["position"]) == (1, 2)
        await one.do(first["id"], "take")
        assert await one.refused(second["id"], "take") == "handoff_state"
        async with asyncio.timeout(15):
            while (row := await mia.waiting("s-3"))["position"] != 1:
                await asyncio.sleep(0.02)
        assert row["waitMs"] >= 0 and row["waitText"] == "less than a minute"


async def test_a_person_asks_in_words_and_withdraws(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        mia = Operator(server.port, "mia")
        await say(server.port, "s-1", "Can I talk to a human?", 1)
        row = await mia.waiting("s-1")
        assert (row["cause"], row["reason"]) == ("person", "the person asked for a human (talk to a human)")
        answer = await fetch(server.port, "DELETE", f"/api/handoffs/{row['id']}")
        assert (answer.status, answer.body["handoff"]["status"]) == (200, "cancelled")
        answer = await fetch(server.port, "DELETE", f"/api/handoffs/{row['id']}")
        assert answer.status == 404
        asked = await fetch(server.port, "POST", "/api/handoffs", body={"sessionId": "s-1", "reason": "once more"})
        assert (asked.status, asked.body["handoff"]["cause"]) == (201, "api")
        again = await fetch(server.port, "POST", "/api/handoffs", body={"sessionId": "s-1"})
        assert (again.status, again.body["reason"]) == (409, "handoff_state")
        for body, path in (
            ({"sessionId": "s-1", "prio": 1}, "$"),
            ({"sessionId": "s-1", "priority": 101}, "$.priority"),
        ):
            wrong = await fetch(server.port, "POST", "/api/handoffs", body=body)
            assert (wrong.status, wrong.body["path"]) == (400, path)
        nowhere = await fetch(server.port, "POST", "/api/handoffs", body={"sessionId": "s-9"})
        assert nowhere.status == 404


async def test_a_closed_desk_fails_and_says_when_it_opens(tmp_path: Path) -> None:
    desk = HandoffSettings(queues=(QueueSettings(name="never", closed=(), hours=("Mo 00:00-00:01",), timezone="UTC"),))
    async with serving(CountingAgent(hands_over), tmp_path, settings(desk)) as server:
        mia = Operator(server.port, "mia")
        await say(server.port, "s-1", "money", 1)
        row = await mia.over("s-1")
        assert row["status"] == "failed"
        assert "closed until" in row["failure"]


async def test_without_a_desk_whoever_asks_is_told_so(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path, settings(HandoffSettings(enabled=False))) as server:
        await say(server.port, "s-1", "money", 1)
        answer = await fetch(server.port, "GET", "/api/handoffs")
        assert (answer.status, answer.body["reason"]) == (400, "unsupported")
        async with asyncio.timeout(15):
            while not (failed := kinds(await journal(server.port, "s-1"), "handoff_moved")[1:]):
                await asyncio.sleep(0.01)
        assert failed[0]["failure"] == "conversations cannot be passed on here"


async def test_people_pass_it_on_and_ask_a_supervisor(tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        mia, bob = Operator(server.port, "mia"), Operator(server.port, "bob")
        await say(server.port, "s-1", "money", 1)
        first = await mia.waiting("s-1")
        await mia.do(first["id"], "take")
        await mia.do(first["id"], "consult", text="may I refund 900?")
        consult = next(one for one in (await bob.get())["handoffs"] if one.get("consult"))
        assert "900" not in str(consult)
        words = (await bob.get(f"/{consult['id']}"))["words"]
        assert [(one["by"]["id"], one["text"]) for one in words] == [("mia", "may I refund 900?")]
        await bob.do(consult["id"], "consult", text="yes, you may")
        await bob.do(consult["id"], "resolve")
        await mia.do(first["id"], "transfer", transfer="warm", target="operator:bob", reason="Bob knows")
        onward = await bob.waiting("s-1")
        assert (onward["only"], onward["transfer"]) == ("bob", "warm")
        await mia.do(first["id"], "say", text="one moment")
        await bob.do(onward["id"], "take")
        assert await mia.refused(first["id"], "say", text="still me") == "handoff_unknown"
        await bob.do(onward["id"], "say", text="Bob here")
        await bob.do(onward["id"], "transfer", transfer="blind", reason="not mine")
        blind = await mia.waiting("s-1")
        assert blind["transfer"] == "blind"
        await say(server.port, "s-1", "hello", 2)
        texts = [event["text"] for event in kinds(await journal(server.port, "s-1"), "text_completed")]
        assert texts[-1] == "You said hello."


async def test_agents_pass_it_on_and_the_wire_says_which_had_it(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "hours.md").write_text("# Hours\n\n## When is it open?\n\nFrom ten to six.\n")

    async def passes_on(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        assert not request.agent
        yield HandOff(reason="about hours", transfer="bot_to_bot")

    given = Settings(
        server=ServerSettings(drain_ms=500),
        handoff=HandoffSettings(rules=(RuleSettings(name="hours", agent="pages", words=("open",)),)),
        agents=(OtherAgent(name="pages", folder=str(tmp_path / "pages")),),
    )
    agent = CountingAgent(passes_on)
    async with serving(agent, tmp_path / "data", given) as server, CHAT_WS.link(server.port, "s-1") as link:
        await link.say("when is it open", 1)
        while "From ten to six" not in link.text:
            await link.next()
        moved = [frame.body for frame in link.frames if frame.body["type"] == "handoff.status"]
        assert [(one["status"], one["transferType"], one["graphPath"]) for one in moved] == [
            ("requested", "bot_to_bot", ["counting"]),
            ("transferred", "bot_to_bot", ["counting", "pages"]),
        ]
        assert moved[1]["targetAgent"] == "pages"
        assert (moved[1]["routeDecision"]["target"], moved[1]["routeDecision"]["rule"]) == ("pages", "hours")
        assert len(agent.requests) == 1


@pytest.mark.parametrize(("transfer", "target"), [("blind", "nowhere"), ("warm", "nowhere"), ("bot_to_bot", "nobody")])
async def test_nobody_is_passed_on_to_what_is_not_there(transfer: str, target: str, tmp_path: Path) -> None:
    async with serving(CountingAgent(hands_over), tmp_path) as server:
        mia = Operator(server.port, "mia")
        await say(server.port, "s-1", "money", 1)
        taken = await mia.waiting("s-1")
        await mia.do(taken["id"], "take")
        refused = await mia.post(f"{taken['id']}/transfer", transfer=transfer, target=target)
        assert (refused.status, refused.body["reason"], refused.body["path"]) == (400, "bad_message", "$.target")
        assert target in refused.body["message"]
        body = {"sessionId": "s-1", "transfer": "bot_to_bot", "target": target}
        assert (await fetch(server.port, "POST", "/api/handoffs", body=body)).status == 400
        assert (await mia.do(taken["id"], "say", text="still here"))["status"] == "connected"


async def say(port: int, session: str, text: str, number: int) -> None:
    """Say something, and wait for the end of its turn."""
    body = {"sessionId": session, "requestId": f"m-{number}", "text": text}
    answer = await fetch(port, "POST", "/chat/stream", body=body)
    assert answer.status == 200, answer.raw


async def passed(port: int, session: str, count: int) -> None:
    """Wait until so many turns were left to a person."""
    async with asyncio.timeout(15):
        while [e["outcome"] for e in kinds(await journal(port, session), "turn_ended")].count("passed") < count:
            await asyncio.sleep(0.01)


async def until_runs(agent: CountingAgent, count: int) -> None:
    """Wait until the agent was asked so often."""
    async with asyncio.timeout(15):
        while len(agent.requests) < count:
            await asyncio.sleep(0.005)


async def until_closed(agent: CountingAgent) -> None:
    """Wait until a run was stopped."""
    async with asyncio.timeout(15):
        while not agent.closed:
            await asyncio.sleep(0.005)
