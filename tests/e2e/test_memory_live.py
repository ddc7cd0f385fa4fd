"""Memory as it runs: over Ghost and Chat, through `/api/memory`, and across `kill -9`."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from tests.e2e.desk import Operator
from tests.e2e.harness import Live, Server, serving
from tests.e2e.links import AGENTCALL_WS, GHOST_WS
from tests.e2e.wire import Json, fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished, Text
from duologue.ports.agent import Files
from duologue.runtime.memory.remembering import Remembering
from duologue.server.settings import Settings
from duologue.server.settings_auth import AuthSettings
from duologue.server.settings_memory import MemorySettings

pytestmark = pytest.mark.anyio

ON = msgspec.structs.replace(Settings(), memory=MemorySettings(enabled=True, recall_ms=5_000))
KEY = "a-long-enough-backend-key"
_NUMBERS = itertools.count(1)
SECRET = "a-secret-that-signs-tokens-of-people"


class Knowing:
    """An agent that says what it was given of memory."""

    name = "knowing"

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Say it."""
        yield Text(text="; ".join(one.text for one in request.memories) or "nothing")
        yield Finished()


async def settled(server: Live) -> None:
    remembering = server.hub.recall
    assert isinstance(remembering, Remembering)
    async with asyncio.timeout(20):
        await remembering.settled()


async def say(server: Live, session: str, text: str, headers: dict[str, str] | None = None) -> str:
    """Say something over Chat, and wait until it was looked through; returns the answer."""
    body = {"sessionId": session, "requestId": f"r-{next(_NUMBERS)}", "text": text}
    answer = await fetch(
        server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"} | (headers or {})
    )
    assert answer.status == 200, answer.raw
    await settled(server)
    return answer.body["text"]


async def test_ghost_and_chat_know_what_the_other_was_told(tmp_path: Path) -> None:
    async with serving(Knowing(), tmp_path, ON) as server:
        assert await say(server, "c-1", "I live in Berlin and I'm allergic to peanuts.") == "nothing"
        async with GHOST_WS.link(server.port, "g-1") as ghost:
            await ghost.say("What is the weather where I live?", 1)
            await ghost.over()
            assert ghost.text == "Lives in Berlin; Allergic to peanuts"
            kinds = [frame.body["type"] for frame in ghost.frames]
            recalled = next(frame.body for frame in ghost.frames if frame.body["type"] == "memory.recalled")
            assert recalled["payload"]["count"] == 2
            assert 0 <= recalled["payload"]["retrieve_ms"] < 5_000
            assert kinds.index("turn.start") < kinds.index("memory.recalled") < kinds.index("turn.token")
            ready = next(frame.body for frame in ghost.frames if frame.body["type"] == "agent.ready")
            assert ready["payload"]["memory_items"] == 2
            await ghost.say("My dog is called Rex.", 2)
            while ghost.frames[-1].body["type"] != "memory.stored":
                await ghost.next()
            payload = ghost.frames[-1].body["payload"]
            assert (payload["type"], payload["importance"]) == ("entity", 0.6)
        async with AGENTCALL_WS.link(server.port, "a-1") as link:
            await link.say("Who is Rex?", 1)
            await link.over()
            assert "Dog: Rex" in link.text
        metrics = (await fetch(server.port, "GET", "/metrics")).raw.decode()
        assert "duologue_memory_items 3.0" in metrics
        assert 'duologue_memory_recalls_total{outcome="done"} 4.0' in metrics


async def test_who_takes_over_sees_what_is_remembered_and_the_journal_does_not(tmp_path: Path) -> None:
    async with serving(Knowing(), tmp_path, ON) as server:
        await say(server, "c-1", "I live in Berlin and I'm allergic to peanuts.")
        mia = Operator(server.port, "mia")
        taken = (await mia.post("take-over", sessionId="c-1")).body["handoff"]
        assert (await mia.get(f"/{taken['id']}"))["bundle"]["memory"] == ["Allergic to peanuts", "Lives in Berlin"]
        assert b"Allergic to peanuts" not in await server.hub.store.read("c-1", after=0, limit=10_000)
        await fetch(server.port, "PUT", "/api/memory", body={"remembers": False})
        assert (await mia.get(f"/{taken['id']}"))["bundle"]["memory"] == []


async def test_without_memory_there_is_none(tmp_path: Path) -> None:
    async with serving(Knowing(), tmp_path) as server:
        body = {"sessionId": "c-1", "requestId": "r", "text": "I live in Berlin."}
        await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
        answer = await fetch(server.port, "GET", "/api/memory")
        assert (answer.status, answer.body["reason"]) == (400, "unsupported")
        assert server.hub.recall is None
        assert not (tmp_path / "memory.db").exists()


async def get(server: Live, path: str, **more: Any) -> Json:
    answer = await fetch(server.port, "GET", path, **more)
    assert answer.status == 200, answer.raw
    return answer.body


async def test_a_person_sees_deletes_and_takes_with_them_what_is_remembered(tmp_path: Path) -> None:
    async with serving(Knowing(), tmp_path, ON) as server:
        await say(server, "c-1", "I live in Berlin. I have two kids. I love tea.")
        seen = await get(server, "/api/memory")
        assert (seen["remembers"], seen["count"], seen["next"]) == (True, 3, None)
        assert {one["text"] for one in seen["memories"]} == {"Lives in Berlin", "Has two kids", "Loves tea"}
        home = next(one for one in seen["memories"] if one["key"] == "home")
        assert (home["kind"], home["importance"], home["sessionId"], home["turn"]) == ("fact", 0.8, "c-1", 1)
        assert await get(server, f"/api/memory/{home['memoryId']}") == home
        assert [one["text"] for one in (await get(server, "/api/memory?kind=preference"))["memories"]] == ["Loves tea"]
        assert [one["text"] for one in (await get(server, "/api/memory?q=kid"))["memories"]] == ["Has two kids"]
        first = await get(server, "/api/memory?limit=2")
        rest = await get(server, f"/api/memory?limit=2&after={first['next']}")
        assert len(first["memories"]) == 2 and len(rest["memories"]) == 1 and rest["next"] is None
        gone = await fetch(server.port, "DELETE", f"/api/memory/{home['memoryId']}")
        assert (gone.status, gone.body) == (200, {"forgotten": 1})
        again = await fetch(server.port, "DELETE", f"/api/memory/{home['memoryId']}")
        assert (again.status, again.body["reason"]) == (404, "memory_unknown")
        exported = await fetch(server.port, "GET", "/api/memory/export")
        assert exported.status == 200 and len(json.loads(exported.raw)["memories"]) == 2
        for query in ("kind=thing", "limit=0", "limit=x", f"q={'x' * 2_000}"):
            assert (await fetch(server.port, "GET", f"/api/memory?{query}")).status == 400
        assert (await fetch(server.port, "PUT", "/api/memory", body={"remembers": 3})).status == 400
        off = await fetch(server.port, "PUT", "/api/memory", body={"remembers": False})
        assert (off.status, off.body) == (200, {"remembers": False})
        assert await say(server, "c-1", "I work as a baker. How many kids do I have?") == "nothing"
        assert (await get(server, "/api/memory"))["remembers"] is False
        await fetch(server.port, "PUT", "/api/memory", body={"remembers": True})
        await fetch(server.port, "PUT", "/api/sessions/c-1/memory", body={"remembers": False})
        assert await say(server, "c-1", "I work as a baker. How many kids do I have?") == "nothing"
        assert await say(server, "c-2", "How many kids do I have?") == "Has two kids"
        gone = await fetch(server.port, "DELETE", "/api/memory")
        assert gone.body == {"forgotten": 2}
        assert (await get(server, "/api/memory"))["memories"] == []


async def test_people_see_their_own_and_nobody_elses(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(ON, auth=AuthSettings(api_keys=(KEY,), secret=SECRET))
    async with serving(Knowing(), tmp_path, settings) as server, httpx2.AsyncClient(base_url=server.url) as client:

        async def token(subject: str, session: str | None = None) -> dict[str, str]:
            wanted = {"subject": subject} | ({"sessionId": session} if session else {})
            made = await client.post("/chat/token", json=wanted, headers={"Authorization": f"Bearer {KEY}"})
            return {"Authorization": f"Bearer {made.json()['token']}"}

        ada, bob = await token("ada"), await token("bob")
        await say(server, "a-1", "I live in Berlin.", ada)
        await say(server, "a-2", "I love tea.", ada)
        await say(server, "b-1", "I live in Rome.", bob)

        async def texts(headers: dict[str, str], query: str = "") -> list[str]:
            answer = await client.get(f"/api/memory{query}", headers=headers)
            assert answer.status_code == 200, answer.text
            return sorted(one["text"] for one in answer.json()["memories"])

        assert await texts(ada) == ["Lives in Berlin", "Loves tea"]
        assert await texts(bob) == ["Lives in Rome"]
        assert await texts({"Authorization": f"Bearer {KEY}", "Duologue-Subject": "bob"}) == ["Lives in Rome"]
        assert await texts({"Authorization": f"Bearer {KEY}"}, "?subject=ada") == ["Lives in Berlin", "Loves tea"]
        assert (await client.get("/api/memory?subject=bob", headers=ada)).status_code == 403
        assert (await client.delete("/api/memory?subject=bob", headers=ada)).status_code == 403
        assert (await client.get("/api/memory")).status_code == 401
        (theirs,) = (await client.get("/api/memory", headers=bob)).json()["memories"]
        assert (await client.delete(f"/api/memory/{theirs['memoryId']}", headers=ada)).status_code == 404
        # A token for one session is for what came from it.
        narrow = await token("ada", "a-2")
        assert await texts(narrow) == ["Loves tea"]
        assert (await client.get("/api/memory", headers=narrow)).json()["count"] == 1
        assert (await client.get("/api/memory", headers=ada)).json()["count"] == 2
        assert (await client.put("/api/memory", json={"remembers": False}, headers=narrow)).status_code == 403
        assert (await client.delete("/api/memory", headers=narrow)).json() == {"forgotten": 1}
        assert await texts(ada) == ["Lives in Berlin"]
        removed = await client.delete("/api/people/ada", headers={"Authorization": f"Bearer {KEY}"})
        assert removed.status_code == 200
        assert await texts(ada) == []
        assert await texts(bob) == ["Lives in Rome"]


@pytest.mark.slow
async def test_a_server_that_is_killed_again_and_again_remembers_each_thing_once(tmp_path: Path) -> None:
    (tmp_path / "duologue.toml").write_text("[memory]\nenabled = true\n")
    server = Server(arguments=["--agent", "console_agent:answer"], data=tmp_path / "data", environment={}, forked=True)
    things = [f"I like thing{number}." for number in range(12)]
    for number, thing in enumerate(things):
        server.start()
        body = {"sessionId": "s-1", "requestId": f"r-{number}", "text": thing}
        await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Accept": "application/json"})
        # At another moment each time: before the turn was looked through, while it is, after it was told.
        await asyncio.sleep(number * 0.004)
        server.kill()
    server.start()
    try:
        async with asyncio.timeout(30):
            while len(seen := (await fetch(server.port, "GET", "/api/memory")).body["memories"]) < len(things):
                await asyncio.sleep(0.05)
        assert sorted(one["text"] for one in seen) == sorted(f"Likes thing{number}" for number in range(len(things)))
        async with asyncio.timeout(30):
            while len(told := await stored(server)) < len(things):
                await asyncio.sleep(0.05)
        assert sorted(told) == sorted(one["memoryId"] for one in seen)
    finally:
        server.stop()


async def stored(server: Server) -> list[str]:
    """The ids of the memories that the session was told of."""
    answer = await fetch(server.port, "GET", "/api/sessions/s-1/events")
    events = [json.loads(line)["event"] for line in answer.raw.splitlines()]
    return [event["memory_id"] for event in events if event["kind"] == "memory_stored"]
