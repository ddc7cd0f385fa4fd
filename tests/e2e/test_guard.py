"""Who is let in: keys, tokens, sessions of others, web pages of strangers; and what anybody may read."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx
import jsonschema_rs
import pytest
from a2a.client.card_resolver import A2ACardResolver
from tests.e2e.harness import serving
from tests.e2e.links import (
    AGENTCALL_WS,
    CHANNELS,
    SOCKETS,
    Channel,
    channel_name,
    connect_to,
)
from tests.e2e.wire import Json, fetch
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from duologue.server import schemas
from duologue.server.auth import Auth
from duologue.server.dialects import SPOKEN
from duologue.server.settings import AuthSettings, ServerSettings, Settings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"
AUTH = AuthSettings(api_keys=(KEY,), secret="s" * 40)
PLAIN = {"Accept": "application/json"}


def bearer(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


async def token(port: int, **asked: str) -> str:
    answer = await fetch(port, "POST", "/chat/token", body=asked, headers=bearer(KEY))
    assert answer.status == 200
    assert answer.body["tokenType"] == "Bearer"
    return answer.body["token"]


async def refused(socket: ClientConnection) -> tuple[Json, int]:
    """What a socket is told, and the code that it is closed with."""
    told = json.loads(await socket.recv())
    with pytest.raises(ConnectionClosed) as closed:
        await socket.recv()
    assert closed.value.rcvd is not None
    return told, closed.value.rcvd.code


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "auth_required"),
        (bearer("nonsense"), "auth_failed"),
        ({"Authorization": "Basic eDp5"}, "auth_failed"),
        ("expired", "auth_expired"),
    ],
    ids=["none", "bad", "basic", "expired"],
)
async def test_a_socket_is_told_why_it_may_not_come_in(
    channel: Channel, headers: Mapping[str, str] | str, code: str, tmp_path: Path
) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        if isinstance(headers, str):
            headers = bearer(Auth(AUTH).mint("ada", None, 1_000_000)[0])
        socket = await connect_to(server.port, channel.dialect.path, headers=headers)
        told, closed = await refused(socket)
        assert channel.dialect.refusal(told) == code
        assert closed == 1008


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_nobody_comes_into_anothers_session(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        ada, bob = [bearer(await token(server.port, subject=name)) for name in ("ada", "bob")]
        async with channel.link(server.port, "hers", headers=ada) as link:
            await link.say("hello", 1)
            await link.over()
        async with channel.link(server.port, "hers", headers=bob) as link:
            if channel.is_socket:
                await link.refused()
            assert link.refusals[:1] == ["forbidden"]
            assert link.frames == []
        # The backend may act for each of them.
        for name, status in (("ada", 200), ("bob", 404)):
            named = bearer(KEY) | {"Duologue-Subject": name}
            assert (await fetch(server.port, "GET", "/api/sessions/hers", headers=named)).status == status


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_a_token_for_one_session_opens_no_other(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        only = bearer(await token(server.port, subject="ada", sessionId="one"))
        async with channel.link(server.port, "one", headers=only) as link:
            await link.say("hello", 1)
            await link.over()
            assert link.text == "yes"
        async with channel.link(server.port, "two", headers=only) as link:
            if channel.is_socket:
                await link.refused()
            assert link.refusals[:1] == ["forbidden"]
        ada = bearer(KEY) | {"Duologue-Subject": "ada"}
        sessions = (await fetch(server.port, "GET", "/api/sessions", headers=ada)).body["sessions"]
        assert [session["sessionId"] for session in sessions] == ["one"]
        # Nor does it delete, list or end what is not its session.
        for method, path in (("DELETE", "/api/sessions/two"), ("GET", "/api/sessions/two/journal")):
            assert (await fetch(server.port, method, path, headers=only)).status == 403


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_a_browser_sends_its_token_as_a_subprotocol(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        credential = await token(server.port, subject="ada")
        socket = await connect_to(
            server.port,
            channel.dialect.path,
            subprotocols=["duologue", f"bearer.{credential}"],
            origin=f"http://127.0.0.1:{server.port}",
        )
        assert socket.subprotocol == "duologue"
        await socket.send(json.dumps(channel.dialect.hello("s-1", 0)))
        assert json.loads(await socket.recv())["type"] == "session.opened"
        socket.transport.abort()
        await socket.wait_closed()


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        ("https://evil.example", "127.0.0.1", False),
        ("https://app.example", "127.0.0.1", True),
        ("null", "127.0.0.1", False),
        # A stranger's name that points here.
        ("http://rebound.example", "rebound.example", False),
        (None, "rebound.example", False),
        (None, "localhost", True),
    ],
)
async def test_only_pages_that_may_are_let_in(origin: str | None, host: str, allowed: bool, tmp_path: Path) -> None:
    settings = Settings(server=ServerSettings(allowed_origins=("https://app.example",)))
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:
        headers = {"Host": f"{host}:{server.port}"} | ({"Origin": origin} if origin else {})
        for method, path in (("GET", "/api/sessions"), ("POST", "/chat/token"), ("GET", "/metrics")):
            answer = await fetch(server.port, method, path, headers=headers)
            assert (answer.status == 200) is allowed, path
            assert answer.status in (200, 401, 403)
        for channel in SOCKETS:
            socket = await connect_to(server.port, channel.dialect.path, origin=origin, name=host)
            if allowed:
                await socket.send(json.dumps(channel.dialect.hello("s-1", 0)))
                assert json.loads(await socket.recv())["type"] == "session.opened"
                socket.transport.abort()
                await socket.wait_closed()
            else:
                told, closed = await refused(socket)
                assert (channel.dialect.refusal(told), closed) == ("origin_refused", 1008)


async def test_every_address_with_what_people_said_asks_who_it_is(tmp_path: Path) -> None:
    asks: Sequence[tuple[str, str]] = [
        ("GET", "/api/sessions"),
        ("GET", "/api/sessions/s-1"),
        ("DELETE", "/api/sessions/s-1"),
        ("GET", "/api/sessions/s-1/journal"),
        ("GET", "/api/sessions/s-1/export"),
        ("POST", "/api/sessions/import"),
        ("DELETE", "/api/people/ada"),
        ("POST", "/chat/stream"),
        ("POST", "/chat/cancel"),
        ("POST", "/chat/end"),
        ("POST", "/chat/token"),
        ("POST", "/chat/upload"),
        ("GET", "/chat/sessions/s-1/events"),
        ("GET", "/ghost/sessions/s-1/events"),
        ("POST", "/ghost/sessions/s-1/triggers"),
        ("GET", "/metrics"),
    ]
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        for method, path in asks:
            answer = await fetch(server.port, method, path, body={})
            assert answer.status == 401, path
        for path in ("/healthz", "/readyz", "/.well-known/agent-card.json", "/schemas/config.schema.json"):
            assert (await fetch(server.port, "GET", path)).status == 200, path
        ada = bearer(await token(server.port, subject="ada"))
        assert (await fetch(server.port, "DELETE", "/api/people/bob", headers=ada)).status == 403
        assert (await fetch(server.port, "POST", "/api/sessions/import", headers=ada)).status == 403


async def test_the_sdk_finds_the_card(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=AUTH)) as server:
        async with httpx.AsyncClient(trust_env=False) as client:
            card = await A2ACardResolver(client, server.url).get_agent_card()
        assert card.supported_interfaces[0].url == f"ws://127.0.0.1:{server.port}/agentcall"
        assert card.capabilities.extensions[0].uri.endswith("/ext/agentcall-agui/0.1")
        assert card.security_schemes["bearer"].http_auth_security_scheme.scheme == "bearer"
        # The address is the truth.
        credential = await token(server.port, subject="ada")
        async with AGENTCALL_WS.link(server.port, "s-1", headers=bearer(credential)) as link:
            await link.up_to(1)


async def test_the_schemas_are_served_and_are_schemas(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        names = (
            "agentcall-client",
            "agentcall-server",
            "agentcall-physical-observation",
            "chat-event",
            "chat-client",
            "ghost-event",
            "ghost-client",
            "jambonz-agent-event",
            "config",
        )
        known = schemas.names([one.make("http://127.0.0.1") for one in SPOKEN])
        assert set(names) <= set(known)
        for name in known:
            answer = await fetch(server.port, "GET", f"/schemas/{name}.schema.json")
            assert answer.status == 200
            assert answer.headers["content-type"] == "application/schema+json"
            jsonschema_rs.meta.validate(answer.body)
        assert (await fetch(server.port, "GET", "/schemas/nothing.schema.json")).status == 404


async def test_a_key_without_a_session_names_one_and_ten_at_once_are_one(tmp_path: Path) -> None:
    agent = ScriptedAgent(["one ", "answer"])
    async with serving(agent, tmp_path) as server:
        headers = {"Idempotency-Key": "k-1"}
        body = {"text": "hello"}
        answers = await asyncio.gather(
            *(fetch(server.port, "POST", "/chat/stream", body=body, headers=headers) for _ in range(10))
        )
        assert len({answer.raw for answer in answers}) == 1
        assert len({answer.headers["duologue-session"] for answer in answers}) == 1
        later = await fetch(server.port, "POST", "/chat/stream", body=body, headers=headers)
        assert later.raw == answers[0].raw
        # Another key is another conversation; the same key in a named session is that session's.
        other = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Idempotency-Key": "k-2"})
        assert other.headers["duologue-session"] != later.headers["duologue-session"]
        named = await fetch(
            server.port, "POST", "/chat/stream", body=body | {"sessionId": "s-1"}, headers=headers | PLAIN
        )
        assert named.body["sessionId"] == "s-1"
        assert named.body["text"] == "one answer"
        assert agent.runs == 3
