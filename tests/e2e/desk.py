"""An operator at the desk, over a bare socket."""

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypeAlias

from tests.e2e.harness import WAIT_S
from tests.e2e.links import Link
from tests.e2e.wire import Answer, EventSource, ask, fetch

# Any: JSON of no known shape.
Json: TypeAlias = Any


class Operator:
    """Somebody who works at the desk.

    Attributes:
        news: what their page was told, where it is open.
    """

    def __init__(self, port: int, name: str, *, headers: Mapping[str, str] | None = None) -> None:
        self.port, self.name = port, name
        self.headers = dict(headers) if headers is not None else {"Duologue-Subject": name}
        self.news: list[Json] = []
        self._source: EventSource | None = None

    async def do(self, handoff_id: str, act: str, **body: Json) -> Json:
        """Do something with a handoff, which has to be taken; gives the handoff as it stands."""
        answer = await self.post(f"{handoff_id}/{act}", **body)
        assert answer.status == 200, answer.raw
        return answer.body["handoff"]

    async def refused(self, handoff_id: str, act: str, **body: Json) -> str:
        """Do something that is refused; gives the code."""
        answer = await self.post(f"{handoff_id}/{act}", **body)
        assert answer.status >= 400, answer.raw
        return answer.body["reason"]

    async def post(self, path: str, **body: Json) -> Answer:
        """Post to an address below that of handoffs."""
        return await fetch(self.port, "POST", f"/api/handoffs/{path}", body=body, headers=self.headers)

    async def get(self, path: str = "") -> Json:
        """Get what is at an address below that of handoffs."""
        answer = await fetch(self.port, "GET", f"/api/handoffs{path}", headers=self.headers)
        assert answer.status == 200, answer.raw
        return answer.body

    async def waiting(self, session: str, *, status: str = "queued") -> Json:
        """Wait until a handoff of a session stands so; gives it."""
        async with asyncio.timeout(WAIT_S):
            while True:
                for one in (await self.get())["handoffs"]:
                    if (one["sessionId"], one["status"]) == (session, status):
                        return one
                await asyncio.sleep(0.01)

    async def over(self, session: str) -> Json:
        """Wait until a handoff of a session is over; gives the latest."""
        async with asyncio.timeout(WAIT_S):
            while True:
                for one in (await self.get("?state=ended"))["handoffs"]:
                    if one["sessionId"] == session:
                        return one
                await asyncio.sleep(0.01)

    async def __aenter__(self) -> Self:
        """Open the page: from now on they are there."""
        exchange = await ask(self.port, "GET", "/api/handoffs/events", headers=self.headers)
        assert exchange.status == 200
        self._source = EventSource(exchange)
        await self.told("everything")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._source is not None
        self._source.exchange.drop()

    async def told(self, kind: str) -> Json:
        """Wait for the next news of a kind."""
        assert self._source is not None, "the page is open"
        async with asyncio.timeout(WAIT_S):
            while True:
                news = json.loads((await self._source.next()).raw)
                self.news.append(news)
                if news["type"] == kind:
                    return news


def steps(link: Link) -> list[Json]:
    """The steps of handoffs that a client was told of."""
    found: list[Json] = []
    for frame in link.frames:
        body = frame.body
        if body["type"] == "handoff.status":
            found.append(body)
        elif body.get("event", {}).get("name") == "duologue.handoff":
            found.append(body["event"]["value"])
    return found


async def until_step(link: Link, status: str) -> Json:
    """Read until a handoff has come to stand so."""
    while not (known := steps(link)) or known[-1]["status"] != status:
        await link.next()
    return known[-1]
