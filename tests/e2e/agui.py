"""An AG-UI client over a bare socket, and somebody else's judgement of what it is sent."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ag_ui.core import Event
from ag_ui_validate import create_validator
from pydantic import TypeAdapter
from tests.e2e.wire import Exchange, ask

# Any: JSON of no known shape.
Json: TypeAlias = Any

AGUI: TypeAdapter[Event] = TypeAdapter(Event)


class Sent(NamedTuple):
    """One server-sent event: its number, `None` where it has none, and what it holds."""

    seq: int | None
    event: Json


class Stream:
    """The stream of a run, as it comes."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.sent: list[Sent] = []
        self._rest = b""

    @property
    def events(self) -> list[Json]:
        """What has come so far."""
        return [one.event for one in self.sent]

    @property
    def kinds(self) -> list[str]:
        """The types of what has come so far."""
        return [one["type"] for one in self.events]

    @property
    def text(self) -> str:
        """The words that have come so far."""
        return "".join(one["delta"] for one in self.of("TEXT_MESSAGE_CONTENT"))

    @property
    def last(self) -> Json:
        """What came last."""
        return self.events[-1]

    def of(self, kind: str) -> list[Json]:
        """All of one type, or of one name where they are CUSTOM."""
        return [one for one in self.events if kind in (one["type"], one.get("name"))]

    async def until(self, kind: str, count: int = 1) -> Json:
        """Read until there are so many of a type."""
        while len(self.of(kind)) < count:
            assert await self._more(), f"the stream ended before {kind}: {self.kinds}"
        return self.of(kind)[-1]

    async def over(self) -> "Stream":
        """Read to the end, and have it judged."""
        try:
            while await self._more():
                pass
        finally:
            self.drop()
        assert self._rest == b""
        check(self.events)
        return self

    def drop(self) -> None:
        """Cut the connection."""
        self.exchange.drop()

    async def _more(self) -> bool:
        chunk = await self.exchange.chunk()
        blocks = (self._rest + chunk).split(b"\n\n")
        self._rest = blocks.pop()
        for block in blocks:
            fields = dict(line.split(b": ", 1) for line in block.split(b"\n") if not line.startswith(b":"))
            if b"data" in fields:
                seq = int(fields[b"id"]) if b"id" in fields else None
                self.sent.append(Sent(seq, json.loads(fields[b"data"])))
        return bool(chunk)


def check(events: Sequence[Json]) -> None:
    """Have a whole stream judged by AG-UI's own types and by a validator that nobody here wrote."""
    validator = create_validator()
    for event in events:
        AGUI.validate_python(event)
        validator.feed(event)
    validator.finalize()
    found = validator.report().diagnostics
    assert found == [], [f"{one.rule} {one.message}" for one in found]


def user(text: str, name: str) -> Json:
    """A message of the person."""
    return {"id": name, "role": "user", "content": text}


def agui_input(thread: str, run: str, *messages: Json, **more: Json) -> Json:
    """The input of a run."""
    return {"threadId": thread, "runId": run, "messages": list(messages)} | more


async def post(port: int, body: Json, *, after: int | None = None) -> Exchange:
    """Post an input."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if after is not None:
        headers["Last-Event-ID"] = str(after)
    return await ask(port, "POST", "/agui", headers=headers, body=json.dumps(body).encode())


async def start(port: int, body: Json, *, after: int | None = None) -> Stream:
    """Begin a run that is taken."""
    exchange = await post(port, body, after=after)
    if exchange.status != 200:
        exchange.drop()
        raise AssertionError(f"the run was refused with {exchange.status}")
    assert exchange.headers["content-type"].startswith("text/event-stream")
    return Stream(exchange)


async def run(port: int, body: Json, *, after: int | None = None) -> Stream:
    """Run to the end."""
    return await (await start(port, body, after=after)).over()


async def follow(port: int, body: Json, *, after: int | None = None) -> Stream:
    """Begin to follow a thread, from here on or from behind a number."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if after is not None:
        headers["Last-Event-ID"] = str(after)
    exchange = await ask(port, "POST", "/agui/follow", headers=headers, body=json.dumps(body).encode())
    assert exchange.status == 200
    return Stream(exchange)


async def refused(port: int, body: Json, *, after: int | None = None) -> tuple[int, Json]:
    """Have a run refused: the status, and the RUN_ERROR."""
    exchange = await post(port, body, after=after)
    try:
        error = json.loads(await exchange.body())
    finally:
        exchange.drop()
    assert exchange.status != 200, error
    AGUI.validate_python(error)
    assert error["type"] == "RUN_ERROR"
    return exchange.status, error
