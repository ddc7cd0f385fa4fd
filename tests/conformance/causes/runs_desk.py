"""Runs in which conversations are passed on: to people, between them, and between agents."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
from tests.conformance.causes.world import Story, World
from tests.e2e.calls import calling, scripted_calls
from tests.e2e.desk import Operator
from tests.e2e.harness import WAIT_S, CountingAgent, Live, serving, until
from tests.e2e.links import journal, kinds
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished
from duologue.model.handoff import HandOff
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_agents import OtherAgent
from duologue.server.settings_handoff import HandoffSettings, QueueSettings, RuleSettings

DESK = HandoffSettings(
    queues=(QueueSettings(name="general"), QueueSettings(name="never", hours=("Mo 00:00-00:01",))),
    rules=(
        RuleSettings(name="money", queue="general", words=("money",)),
        RuleSettings(name="closed", queue="never", words=("at night",)),
    ),
)
SETTINGS = Settings(server=ServerSettings(drain_ms=500), handoff=DESK)
PAGES = "# Opening hours\n\n## When is it open?\n\nFrom ten to six.\n"


async def _hands_over(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    match request.text:
        case "my money" | "at night":
            yield "A colleague will help. "
            yield HandOff(reason=f"about {request.text}", summary="wants help")
            return
        case "to a specialist":
            yield HandOff(reason="needs a specialist", transfer="bot_to_bot", target="pages")
            return
        case _:
            yield "Yes."
            yield Finished()


async def _say(server: Live, session: str, text: str, number: int) -> None:
    """Say something, and wait for the end of its turn."""
    body = {"sessionId": session, "requestId": f"m-{number}", "text": text}
    answer = await fetch(server.port, "POST", "/chat/stream", body=body)
    assert answer.status == 200, answer.raw


async def _failed(server: Live, session: str) -> None:
    """Wait until a handoff of a session has failed."""
    async with asyncio.timeout(WAIT_S):
        while not any(one["status"] == "failed" for one in kinds(await journal(server.port, session), "handoff_moved")):
            pass


async def _people(world: World, folder: Path) -> None:
    (folder / "pages").mkdir()
    (folder / "pages" / "hours.md").write_text(PAGES)
    specialist = OtherAgent(name="pages", folder=str(folder / "pages"))
    settings = msgspec.structs.replace(SETTINGS, agents=(specialist,))
    async with serving(CountingAgent(_hands_over), folder, settings) as server:
        mia, bob = Operator(server.port, "mia"), Operator(server.port, "bob")
        await _say(server, "desk", "my money", 1)
        first = (await mia.waiting("desk"))["id"]
        await mia.do(first, "connect")
        await mia.do(first, "take")
        await mia.do(first, "hold")
        await mia.do(first, "resume")
        await mia.do(first, "say", text="Mia here.")
        await mia.do(first, "consult", text="May I refund it?")
        consult = next(one for one in (await bob.get())["handoffs"] if one.get("consult"))
        await bob.do(consult["id"], "consult", text="You may.")
        await bob.do(consult["id"], "resolve")
        await _say(server, "desk", "hello?", 2)
        for transfer in ("warm", "human_to_human", "blind"):
            await mia.do(first, "transfer", transfer=transfer, reason=f"passed on {transfer}")
            first = (await mia.waiting("desk"))["id"]
            await mia.do(first, "take")
        await mia.do(first, "resolve")
        # The desk is closed for this one, and the next is taken back by the person.
        await _say(server, "desk", "at night", 3)
        await _failed(server, "desk")
        await _say(server, "desk", "Can I talk to a human?", 4)
        again = (await mia.waiting("desk"))["id"]
        await fetch(server.port, "DELETE", f"/api/handoffs/{again}")
        # From here on another agent has the conversation.
        await _say(server, "desk", "to a specialist", 5)
        await _say(server, "desk", "When is it open?", 6)
        await world.note(server, "desk")


async def _expected(world: World, folder: Path) -> None:
    async with serving(CountingAgent(_hands_over), folder, SETTINGS) as server:
        mia = Operator(server.port, "mia")
        for session in ("first", "second"):
            await _say(server, session, "my money", 1)
        first = (await mia.waiting("first"))["id"]
        await mia.do(first, "take")
        await mia.do(first, "resolve")
        row = await mia.waiting("second")
        while row.get("waitMs") is None:
            row = await mia.waiting("second")
        await world.note(server, "second")


async def _called(world: World, folder: Path) -> None:
    calls = scripted_calls()
    async with serving(CountingAgent(_hands_over), folder, SETTINGS, calls=calls) as server:
        mia = Operator(server.port, "mia")
        async with calling(server.port) as caller:
            await caller.start("called")
            await _say(server, "called", "hello", 1)
            taken = (await mia.post("take-over", sessionId="called")).body["handoff"]
            await mia.do(taken["id"], "resolve")
            await caller.send({"type": "hangup"})
        await until(lambda: len(calls) == 0)
        await world.note(server, "called")


STORIES = (
    Story("desk", "operators take a conversation, hold it, consult, pass it on in every way and resolve it", _people),
    Story("queue", "two people wait, and one hears how long", _expected),
    Story("desk in a call", "an operator takes over while the person is on a call", _called),
)
