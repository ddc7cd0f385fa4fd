"""The server is killed while people wait, and while somebody has a conversation."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import msgspec
import pytest
from tests.e2e.conftest import Serve
from tests.e2e.desk import Json, Operator
from tests.e2e.harness import Server, serving
from tests.e2e.harness import until as harness_until
from tests.e2e.links import CHAT_WS, journal, kinds
from tests.e2e.wire import fetch

from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_handoff import HandoffSettings
from duologue.testing.scripted_agent import ScriptedAgent, WaitFor

pytestmark = pytest.mark.anyio


async def say(server: Server, session: str, text: str, number: int = 1) -> None:
    """Say something, and wait for the end of its turn."""
    body = {"sessionId": session, "requestId": f"m-{number}", "text": text}
    answer = await fetch(server.port, "POST", "/chat/stream", body=body)
    assert answer.status == 200, answer.raw


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(15):
        while not await holds():
            await asyncio.sleep(0.02)


async def outcomes(server: Server, session: str) -> list[str]:
    """How the turns of a session ended."""
    return [event["outcome"] for event in kinds(await journal(server.port, session), "turn_ended")]


async def waiting(mia: Operator) -> list[tuple[str, int]]:
    """Who waits, with their places."""
    return [(one["sessionId"], one["position"]) for one in (await mia.get())["handoffs"] if one["status"] == "queued"]


async def test_a_queue_is_there_again_with_its_order(serve: Serve) -> None:
    server = serve("--agent", "desk_agent:answer")
    mia = Operator(server.port, "mia")
    for session, text in (("a", "money"), ("b", "money"), ("c", "money 5")):
        await say(server, session, text)
        await mia.waiting(session)
    line = [("c", 1), ("a", 2), ("b", 3)]
    await until(lambda: _is(waiting(mia), line))
    before = {session: len(await journal(server.port, session)) for session in "abc"}
    for _ in range(2):
        server.kill()
        server.start()
        await until(lambda: _is(waiting(mia), line))
    assert {session: len(await journal(server.port, session)) for session in "abc"} == before
    row = await mia.waiting("c")
    await mia.do(row["id"], "take")
    await until(lambda: _is(waiting(mia), [("a", 1), ("b", 2)]))
    assert (await mia.get(f"/{row['id']}"))["bundle"]["transcript"][0]["text"] == "money 5"


async def test_who_was_reading_may_still_take_it_and_how_long_people_take_is_known_again(serve: Serve) -> None:
    server = serve("--agent", "desk_agent:answer")
    mia, bob = Operator(server.port, "mia"), Operator(server.port, "bob")
    await say(server, "first", "money")
    first = await mia.waiting("first")
    assert "waitMs" not in first, "nothing was measured yet"
    await mia.do(first["id"], "take")
    await mia.do(first["id"], "resolve")
    async with CHAT_WS.link(server.port, "s") as link:
        await link.say("money", 1)
        row = await mia.waiting("s")
        await mia.do(row["id"], "connect")
        last = link.last
    server.kill()
    server.start()
    assert (await mia.waiting("s", status="connecting"))["operator"]["id"] == "mia"
    await mia.do(row["id"], "take")
    await mia.do(row["id"], "say", text="Mia here")
    async with CHAT_WS.link(server.port, "s", last) as link:
        while "Mia here" not in link.text:
            await link.next()
    moved = kinds(await journal(server.port, "s"), "handoff_moved")
    assert [one["status"] for one in moved] == ["requested", "queued", "connecting", "connected"]
    # Mia has two more: while she is free, it takes as long as taking took, and then as long as a conversation does.
    for session in ("a", "b", "c"):
        await say(server, session, "money")
        await until(partial(_has_estimate, mia, session))
        if session != "c":
            await mia.do((await mia.waiting(session))["id"], "take")
    assert await bob.refused(row["id"], "take") == "handoff_state"


async def test_a_wish_for_a_human_is_heard_though_the_server_dies_with_it(tmp_path: Path) -> None:
    # A server that hears no wishes leaves the same journal as one that died before it had told of this one.
    hears = Settings(server=ServerSettings(drain_ms=1))
    deaf = msgspec.structs.replace(hears, handoff=HandoffSettings(enabled=False))
    agent = ScriptedAgent([WaitFor(event=asyncio.Event())])
    async with serving(agent, tmp_path, deaf) as server, CHAT_WS.link(server.port, "s") as link:
        await link.say("Can I talk to a human?", 1)
        await harness_until(lambda: agent.runs == 1)
    async with serving(agent, tmp_path, hears) as server:
        row = await Operator(server.port, "mia").waiting("s")
        assert (row["cause"], row["id"]) == ("person", "s~1")
        assert (await fetch(server.port, "DELETE", "/api/handoffs/s~1")).status == 200
    async with serving(agent, tmp_path, hears) as server:
        await harness_until(lambda: server.hub.sessions.live("s") is not None)
        moved = kinds(await journal(server.port, "s"), "handoff_moved")
        assert [one["status"] for one in moved] == ["requested", "queued", "cancelled"]


async def _has_estimate(mia: Operator, session: str) -> bool:
    return "waitMs" in await mia.waiting(session)


async def test_who_has_a_conversation_keeps_it_and_nothing_is_said_twice(serve: Serve) -> None:
    server = serve("--agent", "desk_agent:answer")
    mia, bob = Operator(server.port, "mia"), Operator(server.port, "bob")
    async with CHAT_WS.link(server.port, "s") as link:
        await link.say("hang", 1)
        await link.until_delta()
        taken = (await mia.post("take-over", sessionId="s")).body["handoff"]
        await link.say("hello?", 2)
        await until(lambda: _is(outcomes(server, "s"), ["interrupted", "passed"]))
        server.kill()
        server.start()
        assert (await mia.waiting("s", status="connected"))["operator"]["id"] == "mia"
        assert await bob.refused(taken["id"], "take") == "handoff_state"
        await mia.do(taken["id"], "say", text="Mia here", messageId="m")
        await mia.do(taken["id"], "hold")
        server.kill()
        server.start()
        await mia.waiting("s", status="on_hold")
        await mia.do(taken["id"], "resume")
        again = await mia.post(f"{taken['id']}/say", text="Mia here", messageId="m")
        assert again.body["repeated"]
        await say(server, "s", "thanks", 3)
        server.kill()
        server.start()
        await mia.waiting("s", status="connected")
        await mia.do(taken["id"], "hand-back")
    async with CHAT_WS.link(server.port, "s") as link:
        while "You said thanks" not in link.text:
            await link.next()
    events = await journal(server.port, "s")
    runs = [event for event in kinds(events, "response_started") if not event.get("author")]
    ended = {event["response_id"]: event["outcome"] for event in kinds(events, "response_ended")}
    # One run before, one after; what was passed was announced, and nobody was asked.
    assert [ended[run["response_id"]] for run in runs] == ["interrupted", "passed", "passed", "completed"]
    assert [event["text"] for event in kinds(events, "text_completed")][1:] == [
        "Mia here",
        "You said thanks; before: mia: Mia here",
    ]


async def _is(found: Awaitable[Json], wanted: Json) -> bool:
    return await found == wanted
