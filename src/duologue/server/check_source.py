"""Where `duologue check` gets frames from: a file, the input, or a live address."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx2
import msgspec
import websockets
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from duologue.check.findings import Frame
from duologue.check.reading import SseParser, frames
from duologue.model import limits
from duologue.model.base import Value
from duologue.model.errors import DuologueError, SettingsError

CONNECT_S: Final = 10.0
"""How long a live address may take to answer."""


class UnreadableError(DuologueError):
    """The frames could not be read; the message says why."""


class Live(Value, kw_only=True):
    """How to ask a live address.

    Attributes:
        url: http, https, ws or wss.
        body: for HTTP, the JSON to post; for a WebSocket, frames to send first, a line each.
        token: the credential.
        seconds: when to stop.
        most: how many frames to take.
    """

    url: str
    body: str | None = None
    token: str | None = None
    seconds: float
    most: int


class Taken(Value, kw_only=True):
    """Frames, and whether they are all that there were."""

    frames: tuple[Frame, ...]
    whole: bool


def is_live(source: str) -> bool:
    """Whether a source is an address."""
    return source.startswith(("http://", "https://", "ws://", "wss://"))


def stored(source: str) -> Taken:
    """Read a file, or the input for `-`.

    Raises:
        UnreadableError: it cannot be read, or is too large.
    """
    try:
        file = sys.stdin.buffer if source == "-" else Path(source).open("rb")  # noqa: SIM115
        with contextlib.nullcontext(file) if source == "-" else file:
            data = file.read(limits.CHECK_BYTES + 1)
    except OSError as error:
        raise UnreadableError(f"{source}: {error.strerror or error}") from error
    if len(data) > limits.CHECK_BYTES:
        raise UnreadableError(f"{source}: larger than {limits.CHECK_BYTES} bytes; check a part of it")
    found = tuple(frames(data))
    if not found:
        raise UnreadableError(f"{source}: no frames; JSON lines, a JSON array or server-sent events are read")
    return Taken(frames=found, whole=True)


async def live(ask: Live) -> Taken:
    """Ask an address, and take what comes until it ends or a bound is reached.

    Raises:
        UnreadableError: it does not answer, refuses, or sends something else.
    """
    taken: list[Frame] = []
    whole = False
    source = _socket(ask) if urlsplit(ask.url).scheme in ("ws", "wss") else _events(ask)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ask.seconds):
                async with contextlib.aclosing(source) as coming:
                    async for frame in coming:
                        taken.append(frame)
                        if len(taken) == ask.most:
                            break
                    else:
                        whole = True
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, websockets.InvalidURI) as error:
        raise SettingsError(f"{ask.url}: not an address: {error}") from error
    except (httpx2.HTTPError, OSError, websockets.WebSocketException) as error:
        raise UnreadableError(f"{ask.url}: {error or type(error).__name__}") from error
    if not taken:
        raise UnreadableError(f"{ask.url}: no frame came within {ask.seconds:g} s")
    return Taken(frames=tuple(taken), whole=whole)


async def _events(ask: Live) -> AsyncGenerator[Frame, None]:
    headers = {"Accept": "text/event-stream"} | ({"Authorization": f"Bearer {ask.token}"} if ask.token else {})
    method = "GET" if ask.body is None else "POST"
    if ask.body is not None:
        headers["Content-Type"] = "application/json"
    # Between events anything may pass; the whole is bounded by `seconds`.
    timeout = httpx2.Timeout(CONNECT_S, read=None)
    async with (
        httpx2.AsyncClient(timeout=timeout) as client,
        client.stream(method, ask.url, headers=headers, content=ask.body) as response,
    ):
        if not response.is_success:
            said = (await response.aread())[:200].decode("utf-8", "replace")
            raise UnreadableError(f"{ask.url}: it answered {response.status_code}: {said}")
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            raise UnreadableError(f"{ask.url}: it answered with {kind or 'no type'}; server-sent events are checked")
        parser, size = SseParser(), 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            for frame in parser.take(piece):
                size = 0
                yield frame
            if size > limits.CHECK_FRAME_BYTES:
                raise UnreadableError(f"{ask.url}: a frame above {limits.CHECK_FRAME_BYTES} bytes")


async def _socket(ask: Live) -> AsyncGenerator[Frame, None]:
    """Send what there is to send, and give both sides' frames in the order in which they pass here."""
    offered = [Subprotocol("duologue"), Subprotocol(f"bearer.{ask.token}")] if ask.token else None
    number = 0
    async with connect(
        ask.url, subprotocols=offered, max_size=limits.CHECK_FRAME_BYTES, open_timeout=CONNECT_S, proxy=None
    ) as socket:
        for line in (ask.body or "").splitlines():
            if line.strip():
                await socket.send(line)
                number += 1
                yield Frame(number=number, line=number, data=line.encode())
        with contextlib.suppress(websockets.ConnectionClosedOK):
            while True:
                said = await socket.recv(decode=False)
                number += 1
                yield Frame(number=number, line=number, data=bytes(said))


def read_body(given: str | None) -> str | None:
    """Read what is to be sent: text, or the file that is named after an `@`.

    Raises:
        UnreadableError: there is no such file.
        SettingsError: it is no JSON.
    """
    if given is None:
        return None
    text = given
    if given.startswith("@"):
        try:
            text = Path(given[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableError(f"{given[1:]}: {error}") from error
    for line in text.splitlines() if not _is_json(text) else [text]:
        if line.strip() and not _is_json(line):
            raise SettingsError(f"--send: not JSON: {line[:60]!r}")
    return text


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return False
    return True
