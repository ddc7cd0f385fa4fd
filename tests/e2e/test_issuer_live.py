"""Tokens of another issuer whose keys are fetched from a real server."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from tests.e2e.harness import serving
from tests.e2e.links import CHAT_WS
from tests.e2e.wire import fetch

from duologue.server.issuer import JWKS_BYTES
from duologue.server.settings import Settings
from duologue.server.settings_auth import AuthSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio


class KeyServer:
    """An issuer's server. `answer` is all that it says."""

    def __init__(self) -> None:
        self.answer = b""
        self.asked: list[str] = []

    def publish(self, **keys: EllipticCurvePrivateKey) -> None:
        """Publish these keys."""
        algorithm = jwt.get_algorithm_by_name("ES256")
        jwks = [{**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid} for kid, key in keys.items()]
        self.say(json.dumps({"keys": jwks}).encode())

    def say(self, body: bytes, status: str = "200 OK", head: str = "Content-Type: application/json\r\n") -> None:
        """Answer with a body."""
        lines = f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        self.answer = lines.encode() + body

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        asked = await reader.readuntil(b"\r\n\r\n")
        self.asked.append(asked.split(b" ")[1].decode())
        writer.write(self.answer)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def key_server() -> AsyncGenerator[tuple[KeyServer, AuthSettings]]:
    """Run an issuer's server; gives it, and the settings that name it."""
    issuer = KeyServer()
    server = await asyncio.start_server(issuer.talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield issuer, AuthSettings(issuer="https://id.example", jwks_url=f"http://127.0.0.1:{port}/keys?v=1")
    finally:
        server.close()
        await server.wait_closed()


def token(kid: str, key: EllipticCurvePrivateKey) -> dict[str, str]:
    """The headers that carry a token of the issuer."""
    claims = {"iss": "https://id.example", "aud": "duologue", "sub": "ada", "exp": int(time.time()) + 60}
    return {"Authorization": f"Bearer {jwt.encode(claims, key, 'ES256', headers={'kid': kid})}"}


async def test_a_person_of_the_issuer_talks_over_http_and_socket(tmp_path: Path) -> None:
    one, other = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    async with key_server() as (issuer, auth), serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=auth)) as server:
        issuer.publish(one=one)
        body = {"sessionId": "s-1", "requestId": "r", "text": "hello"}
        plain = {"Accept": "application/json"}
        answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers=token("one", one) | plain)
        assert (answer.status, answer.body["text"]) == (200, "yes")
        async with CHAT_WS.link(server.port, "s-1", headers=token("one", one)) as link:
            await link.say("and now?", 2)
            await link.over()
        assert issuer.asked == ["/keys?v=1"]
        forged = await fetch(server.port, "GET", "/api/sessions", headers=token("one", other))
        assert (forged.status, forged.body["code"]) == (401, "AUTH_FAILED")
        assert (await fetch(server.port, "GET", "/api/sessions")).status == 401


@pytest.mark.parametrize(
    ("body", "status", "head"),
    [
        (b"no", "500 Internal Server Error", ""),
        (b"", "302 Found", "Location: http://169.254.169.254/keys\r\n"),
        (b" " * (JWKS_BYTES + 1), "200 OK", ""),
        (b'{"keys": []}', "200 OK", ""),
    ],
    ids=["broken", "elsewhere", "endless", "empty"],
)
async def test_without_keys_nobody_comes_in_and_all_are_told_to_try_again(
    body: bytes, status: str, head: str, tmp_path: Path
) -> None:
    key = generate_private_key(SECP256R1())
    async with key_server() as (issuer, auth), serving(ScriptedAgent(["yes"]), tmp_path, Settings(auth=auth)) as server:
        issuer.say(body, status, head)
        for _ in range(3):
            answer = await fetch(server.port, "GET", "/api/sessions", headers=token("one", key))
            assert (answer.status, answer.body["reason"], answer.body["retryable"]) == (503, "auth_unavailable", True)
        assert len(issuer.asked) == 1
