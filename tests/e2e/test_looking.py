"""`/api/sessions` over a real server: pages, search, turns, frames of every protocol, and files given back."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.conformance.protocols.agentcall_samples import png
from tests.e2e.agui import agui_input, run, user
from tests.e2e.harness import CountingAgent, Live, serving
from tests.e2e.links import CHANNELS
from tests.e2e.wire import fetch

from duologue import protocols
from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Failure, Finished, Text
from duologue.model.records import decode_events
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agui import AguiDialect
from duologue.protocols.chat import ChatDialect
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.jambonz import JambonzDialect
from duologue.server.settings import AuthSettings, Settings

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"

# What the server answers, of whatever shape; each test names what it expects of it.
Json = Any


async def answer(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
    """Say the words again; `fail` fails."""
    if request.text == "fail":
        yield Failure(message="The quota is used up.", retryable=False)
        return
    for word in request.text.split():
        yield Text(text=f"{word} ")
    yield Text(text="said the echo")
    yield Finished()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Live]:
    settings = Settings(auth=AuthSettings(api_keys=(KEY,)))
    async with serving(CountingAgent(answer), tmp_path, settings) as live:
        yield live


def client(server: Live, subject: str | None = None, token: str = KEY) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {token}"} | ({"Duologue-Subject": subject} if subject else {})
    return httpx2.AsyncClient(base_url=server.url, headers=headers)


async def say(server: Live, subject: str, session_id: str, *texts: str, **more: Json) -> None:
    async with client(server, subject) as person:
        for text in texts:
            body = {"sessionId": session_id, "requestId": f"r-{text}", "text": text} | more
            await person.post("/chat/stream", json=body, headers={"Accept": "application/json"})


async def get(server: Live, path: str, subject: str | None = None, **params: str) -> Json:
    async with client(server, subject) as person:
        response = await person.get(path, params=params)
        assert response.status_code == 200, response.text
        return response.json()


def ids(page: Json) -> list[str]:
    return [row["sessionId"] for row in page["sessions"]]


async def test_pages_lose_nobody_and_a_backend_sees_everybody(server: Live) -> None:
    for number in range(5):
        await say(server, "ada" if number % 2 else "bob", f"s{number}", "hello")
    seen: list[str] = []
    after = ""
    while True:
        page = await get(server, "/api/sessions", limit="2", after=after)
        seen += ids(page)
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == ["s4", "s3", "s2", "s1", "s0"]
    mine = await get(server, "/api/sessions", "ada")
    assert (ids(mine), mine["subject"]) == (["s3", "s1"], "ada")
    assert {row["subject"] for row in mine["sessions"]} == {"ada"}
    async with client(server) as backend:
        page = (await backend.get("/api/sessions", params={"subject": "bob"})).json()
        assert ids(page) == ["s4", "s2", "s0"]


async def test_sessions_are_narrowed_to_how_they_stand(server: Live) -> None:
    await say(server, "ada", "over", "hello")
    await say(server, "ada", "quiet", "hello")
    async with client(server, "ada") as person:
        (await person.post("/chat/end", json={"sessionId": "over"})).raise_for_status()
    assert ids(await get(server, "/api/sessions", state="ended")) == ["over"]
    assert ids(await get(server, "/api/sessions", state="open")) == ["quiet"]
    assert ids(await get(server, "/api/sessions", state="answering")) == []


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"after": "???"}, "`after` has to be the `next`"),
        ({"after": "é"}, "`after` has to be the `next`"),
        ({"after": "WzEsMl0"}, "`after` has to be the `next`"),
        ({"after": "WzE4NDQ2NzQ0MDczNzA5NTUxNjE1LCJzIl0"}, "`after` has to be the `next`"),
        ({"state": "asleep"}, "open, answering or ended"),
        ({"limit": "0"}, "a number from 1 to 100"),
        ({"limit": "1000"}, "a number from 1 to 100"),
        ({"limit": "²"}, "a number from 1 to 100"),
        ({"q": "x" * (limits.SEARCH_CHARS + 1)}, "at most 256 characters"),
    ],
)
async def test_what_cannot_be_asked_is_refused(server: Live, params: dict[str, str], words: str) -> None:
    async with client(server) as backend:
        refused = await backend.get("/api/sessions", params=params)
        assert refused.status_code == 400 and words in refused.json()["message"]


async def test_words_are_found_in_titles_and_in_what_was_said(server: Live) -> None:
    await say(server, "ada", "penguins", "When are the Penguins fed?")
    await say(server, "ada", "later", "hello", "Tell me of GRÜNE Heringe please")
    await say(server, "bob", "other", "penguins, too")
    found = await get(server, "/api/sessions", "ada", q="penguins FED")
    assert ids(found) == ["penguins"]
    assert found["sessions"][0]["match"] == {"where": "title", "excerpt": "When are the Penguins fed?"}
    found = await get(server, "/api/sessions", "ada", q="heringe grüne")
    assert ids(found) == ["later"]
    assert found["sessions"][0]["match"] == {"where": "user", "turn": 2, "excerpt": "Tell me of GRÜNE Heringe please"}
    found = await get(server, "/api/sessions", "ada", q="the echo")
    assert ids(found) == ["later", "penguins"]
    assert {row["match"]["where"] for row in found["sessions"]} == {"assistant"}
    assert ids(await get(server, "/api/sessions", "ada", q="nowhere")) == []
    # JSON's own words are no words of the conversation.
    assert ids(await get(server, "/api/sessions", "ada", q="response_id")) == []


async def test_turns_have_their_outcomes_and_figures(server: Live) -> None:
    await say(server, "ada", "s", "one two", "fail")
    told = await get(server, "/api/sessions/s/turns", "ada")
    first, second = told["turns"]
    assert (first["turn"], first["text"], first["outcome"]) == (1, "one two", "completed")
    assert first["answer"] == "one two said the echo"
    (run,) = first["responses"]
    assert run["outcome"] == "completed" and run["characters"] == len(first["answer"])
    assert first["acceptedAt"] <= run["startedAt"] <= run["firstTextAt"] <= run["endedAt"] <= first["endedAt"]
    assert run["figures"] == first["figures"]
    assert run["figures"]["ttftMs"] == run["firstTextAt"] - run["startedAt"]
    assert run["figures"]["durationMs"] == run["endedAt"] - run["startedAt"]
    assert second["outcome"] == "failed"
    assert (second["responses"][0]["code"], second["responses"][0]["firstTextAt"]) == ("agent_failed", None)
    assert first["firstSequence"] < first["lastSequence"] < second["firstSequence"]
    assert second["lastSequence"] == told["lastSequence"]


async def ended(server: Live) -> list[Json]:
    told = await fetch(server.port, "GET", "/api/sessions/s/turns")
    return [turn for turn in told.body["turns"] if turn["outcome"]]


async def test_a_turn_says_through_which_protocol_it_came(tmp_path: Path) -> None:
    async with serving(CountingAgent(answer), tmp_path) as server:
        for number, channel in enumerate(CHANNELS, 1):
            async with channel.link(server.port, "s") as link:
                await link.say("hello", number)
                await link.over()
                while len(await ended(server)) < number:
                    await asyncio.sleep(0.005)
        await run(server.port, agui_input("s", "r-6", user("hello", "u-6")))
        through = [channel.dialect.name for channel in CHANNELS] + ["agui"]
        assert [turn["protocol"] for turn in await ended(server)] == through
        figures = (await fetch(server.port, "GET", "/metrics")).raw.decode()
        for protocol in set(through):
            labels = f'{{agent="counting",protocol="{protocol}"}}'
            assert f"duologue_turn_duration_seconds_count{labels} {through.count(protocol)}.0" in figures


async def lines(server: Live, **params: str) -> list[Json]:
    async with client(server) as backend:
        response = await backend.get("/api/sessions/s/events", params=params)
        response.raise_for_status()
        return [json.loads(line) for line in response.text.splitlines()]


async def test_events_come_with_the_frames_of_every_protocol(server: Live) -> None:
    await say(server, "ada", "s", "one two")
    described = await get(server, "/api/sessions/s", "ada")
    folders = Path(protocols.__file__).parent.glob("*/__init__.py")
    # Beside the sound of a call go messages, and no events; what several protocols take as observations is none.
    spoken = sorted({folder.parent.name for folder in folders} - {"audio", "observation"})
    assert described["protocols"] == spoken, "every protocol is looked through"
    every = await lines(server, protocols=",".join(described["protocols"]))
    assert [line["sequence"] for line in every] == list(range(1, described["lastSequence"] + 1))
    assert all(line["event"]["seq"] == line["sequence"] for line in every)
    assert all(list(line["frames"]) == described["protocols"] for line in every)
    async with client(server, "ada") as person:
        journal = (await person.get("/api/sessions/s/journal")).content
    dialects = (AgentCallDialect(), AguiDialect(), ChatDialect(server.url), GhostDialect(), JambonzDialect())
    for event, line in zip(decode_events(journal), every, strict=True):
        for dialect in dialects:
            frame = dialect.project(event)
            assert line["frames"][dialect.name] == (None if frame is None else json.loads(frame))
    assert [line["sequence"] for line in await lines(server, after="3", limit="2")] == [4, 5]
    assert (await lines(server, limit="1"))[0]["frames"] == {}
    async with client(server) as backend:
        refused = await backend.get("/api/sessions/s/events", params={"protocols": "chat,smoke"})
        assert refused.status_code == 400 and "no protocol 'smoke'" in refused.json()["message"]


async def test_a_stream_of_events_goes_on_while_the_session_does(server: Live) -> None:
    await say(server, "ada", "s", "one")
    headers = {"Accept": "text/event-stream"}
    seen: list[Json] = []
    async with asyncio.timeout(15), client(server) as backend:
        params = {"after": "2", "protocols": "chat"}
        async with backend.stream("GET", "/api/sessions/s/events", params=params, headers=headers) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            asked = False
            async for line in response.aiter_lines():
                if not line.startswith("data: "):
                    continue
                seen.append(json.loads(line.removeprefix("data: ")))
                if seen[-1]["event"]["kind"] != "turn_ended":
                    continue
                if asked:
                    break
                asked = True
                await say(server, "ada", "s", "two")
    assert [line["sequence"] for line in seen] == list(range(3, seen[-1]["sequence"] + 1))
    # Both ways write the same.
    assert seen == await lines(server, after="2", protocols="chat", limit=str(len(seen)))


async def test_nobody_looks_at_what_is_not_theirs(server: Live) -> None:
    await say(server, "ada", "s", "hello")
    async with client(server, "bob") as backend:
        token = (await backend.post("/chat/token", json={"subject": "bob"})).json()["token"]
        bound = (await backend.post("/chat/token", json={"subject": "ada", "sessionId": "t"})).json()["token"]
        for path in ("", "/turns", "/events", "/journal", "/export"):
            assert (await backend.get(f"/api/sessions/s{path}")).status_code == 404
        assert (await backend.delete("/api/sessions/s")).status_code == 404
    async with client(server, token=token) as person:
        assert ids((await person.get("/api/sessions")).json()) == []
        assert (await person.get("/api/sessions", params={"subject": "ada"})).status_code == 403
        assert (await person.get("/api/sessions/s/turns")).status_code == 404
    async with client(server, token=bound) as person:
        assert ids((await person.get("/api/sessions")).json()) == []
        assert (await person.get("/api/sessions/s/turns")).status_code == 403
    await say(server, "ada", "t", "hello")
    async with client(server, token=bound) as person:
        assert ids((await person.get("/api/sessions")).json()) == ["t"]


async def test_files_are_given_back_to_their_owner_alone(server: Live) -> None:
    html = b"<script>alert(1)</script>"
    pixel = png(1, 1)
    async with client(server, "ada") as ada:
        files = {"file": ("a 'note' ü.txt", html, "text/plain")}
        note = (await ada.post("/chat/upload", files=files)).json()["uploadId"]
        picture = (await ada.post("/chat/upload", files={"file": ("p.png", pixel, "image/png")})).json()["uploadId"]
        saved = await ada.get(f"/chat/upload/{note}")
        assert saved.content == html
        assert saved.headers["content-type"] == "application/octet-stream"
        disposition = saved.headers["content-disposition"]
        assert disposition == "attachment; filename=\"a _note_ _.txt\"; filename*=UTF-8''a%20%27note%27%20%C3%BC.txt"
        assert saved.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in saved.headers["content-security-policy"]
        shown = await ada.get(f"/chat/upload/{picture}")
        assert (shown.content, shown.headers["content-type"]) == (pixel, "image/png")
        assert shown.headers["content-disposition"].startswith("inline")
        assert shown.headers["cache-control"] == "no-store"
        bound = (await ada.post("/chat/token", json={"subject": "ada", "sessionId": "t"})).json()["token"]
        assert (await ada.get("/chat/upload/none")).status_code == 404
    async with client(server) as backend:
        assert (await backend.get(f"/chat/upload/{note}")).status_code == 200
    async with client(server, "bob") as bob:
        assert (await bob.get(f"/chat/upload/{picture}")).status_code == 404
    async with client(server, token=bound) as person:
        assert (await person.get(f"/chat/upload/{picture}")).status_code == 404
    async with httpx2.AsyncClient(base_url=server.url) as stranger:
        assert (await stranger.get(f"/chat/upload/{picture}")).status_code == 401
