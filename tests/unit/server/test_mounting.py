"""Duologue below a path of another application: lifespan, addresses, who may come in, and the way in process."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from duologue import GhostError, Mounted, Settings, Turn, mount
from duologue.model.errors import SettingsError
from duologue.server.settings import AuthSettings, ServerSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

SECRET = "a secret of at least thirty-two bytes"
AWAY = "https://shop.example/assistant"


async def answer(turn: Turn) -> AsyncGenerator[str]:
    yield "you said "
    yield turn.text


@asynccontextmanager
async def visiting(
    app: Starlette, *, host: str = "127.0.0.1", address: str = "127.0.0.1"
) -> AsyncGenerator[httpx2.AsyncClient]:
    """Run an application's lifespan, and ask it things."""
    async with app.router.lifespan_context(app) as state:

        async def started(scope: Scope, receive: Receive, send: Send) -> None:
            # A server hands on what the lifespan gave.
            await app({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx2.ASGITransport(started, client=(address, 50_000))
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{host}") as client:
            yield client


async def say(client: httpx2.AsyncClient, text: str, *, path: str, **headers: str) -> httpx2.Response:
    body = {"sessionId": "s", "requestId": text, "text": text}
    return await client.post(f"{path}/chat/stream", json=body, headers={"Accept": "application/json"} | headers)


@pytest.mark.parametrize("kind", [Starlette, FastAPI])
@pytest.mark.parametrize("path", ["/assistant", "/a/b", ""])
@pytest.mark.counterpart("FastAPI")
async def test_what_an_application_has_and_duologue_are_both_there(
    kind: type[Starlette], path: str, tmp_path: Path
) -> None:
    order: list[str] = []

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncGenerator[dict[str, int]]:
        order.append("open")
        yield {"shelf": 4}
        order.append("closed")

    async def shelf(request: Request) -> Response:
        return PlainTextResponse(f"shelf {request.state.shelf}")

    app = kind(routes=[Route("/shelf", shelf)], lifespan=lifespan)
    mount(app, path, answer, data=tmp_path)
    async with visiting(app) as client:
        assert order == ["open"]
        assert (await client.get("/shelf")).text == "shelf 4"
        assert (await say(client, "hello", path=path)).json()["text"] == "you said hello"
        assert (await client.get(f"{path}/readyz")).json() == {"status": "ready"}
    assert order == ["open", "closed"]


async def test_addresses_name_the_path(tmp_path: Path) -> None:
    app = Starlette()
    mount(app, "/assistant", answer, data=tmp_path)
    async with visiting(app) as client:
        card = (await client.get("/assistant/.well-known/agent-card.json")).json()
        described = (await client.get("/assistant/openapi.json")).json()
        page = await client.get("/assistant/docs")
    assert card["supportedInterfaces"][0]["url"] == "ws://127.0.0.1/assistant/agentcall"
    assert card["documentationUrl"] == "http://127.0.0.1/assistant/docs/agentcall"
    assert described["servers"] == [{"url": "http://127.0.0.1/assistant"}]
    assert 'href="./docs/' in page.text and 'href="/' not in page.text


@pytest.mark.parametrize(("public", "base"), [("", "http://127.0.0.1:8000/assistant"), (AWAY, AWAY)])
async def test_citations_of_own_pages_lead_below_the_path(public: str, base: str, tmp_path: Path) -> None:
    app = Starlette()
    settings = Settings(server=ServerSettings(public_url=public), auth=AuthSettings(secret=SECRET))
    duologue = mount(app, "/assistant", settings=settings, data=tmp_path)
    bearer = {"Authorization": f"Bearer {duologue.token('ada')}"}
    async with visiting(app) as client:
        told = (await say(client, "How do I configure the port?", path="/assistant", **bearer)).json()
    assert told["citations"][0]["url"].startswith(f"{base}/docs/")


async def test_an_application_talks_in_process_and_over_http_in_one_session(tmp_path: Path) -> None:
    app = Starlette()
    duologue = mount(app, "/assistant", answer, data=tmp_path)
    async with visiting(app) as client:
        await say(client, "hello", path="/assistant")
        session = await duologue.session("s")
        said = [event.payload["token"] async for event in session.say("and") if event.type == "turn.token"]
        with pytest.raises(GhostError):
            await duologue.session("s", subject="somebody else")
        listed = (await client.get("/assistant/api/sessions")).json()
    assert said == ["you said ", "and"]
    assert [row["turns"] for row in listed["sessions"]] == [2]


async def test_a_token_is_for_one_person(tmp_path: Path) -> None:
    app = Starlette()
    settings = Settings(auth=AuthSettings(secret=SECRET))
    duologue = mount(app, "/assistant", answer, settings=settings, data=tmp_path)
    with pytest.raises(ValueError, match="subject"):
        duologue.token("")
    async with visiting(app) as client:
        assert (await say(client, "hello", path="/assistant")).status_code == 401
        for token in (duologue.token("ada"), duologue.token("ada", session_id="s")):
            said = await say(client, "hello", path="/assistant", Authorization=f"Bearer {token}")
            assert said.status_code == 200
        other = {"Authorization": f"Bearer {duologue.token('bob')}"}
        assert (await say(client, "hello", path="/assistant", **other)).status_code == 403


async def test_without_auth_nobody_from_elsewhere_is_let_in(tmp_path: Path) -> None:
    app = Starlette()
    mount(app, "/assistant", answer, data=tmp_path)
    async with visiting(app, address="192.0.2.7") as client:
        refused = await say(client, "hello", path="/assistant")
        assert (refused.status_code, refused.json()["reason"]) == (403, "forbidden")
    # The same by its name: a page of a stranger that points it here.
    async with visiting(app, host="shop.example") as client:
        assert (await say(client, "hello", path="/assistant")).json()["reason"] == "origin_refused"
    with pytest.raises(SettingsError, match="no auth is configured"):
        mount(app, "/assistant", answer, settings=Settings(server=ServerSettings(public_url=AWAY)))


async def test_an_application_that_is_not_running_is_told(tmp_path: Path) -> None:
    app = Starlette()
    duologue = mount(app, "/assistant", answer, data=tmp_path)
    with pytest.raises(RuntimeError, match="lifespan"):
        await duologue.session("s")
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as client:
        with pytest.raises(RuntimeError, match="with TestClient"):
            await client.get("/assistant/healthz")


async def test_a_route_at_the_root_does_not_hide_it(tmp_path: Path) -> None:
    async def everything(_: Request) -> Response:
        return PlainTextResponse("mine")

    app = Starlette(routes=[Mount("/", routes=[Route("/{rest:path}", everything)])])
    mount(app, "/assistant", answer, data=tmp_path)
    async with visiting(app) as client:
        assert (await client.get("/assistant/healthz")).json() == {"status": "ok"}
        assert (await client.get("/other")).text == "mine"


@pytest.mark.parametrize("path", ["assistant", "/", "/assistant/", "/{who}", "//", "/a b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="/assistant"):
        mount(Starlette(), path, answer)


async def test_any_agent_will_do_and_what_is_none_is_refused(tmp_path: Path) -> None:
    app = Starlette()
    mounted: Mounted = mount(app, "/x", ScriptedAgent(["yes"]), data=tmp_path)
    assert mounted.path == "/x"
    async with visiting(app) as client:
        assert (await say(client, "hello", path="/x")).json()["text"] == "yes"
    with pytest.raises(TypeError):
        # Wrong on purpose, which the types would not let pass.
        mount(app, "/y", lambda: "nothing")  # pyright: ignore[reportArgumentType, reportCallIssue]


async def test_a_ticket_opens_an_address_below_the_path(tmp_path: Path) -> None:
    app = Starlette()
    settings = Settings(auth=AuthSettings(secret=SECRET))
    duologue = mount(app, "/assistant", answer, settings=settings, data=tmp_path)
    bearer = {"Authorization": f"Bearer {duologue.token('ada')}"}
    async with visiting(app) as client:
        await say(client, "hello", path="/assistant", **bearer)
        asked = {"path": "/api/sessions/s"}
        ticket = (await client.post("/assistant/api/ticket", json=asked, headers=bearer)).json()["ticket"]
        assert (await client.get(f"/assistant/api/sessions/s?ticket={ticket}")).status_code == 200
        assert (await client.get(f"/assistant/api/sessions/s?ticket={ticket}")).status_code == 401


async def test_an_application_may_be_started_again(tmp_path: Path) -> None:
    app = Starlette()
    mount(app, "/assistant", answer, data=tmp_path)
    for turns in (1, 2):
        async with visiting(app) as client:
            await say(client, f"hello {turns}", path="/assistant")
            listed = (await client.get("/assistant/api/sessions")).json()["sessions"]
            assert [row["turns"] for row in listed] == [turns]
