"""Server-sent events: a cursor's frames as a response. Source: WHATWG HTML, section 9.2.

Each frame is one `data` line with its number as `id`; comments keep quiet connections open and have no number.
"""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from duologue.model.errors import StoreError
from duologue.runtime.cursor import Cursor
from duologue.runtime.tasks import until_first

BEAT = b": keep-alive\n\n"
BYE = b": the server is restarting\nretry: 1000\n\n"


class EventStream(Response):
    """Streams a cursor until it stops or the client leaves; a client that leaves stops nothing but its stream."""

    media_type = "text/event-stream"

    def __init__(self, cursor: Cursor, *, beat_ms: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"} | (headers or {}))
        del self.headers["content-length"]
        self._cursor, self._beat_ms = cursor, beat_ms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers at once, then frames as they come."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        with self._cursor:
            await until_first(self._write(send), _left(receive))

    async def _write(self, send: Send) -> None:
        cursor, beat_ms = self._cursor, self._beat_ms
        while cursor.stop is None:
            try:
                frames = await cursor.take(beat_ms=beat_ms)
            except StoreError:
                break
            if frames:
                body = b"".join([b"id: %d\ndata: %b\n\n" % frame for frame in frames])
            elif cursor.stop is None:
                body = BEAT
            else:
                break
            await send({"type": "http.response.body", "body": body, "more_body": True})
        bye = BYE if cursor.stop in ("draining", "failed", None) else b""
        await send({"type": "http.response.body", "body": bye, "more_body": False})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
