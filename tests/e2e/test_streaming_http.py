"""The short way of a stream's chunks gives what the long one gives."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from tests.e2e.harness import serving

from duologue.server.streaming_http import StreamingHttp
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

WORDS = [f"{number} " for number in range(40)]
HEAD = "POST /chat/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"


async def answered(port: int, request_id: str) -> tuple[str, bytes]:
    """Post a turn over a bare socket and read until the server closes: the headers and the body as they came."""
    body = json.dumps({"requestId": request_id, "text": "count"})
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = HEAD + f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write((head + body).encode())
    async with asyncio.timeout(15):
        answer = await reader.read()
    writer.close()
    headers, _, rest = answer.partition(b"\r\n\r\n")
    return headers.decode().lower(), rest


def joined(chunked: bytes) -> tuple[bytes, int]:
    """Put chunks together, by their sizes alone; and how many there were. Source: RFC 9112, section 7.1."""
    body, count, at = b"", 0, 0
    while True:
        size, _, rest = chunked[at:].partition(b"\r\n")
        length = int(size, 16)
        assert rest[length : length + 2] == b"\r\n"
        if not length:
            assert rest == b"\r\n"
            return body, count
        body, count, at = body + rest[:length], count + 1, at + len(size) + 2 + length + 2


def deltas(body: bytes) -> list[str]:
    data = [json.loads(line) for line in re.findall(rb"^data: (.*)$", body, re.MULTILINE)]
    return [frame["delta"] for frame in data if frame["type"] == "text.delta"]


async def test_a_look_at_the_headers_ends(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(WORDS), tmp_path) as server:
        await answered(server.port, "q1")
        [session] = server.hub.sessions
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        path = f"/chat/sessions/{session.state.session_id}/events"
        writer.write(f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        async with asyncio.timeout(15):
            headers, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
    assert headers.startswith(b"HTTP/1.1 200")
    assert b"text/event-stream" in headers.lower()
    assert body == b""


async def test_chunks_are_whole_on_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write, write_frame = StreamingHttp.write, StreamingHttp.write_frame

    # Every second one is told that the socket is full, and goes the long way.
    def counted(self: StreamingHttp, body: bytes) -> bool:
        written.append(body)
        return len(written) % 2 == 0 and write(self, body)

    def counted_frame(self: StreamingHttp, seq: int, frame: bytes) -> bool:
        written.append(frame)
        return len(written) % 2 == 0 and write_frame(self, seq, frame)

    monkeypatch.setattr(StreamingHttp, "write", counted)
    monkeypatch.setattr(StreamingHttp, "write_frame", counted_frame)
    async with serving(ScriptedAgent(WORDS), tmp_path) as server:
        headers, chunked = await answered(server.port, "q1")
    assert "transfer-encoding: chunked" in headers
    body, _ = joined(chunked)
    assert deltas(body) == WORDS
    assert len(written) >= len(WORDS) - 1
