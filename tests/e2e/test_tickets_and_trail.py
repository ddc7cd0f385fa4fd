"""Tickets in addresses, the audit trail, and the headers of every answer, over real sockets."""

import json
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import Live, serving
from tests.e2e.links import SOCKETS, Channel, channel_name, connect_to
from tests.e2e.wire import EventSource, Json, ask, fetch
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from duologue.server.headers import HEADERS
from duologue.server.routes import description
from duologue.server.settings import LimitsSettings, ServerSettings, Settings
from duologue.server.settings_auth import ApiKey, AuthSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"
AUTH = AuthSettings(api_keys=(KEY,), secret="s" * 40)
PLAIN = {"Accept": "application/json"}


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


async def token(server: Live, **asked: str) -> dict[str, str]:
    answer = await fetch(server.port, "POST", "/chat/token", body=asked, headers=bearer(KEY))
    return bearer(answer.body["token"])


async def ticket(server: Live, headers: dict[str, str], path: str, **more: str) -> str:
    answer = await fetch(server.port, "POST", "/api/ticket", body={"path": path, **more}, headers=headers)
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
    return answer.body["ticket"]


async def say(server: Live, headers: dict[str, str], session: str = "s-1") -> None:
    body = {"sessionId": session, "requestId": "r-1", "text": "the secret word is plum"}
    assert (await fetch(server.port, "POST", "/chat/stream", body=body, headers=headers | PLAIN)).status == 200


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_a_ticket_opens_its_socket_once(channel: Channel, tmp_path: Path) -> None:
    path = channel.dialect.path
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        ada = await token(server, subject="ada")
        good = await ticket(server, ada, path, sessionId="only")
        socket = await connect_to(server.port, f"{path}?ticket={good}")
        await socket.send(json.dumps(channel.dialect.hello("another", 0)))
        assert channel.dialect.refusal(json.loads(await socket.recv())) == "forbidden"
        await socket.send(json.dumps(channel.dialect.hello("only", 0)))
        assert json.loads(await socket.recv())["type"] == "session.opened"
        socket.transport.abort()
        await socket.wait_closed()
        elsewhere = await ticket(server, ada, "/somewhere")
        for spent in (good, elsewhere, "nonsense"):
            socket = await connect_to(server.port, f"{path}?ticket={quote(spent)}")
            assert channel.dialect.refusal(json.loads(await socket.recv())) == "auth_expired"
            with pytest.raises(ConnectionClosed):
                await socket.recv()


async def test_a_ticket_opens_a_stream_and_a_download_and_changes_nothing(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        ada = await token(server, subject="ada")
        await say(server, ada)
        path = "/chat/sessions/s-1/events"
        exchange = await ask(server.port, "GET", f"{path}?after=1&ticket={await ticket(server, ada, path)}")
        assert exchange.status == 200
        assert (await EventSource(exchange).next()).seq > 1
        exchange.drop()
        path = "/api/sessions/s-1/export"
        exported = await fetch(server.port, "GET", f"{path}?ticket={await ticket(server, ada, path)}")
        assert (exported.status, b"plum" in exported.raw) == (200, True)
        path = "/api/sessions/s-1"
        refused = await fetch(server.port, "DELETE", f"{path}?ticket={await ticket(server, ada, path)}")
        assert (refused.status, refused.body["reason"]) == (401, "auth_required")
        # A header goes before a ticket, which is then not used up.
        kept = await ticket(server, ada, path)
        bob = await token(server, subject="bob")
        assert (await fetch(server.port, "GET", f"{path}?ticket={kept}", headers=bob)).status == 404
        assert (await fetch(server.port, "GET", f"{path}?ticket={kept}")).status == 200
        assert (await fetch(server.port, "GET", f"{path}?ticket={kept}")).status == 401


async def test_a_ticket_is_asked_for_properly(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        bound = await token(server, subject="ada", sessionId="one")
        for body, status in (
            ({"path": "chat/ws"}, 400),
            ({"path": "/" + "x" * 2_000}, 400),
            ({"path": "/a\nb"}, 400),
            ({}, 400),
            ({"path": "/chat/ws", "sessionId": "two"}, 403),
            ({"path": "/chat/ws", "sessionId": "one"}, 200),
        ):
            answer = await fetch(server.port, "POST", "/api/ticket", body=body, headers=bound)
            assert answer.status == status, body


def test_no_ticket_or_token_stands_in_the_log(serve: Serve) -> None:
    for style in ("text", "json"):
        environment = {"DUOLOGUE_AUTH__API_KEYS": KEY, "DUOLOGUE_SERVER__LOG": style}
        server = serve(environment=environment)
        _use(server.port)
        assert server.stop() == 0
        assert "WebSocket /chat/ws" in server.log
        for secret in ("ticket=", "Bearer", KEY, "bearer."):
            assert secret not in server.log


def _use(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, headers=bearer(KEY)) as client:
        good = client.post("/api/ticket", json={"path": "/chat/ws"}).json()["ticket"]
        client.get("/chat/sessions/none/events", params={"ticket": "wrong"})
    with connect(f"ws://127.0.0.1:{port}/chat/ws?ticket={good}", proxy=None) as socket:
        socket.send(json.dumps({"type": "session.start"}))
        assert json.loads(socket.recv())["type"] == "session.opened"


async def test_the_trail_tells_who_did_what_and_nothing_of_what_was_said(tmp_path: Path) -> None:
    ops = ApiKey(name="reports", hash="sha256:" + "0" * 64, scopes=("sessions:read",))
    auth = AuthSettings(api_keys=(KEY, ops), secret="s" * 40)
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=auth)) as server:
        ada = await token(server, subject="ada", sessionId="s-1")
        await say(server, ada)
        await fetch(server.port, "GET", "/api/sessions/s-1/export", headers=ada)
        await fetch(server.port, "GET", "/api/sessions/s-2/export", headers=ada)
        await fetch(server.port, "DELETE", "/api/sessions/s-1", headers=ada)
        await fetch(server.port, "DELETE", "/api/people/ada", headers=bearer(KEY))
        await fetch(server.port, "POST", "/chat/token", headers=ada)
        forwarded = {"X-Forwarded-For": "198.51.100.7"}
        await fetch(server.port, "GET", "/api/sessions", headers=bearer("guess") | forwarded)
        await fetch(server.port, "GET", "/api/sessions", headers={"Origin": "https://evil.example"})
        answer = await fetch(server.port, "GET", "/api/audit", headers=bearer(KEY))
        assert (await fetch(server.port, "GET", "/api/audit", headers=ada)).status == 403
        (latest,) = (await fetch(server.port, "GET", "/api/audit?limit=1", headers=bearer(KEY))).raw.splitlines()
        assert json.loads(latest)["about"] == {"scopes": "admin"}
        assert (await fetch(server.port, "GET", "/api/audit?limit=0", headers=bearer(KEY))).status == 400
    entries: list[Json] = [json.loads(line) for line in answer.raw.splitlines()]
    key = {"who": "key", "name": "key-1", "subject": "backend", "address": "127.0.0.1"}
    person = {"who": "person", "subject": "ada", "address": "127.0.0.1"}
    nobody = {"who": "nobody", "action": "auth"}
    expected = [
        key | {"action": "token.minted", "outcome": "done", "about": {"subject": "ada", "session_id": "s-1"}},
        person | {"action": "session.exported", "outcome": "done", "about": {"session_id": "s-1"}},
        person | {"action": "session.exported", "outcome": "forbidden", "about": {"session_id": "s-2"}},
        person | {"action": "session.deleted", "outcome": "done", "about": {"session_id": "s-1"}},
        key | {"action": "person.deleted", "outcome": "done", "about": {"subject": "ada"}},
        person | {"action": "auth", "outcome": "forbidden", "about": {"scopes": "tokens:mint"}},
        nobody | {"outcome": "auth_failed", "address": "198.51.100.7"},
        nobody | {"outcome": "origin_refused", "address": "127.0.0.1"},
    ]
    assert [{name: entry[name] for name in entry if name != "at"} for entry in entries] == expected
    written = (tmp_path / "audit.jsonl").read_bytes()
    for secret in (b"plum", b"yes", KEY.encode(), b"guess", ada["Authorization"].encode()):
        assert secret not in written


@pytest.mark.parametrize("origins", [(), ("https://app.example",)], ids=["closed", "cors"])
async def test_every_answer_keeps_browsers_from_doing_more(origins: tuple[str, ...], tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(allowed_origins=origins), limits=LimitsSettings())
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:
        gets = [operation.path for operation in description.operations() if operation.method == "GET"]
        pages = ["/", "/docs", "/docs/security", "/docs/nothing", "/console/talk.js", "/console/theme.css", "/nothing"]
        for path in [path.replace("{session_id}", "s-1").replace("{name}", "config") for path in gets] + pages:
            exchange = await ask(server.port, "GET", path)
            for name in HEADERS:
                assert name.lower() in exchange.headers, (path, name)
            policy = exchange.headers["content-security-policy"]
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy or "sandbox" in policy, path
            exchange.drop()


async def test_a_failure_of_ours_says_nothing_and_has_the_headers_too(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:

        async def broken() -> str | None:
            raise RuntimeError("the secret word is plum")

        server.hub.unready = broken
        answer = await fetch(server.port, "GET", "/readyz")
    assert (answer.status, answer.body) == (500, {"error": "the server failed; its log says how"})
    assert answer.headers["x-content-type-options"] == "nosniff"
