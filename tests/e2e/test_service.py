"""What the server tells of itself, and what it does with files, many protocols and old events."""

import asyncio
import hashlib
import json
import struct
import zlib
from base64 import b64encode
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest
import websockets
from a2a.types import AgentCard
from google.protobuf import json_format
from tests.e2e.dialects import AGENTCALL, CHAT, DIALECTS, GHOST, Dialect
from tests.e2e.harness import CountingAgent, Live, serving
from tests.e2e.wire import fetch

from duologue.model.agent import AgentItem, AgentRequest, Finished, Text
from duologue.model.content import PhotoObservation
from duologue.server.settings import AuthSettings, Settings, StoreSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

KEY = "a-key-of-a-backend"
BOUNDARY = "the-end-of-a-part"


def png(width: int, height: int) -> bytes:
    """A whole PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\x00" + b"\x00" * 3 * width) * height)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


async def converse(server: Live, dialect: Dialect, session: str, *says: object, after: int = 0) -> list[str]:
    """Join, say things, and read until the last of them is answered; the frames that came."""
    url = f"ws://127.0.0.1:{server.port}{dialect.path}"
    frames: list[str] = []
    async with asyncio.timeout(15), websockets.connect(url, compression=None, max_queue=None) as socket:
        await socket.send(json.dumps(dialect.hello(session, after)))
        for said in says:
            await socket.send(json.dumps(said))
            while True:
                frames.append(str(await socket.recv()))
                body = json.loads(frames[-1])
                assert dialect.refusal(body) is None, frames[-1]
                if dialect.number(body) and dialect.outcome(body):
                    break
    return frames


@pytest.mark.counterpart("a2a-sdk")
async def test_the_card_is_one(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        answer = await fetch(
            server.port, "GET", "/.well-known/agent-card.json", headers={"Host": f"127.0.0.1:{server.port}"}
        )
    card = json_format.ParseDict(answer.body, AgentCard())
    (extension,) = card.capabilities.extensions
    params = json_format.MessageToDict(extension.params)
    assert params["agui"]["session"] == {"resume": True}
    assert params["agui"]["webrtc"]["supportsExplicitTurns"] is False
    assert params["physicalObservations"] == {"accepted": ["nfc", "photo"], "requested": ["nfc", "photo"]}
    assert card.supported_interfaces[0].url == f"ws://127.0.0.1:{server.port}/agentcall"


async def test_one_session_in_three_protocols_at_once(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["one ", "two"]), tmp_path) as server:
        for number, dialect in enumerate((AGENTCALL, CHAT, GHOST), 1):
            await converse(server, dialect, "shared", dialect.turn(f"from {dialect.name}", number))
        for dialect in DIALECTS.values():
            turn = dialect.turn("and now?", 9)
            frames = [json.loads(frame) for frame in await converse(server, dialect, f"own-{dialect.name}", turn)]
            assert "".join(dialect.delta(body) for body in frames if dialect.number(body)) == "one two"
        seen: dict[str, list[str]] = {}
        for dialect in DIALECTS.values():
            url = f"ws://127.0.0.1:{server.port}{dialect.path}"
            async with asyncio.timeout(15), websockets.connect(url, compression=None, max_queue=None) as socket:
                await socket.send(json.dumps(dialect.hello("shared", 0)))
                asked: list[str] = []
                while len(asked) < 3:
                    body = json.loads(await socket.recv())
                    if dialect.number(body) and (text := dialect.asked(body)) is not None:
                        asked.append(text)
                seen[dialect.name] = asked
        assert set(map(tuple, seen.values())) == {("from agentcall", "from chat", "from ghost")}


async def test_a_photo_and_an_upload_reach_the_agent_as_bytes(tmp_path: Path) -> None:
    read: list[bytes] = []

    async def look(request: AgentRequest) -> AsyncGenerator[AgentItem, None]:
        match request.observation:
            case PhotoObservation(photo=photo):
                yield Text(text=f"{photo.media_type} {photo.sha256}")
            case _:
                yield Text(text=" ".join(item.name for item in request.attachments))
        read.append(b"")
        yield Finished()

    agent = CountingAgent(look)
    image = png(3, 2)
    digest = hashlib.sha256(image).hexdigest()
    async with serving(agent, tmp_path) as server:
        observation = {
            "kind": "photo",
            "mediaType": "image/png",
            "width": 3,
            "height": 2,
            "sha256": digest,
            "data": b64encode(image).decode(),
            "observedAt": "2026-01-02T03:04:05Z",
        }
        shown = {"type": "user.observation", "turn": 1, "observation": observation}
        frames = await converse(server, AGENTCALL, "photos", shown)
        assert any(digest in frame for frame in frames)
        part = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
            "Content-Type: image/png\r\n\r\n"
        ).encode()
        form = part + image + f"\r\n--{BOUNDARY}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        kept = await fetch(server.port, "POST", "/chat/upload", body=form, headers=kind)
        assert (kept.status, kept.body["sha256"], kept.body["mediaType"]) == (201, digest, "image/png")
        turn = {"requestId": "q", "text": "", "attachments": [kept.body["uploadId"]]}
        whole = await fetch(server.port, "POST", "/chat/stream", body=turn, headers={"Accept": "application/json"})
        assert (whole.status, whole.body["text"]) == (200, "a.png")
        unknown = await fetch(
            server.port, "POST", "/chat/stream", body=turn | {"requestId": "z", "attachments": ["nothing"]}
        )
        assert unknown.body["reason"] == "upload_unknown"


async def test_with_auth_nobody_comes_in_without_a_token_and_nobody_into_anothers_session(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(Settings(), auth=AuthSettings(api_keys=(KEY,)))
    async with serving(ScriptedAgent(["yes"]), tmp_path, settings) as server:
        said = {"requestId": "r", "text": "hello", "sessionId": "hers"}
        assert (await fetch(server.port, "POST", "/chat/stream", body=said)).body["code"] == "AUTH_REQUIRED"

        async def token(subject: str) -> dict[str, str]:
            asked = {"subject": subject}
            key = {"Authorization": f"Bearer {KEY}"}
            answer = await fetch(server.port, "POST", "/chat/token", body=asked, headers=key)
            assert answer.headers["cache-control"] == "no-store"
            return {"Authorization": f"Bearer {answer.body['token']}", "Accept": "application/json"}

        ada, bob = await token("ada"), await token("bob")
        assert (await fetch(server.port, "POST", "/chat/stream", body=said, headers=ada)).status == 200
        assert (await fetch(server.port, "POST", "/chat/stream", body=said, headers=bob)).status == 403
        assert (await fetch(server.port, "POST", "/chat/token", headers=ada)).status == 403
        assert (await fetch(server.port, "GET", "/api/sessions", headers=bob)).body["sessions"] == []


async def test_one_key_is_one_answer_however_often_it_comes(tmp_path: Path) -> None:
    agent = ScriptedAgent(["once"])
    async with serving(agent, tmp_path) as server:
        said = {"requestId": "r", "text": "hello"}
        headers = {"Idempotency-Key": "the-key", "Accept": "application/json"}
        answers = await asyncio.gather(
            *(fetch(server.port, "POST", "/chat/stream", body=said, headers=headers) for _ in range(10))
        )
        other = await fetch(server.port, "POST", "/chat/stream", body=said | {"text": "bye"}, headers=headers)
    assert {answer.raw for answer in answers} == {answers[0].raw}
    assert (answers[0].status, agent.runs, other.status, other.body["code"]) == (200, 1, 409, "CONFLICT")


async def test_old_events_give_way_to_one_that_holds_the_talk(tmp_path: Path) -> None:
    store = StoreSettings(retain_events=20)
    settings = msgspec.structs.replace(Settings(), store=store)
    async with serving(ScriptedAgent(["word "] * 10), tmp_path, settings) as server:
        for number in range(1, 9):
            await converse(server, GHOST, "long", GHOST.turn("more", number), after=0)
        first = 1
        async with asyncio.timeout(15):
            while first == 1:
                first = (await fetch(server.port, "GET", "/api/sessions/long")).body["firstSequence"]
        url = f"ws://127.0.0.1:{server.port}{GHOST.path}"
        async with asyncio.timeout(15), websockets.connect(url, compression=None, max_queue=None) as socket:
            await socket.send(json.dumps(GHOST.hello("long", 2)))
            assert json.loads(await socket.recv())["code"] == "resume_trimmed"
            await socket.send(json.dumps(GHOST.hello("long", 0)))
            frames = [json.loads(await socket.recv()) for _ in range(2)]
        assert (frames[1]["type"], frames[1]["sequence"]) == ("ghost.history", first)
        await converse(server, GHOST, "long", GHOST.turn("on", 99), after=0)
