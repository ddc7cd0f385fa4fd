"""Server-sent events: a cursor's frames as a response. Source: WHATWG HTML, section 9.2.

Each frame is one `data` line with its number as `id`; comments keep quiet connections open and have no number.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from duologue.model.errors import StoreError
from duologue.runtime.cursor import Cursor, Frame
from duologue.runtime.pump import Pump
from duologue.runtime.tasks import until_first

DIRECT = "duologue.direct"
"""Key of a scope: its `Direct`, where the server has one."""

FRAME = b"id: %d\ndata: %b\n\n"
"""A frame with its number, as server-sent events have it."""

NEWS = b"data: %b\n\n"
"""News, which have no number: who missed some is told everything anew."""

BEAT = b": keep-alive\n\n"
BYE = b": the server is restarting\nretry: 1000\n\n"


class Direct(Protocol):
    """Writes some of a response's body without waiting, or says that it cannot and has done nothing."""

    def write(self, body: bytes) -> bool:
        """Write bytes, at least one."""
        ...

    def write_frame(self, seq: int, frame: bytes) -> bool:
        """Write one `FRAME`; the way of every token."""
        ...


class EventStream(Response):
    """Streams a cursor until it stops or the client leaves; a client that leaves stops nothing but its stream.

    Args:
        cursor: what is streamed.
        beat_ms: silence before a heartbeat.
        headers: of the response, besides the usual ones.
        place: held while it is streamed.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        cursor: Cursor,
        *,
        beat_ms: int,
        headers: dict[str, str] | None = None,
        place: AbstractContextManager[object] | None = None,
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"} | (headers or {}))
        del self.headers["content-length"]
        self._cursor, self._beat_ms, self._place = cursor, beat_ms, place or nullcontext()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers at once, then frames as they come."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        with self._place, self._cursor:
            await until_first(self._write(send, scope.get(DIRECT)), _left(receive))

    async def _write(self, send: Send, direct: Direct | None) -> None:
        async def frames_out(frames: list[Frame]) -> None:
            body = b"".join([FRAME % frame for frame in frames])
            if direct is None or not direct.write(body):
                await send({"type": "http.response.body", "body": body, "more_body": True})

        async def beat() -> None:
            await send({"type": "http.response.body", "body": BEAT, "more_body": True})

        cursor = self._cursor
        at_once = None if direct is None else direct.write_frame
        pump = Pump(cursor, write=frames_out, nudged=beat, at_once=at_once)
        heart = _Heart(pump, beat_s=self._beat_ms / 1000)
        try:
            await pump.run()
        except StoreError:
            cursor.stop = "failed"
        finally:
            heart.stop()
        bye = BYE if cursor.stop in ("draining", "failed") else b""
        await send({"type": "http.response.body", "body": bye, "more_body": False})


class NewsStream(Response):
    """Streams news until the client leaves, or the server is stopping.

    Args:
        news: waits for the next, as JSON on one line; `None` where no more comes. Safe to cancel: nothing is lost.
        place: held while it is streamed.
        beat_ms: silence before a heartbeat.
    """

    media_type = "text/event-stream"

    def __init__(
        self, news: Callable[[], Awaitable[bytes | None]], *, place: AbstractContextManager[object], beat_ms: int
    ) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._news, self._place, self._beat_ms = news, place, beat_ms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers at once, then news as they come."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        with self._place:
            await until_first(self._write(send), _left(receive))

    async def _write(self, send: Send) -> None:
        while True:
            try:
                async with asyncio.timeout(self._beat_ms / 1000):
                    told = await self._news()
            except TimeoutError:
                body = BEAT
            else:
                if told is None:
                    break
                body = NEWS % told
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": BYE, "more_body": False})


class _Heart:
    """Nudges a pump when nothing was written for a while. One timer per stream, and no clock per frame."""

    def __init__(self, pump: Pump, *, beat_s: float) -> None:
        self._pump, self._look_s = pump, beat_s / 2
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(self._look_s, self._look)

    def stop(self) -> None:
        """Let go of the timer."""
        self._timer.cancel()

    def _look(self) -> None:
        # Twice in the time of a beat.
        if not self._pump.wrote:
            self._pump.nudge()
        self._pump.wrote = False
        self._timer = self._loop.call_later(self._look_s, self._look)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
