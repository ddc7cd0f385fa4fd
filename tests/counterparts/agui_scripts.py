"""A plain AG-UI server on the official SDK that plays scripts, and keeps the runs that it was asked for."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ag_ui.core import BaseEvent, RunAgentInput
from ag_ui.encoder import EventEncoder
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

Play: TypeAlias = BaseEvent | bytes | None
"""An event of the SDK, bytes as they stand, or `None`: silence until the client leaves."""


@dataclass
class Scripts:
    """The server's application and what came in.

    Attributes:
        runs: read by the SDK's own models.
        headers: of each run.
        left: set when a client has left before the end.
    """

    scripts: Mapping[str, Sequence[Play]]
    runs: list[RunAgentInput] = field(default_factory=list[RunAgentInput])
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def application(self) -> Starlette:
        """Each script at its own path."""
        return Starlette(routes=[Route("/{name}", self._run, methods=["POST"])])

    async def _run(self, request: Request) -> Response:
        self.runs.append(RunAgentInput.model_validate_json(await request.body(), strict=True))
        self.headers.append(dict(request.headers))
        encoder = EventEncoder(accept=request.headers.get("accept", ""))
        script = self.scripts[request.path_params["name"]]
        return StreamingResponse(self._play(script, encoder), media_type=encoder.get_content_type())

    async def _play(self, script: Sequence[Play], encoder: EventEncoder) -> AsyncIterator[str | bytes]:
        try:
            for play in script:
                match play:
                    case None:
                        await asyncio.Event().wait()
                    case bytes():
                        yield play
                    case BaseEvent():
                        yield encoder.encode(play)
        except asyncio.CancelledError:
            self.left.set()
            raise
