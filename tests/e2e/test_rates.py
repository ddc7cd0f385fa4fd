"""Rates and bounds over real sockets: refused in the sender's own protocol, with when to come back."""

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path

import jwt
import msgspec
import pytest
from tests.e2e.harness import serving, until
from tests.e2e.links import CHANNELS, SOCKETS, Channel, channel_name, connect_to
from tests.e2e.wire import ask, fetch
from websockets.exceptions import ConnectionClosed

from duologue.server.settings import LimitsSettings, ServerSettings, Settings
from duologue.server.settings_auth import AuthSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

SECRET = "s" * 40
AUTH = AuthSettings(secret=SECRET)
PLAIN = {"Accept": "application/json"}
FRAMES = 300
"""Messages at once, and then one in 200 ms."""


def bearer(subject: str, address: str = "") -> dict[str, str]:
    """The headers of a person, who comes through a proxy on this machine."""
    claims = {"iss": "duologue", "aud": "duologue", "sub": subject, "exp": int(time.time()) + 60}
    forwarded = {"X-Forwarded-For": address} if address else {}
    return {"Authorization": f"Bearer {jwt.encode(claims, SECRET, 'HS256')}"} | forwarded


def limited(**bounds: int) -> Settings:
    return Settings(auth=AUTH, limits=LimitsSettings(**bounds), server=ServerSettings(drain_ms=500))


@pytest.mark.parametrize("channel", CHANNELS, ids=channel_name)
async def test_too_many_turns_are_refused_in_the_senders_protocol(channel: Channel, tmp_path: Path) -> None:
    agent = ScriptedAgent(["yes"])
    async with serving(agent, tmp_path, limited(turns_per_person=2)) as server:
        async with channel.link(server.port, "s-1", headers=bearer("ada")) as link:
            for number in (1, 2):
                await link.say("hello", number)
                await link.over()
            await link.say("hello", 3)
            if channel.is_socket:
                await link.refused()
            assert link.refusals == ["rate_limited"]
            told = json.dumps(link.answers[-1])
            assert "try again in" in told
            assert "retryAfterMs" in told or "retry_after_ms" in told
        # Nothing was stored of it, and another person is not held up.
        async with channel.link(server.port, "s-2", headers=bearer("bob")) as link:
            await link.say("hello", 1)
            await link.over()
        assert agent.runs == 3


async def test_over_http_it_is_429_with_when_to_come_back(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(requests_per_person=2)) as server:
        for _ in range(2):
            assert (await fetch(server.port, "GET", "/api/sessions", headers=bearer("ada"))).status == 200
        answer = await fetch(server.port, "GET", "/api/sessions", headers=bearer("ada"))
        assert (answer.status, answer.body["reason"], answer.body["retryable"]) == (429, "rate_limited", True)
        assert answer.headers["retry-after"] == "30"
        assert 29_000 < answer.body["retryAfterMs"] <= 30_001
        assert (await fetch(server.port, "GET", "/healthz")).status == 200


async def test_pages_and_what_is_open_are_counted_by_address_and_probes_are_not(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(requests_per_address=5)) as server:
        here = {"X-Forwarded-For": "192.0.2.1"}
        paths = ("/", "/docs/security", "/console/talk.js", "/openapi.json", "/schemas/chat-event.schema.json")
        assert [(await fetch(server.port, "GET", path, headers=here)).status for path in paths] == [200] * 5
        for path in ("/sessions", "/docs", "/.well-known/agent-card.json", *paths):
            answer = await fetch(server.port, "GET", path, headers=here)
            assert (answer.status, answer.body["reason"], answer.headers["retry-after"]) == (429, "rate_limited", "12")
        for path in ("/healthz", "/readyz"):
            assert (await fetch(server.port, "GET", path, headers=here)).status == 200
        other = {"X-Forwarded-For": "192.0.2.2"}
        assert (await fetch(server.port, "GET", "/", headers=other)).status == 200


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_messages_that_come_too_fast_are_left_waiting_and_none_is_lost(channel: Channel, tmp_path: Path) -> None:
    """What is no turn counts too: here it is no message at all."""
    auth = AuthSettings(secret=SECRET, api_keys=("a-key-of-a-backend",))
    bounds = LimitsSettings(frames_per_person=FRAMES)
    settings = Settings(auth=auth, limits=bounds, server=ServerSettings(drain_ms=500))
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:

        async def held() -> str:
            key = {"Authorization": "Bearer a-key-of-a-backend"}
            shown = (await fetch(server.port, "GET", "/metrics", headers=key)).raw.decode()
            return "".join(line for line in shown.splitlines() if 'limited_total{asked="frames"}' in line)

        async with channel.link(server.port, "s-1", headers=bearer("ada")) as link:
            for _ in range(FRAMES - 1):
                await link.send("no json")
            for _ in range(FRAMES - 1):
                await link.refused()
            assert await held() == ""
            await link.send("no json")
            await link.say("hello", 1)
            await link.over()
            assert (link.text, len(link.refusals)) == ("yes", FRAMES)
        assert await held() != ""


async def test_addresses_are_those_that_a_trusted_proxy_names(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(requests_per_address=1)) as server:

        async def status(subject: str, forwarded: str) -> int:
            return (await fetch(server.port, "GET", "/api/sessions", headers=bearer(subject, forwarded))).status

        assert [await status("ada", "192.0.2.1"), await status("bob", "192.0.2.1")] == [200, 429]
        # What the client itself wrote before the proxy's word counts for nothing.
        assert [await status("eve", "192.0.2.2"), await status("eve", "198.51.100.7, 192.0.2.2")] == [200, 429]
        # A household of IPv6.
        assert [await status("ida", "2001:db8::1"), await status("ida", "2001:db8::2")] == [200, 429]
    distrusting = msgspec.structs.replace(
        limited(requests_per_address=1), server=ServerSettings(trusted_proxies=(), drain_ms=500)
    )
    async with serving(ScriptedAgent(["yes"]), tmp_path / "other", distrusting) as server:
        assert [await status("ada", "192.0.2.1"), await status("bob", "192.0.2.2")] == [200, 429]


@pytest.mark.parametrize("channel", SOCKETS, ids=channel_name)
async def test_a_socket_too_many_is_told_so_and_closed_until_one_is_free(channel: Channel, tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(connections_per_person=1)) as server:
        async with channel.link(server.port, "s-1", headers=bearer("ada")) as link:
            await link.say("hello", 1)
            await link.over()
            socket = await connect_to(server.port, channel.dialect.path, headers=bearer("ada"))
            told = json.loads(await socket.recv())
            assert channel.dialect.refusal(told) == "rate_limited"
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013
            refused = await fetch(server.port, "GET", "/chat/sessions/s-1/events", headers=bearer("ada"))
            assert refused.status == 429
        async with asyncio.timeout(10):
            while (await _follow(server.port, bearer("ada"))) == 429:
                await asyncio.sleep(0.01)


async def _follow(port: int, headers: Mapping[str, str]) -> int:
    exchange = await ask(port, "GET", "/chat/sessions/s-1/events", headers=headers)
    exchange.drop()
    return exchange.status


async def test_streams_are_counted_and_their_places_given_back(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(connections_per_person=2)) as server:
        said = {"sessionId": "s-1", "requestId": "r", "text": "hello"}
        # An answer that ends gives its place back.
        for number in range(4):
            body = said | {"requestId": f"r-{number}"}
            assert (await fetch(server.port, "POST", "/chat/stream", body=body, headers=bearer("ada"))).status == 200
        streams = [await ask(server.port, "GET", "/chat/sessions/s-1/events", headers=bearer("ada")) for _ in range(3)]
        assert [stream.status for stream in streams] == [200, 200, 429]
        for stream in streams:
            stream.drop()
        await until(lambda: server.hub.sessions.count_of("ada") == 1)
        async with asyncio.timeout(10):
            while (await _follow(server.port, bearer("ada"))) == 429:
                await asyncio.sleep(0.01)


async def test_new_sessions_are_bounded_and_old_ones_stay_open(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(sessions_per_person=2)) as server:

        async def send(session: str, number: int) -> int:
            body = {"sessionId": session, "requestId": f"r-{number}", "text": "hello"}
            headers = bearer("ada") | PLAIN
            return (await fetch(server.port, "POST", "/chat/stream", body=body, headers=headers)).status

        assert [await send("a", 1), await send("b", 1), await send("c", 1), await send("a", 2)] == [200, 200, 429, 200]
        rows = (await fetch(server.port, "GET", "/api/sessions", headers=bearer("ada"))).body["sessions"]
        assert {row["sessionId"] for row in rows} == {"a", "b"}
    bound = limited(live_sessions_per_person=1)
    async with serving(ScriptedAgent(["yes"]), tmp_path / "other", bound) as server:
        assert [await send("a", 1), await send("b", 1)] == [200, 429]


async def test_who_guesses_is_not_listened_to_whatever_comes_next(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, limited(auth_failures_per_address=3)) as server:
        good, wrong = bearer("ada", "192.0.2.1"), {"Authorization": "Bearer guess", "X-Forwarded-For": "192.0.2.1"}
        statuses = [(await fetch(server.port, "GET", "/api/sessions", headers=wrong)).status for _ in range(5)]
        assert statuses == [401, 401, 401, 429, 429]
        assert (await fetch(server.port, "GET", "/api/sessions", headers=good)).status == 429
        elsewhere = bearer("ada", "192.0.2.2")
        assert (await fetch(server.port, "GET", "/api/sessions", headers=elsewhere)).status == 200


async def test_without_auth_only_all_connections_are_bounded(tmp_path: Path) -> None:
    tight = LimitsSettings(
        turns_per_person=1,
        turns_per_address=1,
        sessions_per_person=1,
        requests_per_person=1,
        requests_per_address=1,
        connections_per_person=1,
        connections_per_address=1,
        auth_failures_per_address=1,
        connections=5,
    )
    async with serving(ScriptedAgent(["yes"]), tmp_path, Settings(limits=tight)) as server:
        for number in range(10):
            body = {"sessionId": f"s-{number}", "requestId": "r", "text": "hello"}
            assert (await fetch(server.port, "POST", "/chat/stream", body=body)).status == 200
        streams = [await ask(server.port, "GET", "/chat/sessions/s-1/events") for _ in range(6)]
        assert [stream.status for stream in streams] == [200] * 5 + [429]
        for stream in streams:
            stream.drop()
