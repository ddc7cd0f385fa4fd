"""Health, figures, the card, the schemas, and the description of all this."""

import msgspec
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.server import schemas
from duologue.server.auth import Identity
from duologue.server.card import card
from duologue.server.context import Context
from duologue.server.metrics import (
    CallsCollector,
    DeliveriesCollector,
    DoorCollector,
    MemoryCollector,
    ToolsCollector,
    exposition,
)
from duologue.server.operations import Body, Operation
from duologue.server.routes.guard import guarded_routes, json

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SCHEMA_TYPE = "application/schema+json"


def routes(context: Context) -> list[Route]:
    """What operators and other programs ask of the server itself."""
    return guarded_routes(context, context.chat, OPERATIONS)


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """`ok` or `ready`, or why not."""

    status: str


async def _healthz(_context: Context, _request: Request, _anybody: Identity) -> Response:
    return json(Status(status="ok"))


async def _readyz(context: Context, _request: Request, _anybody: Identity) -> Response:
    problem = await context.hub.unready()
    return json(Status(status="ready")) if problem is None else json(Status(status=problem), status=503)


async def _metrics(context: Context, _request: Request, _identity: Identity) -> Response:
    deliveries = DeliveriesCollector(context.deliveries.figures, await context.deliveries.counts())
    door = DoorCollector(context.gate.limited, context.auth_refusals)
    more: list[Collector] = [] if context.voice.live is None else [CallsCollector(context.voice.live)]
    if (remembering := context.remembering) is not None:
        more.append(MemoryCollector(remembering.figures, await remembering.memory.total()))
    tooling, running = context.tooling, len(context.hub.tools)
    more.append(ToolsCollector(tooling.trail, running=running, waiting=len(tooling.approvals)))
    return Response(exposition(context.hub, context.connections, deliveries, door, *more), media_type=METRICS_TYPE)


async def _card(context: Context, request: Request, _anybody: Identity) -> Response:
    voice = context.voice
    body = card(
        context.settings,
        public_url=context.public_url(request),
        secured=context.auth.configured,
        audio=voice.offered,
        webrtc=voice.webrtc_offered,
    )
    return json(body, headers={"Cache-Control": "public, max-age=60"})


async def _schema(context: Context, request: Request, _anybody: Identity) -> Response:
    name = request.path_params["name"]
    spoken = context.dialects.values()
    found = schemas.schema(name, spoken)
    if found is None:
        return json({"error": f"no schema {name[:100]!r}; there are {', '.join(schemas.names(spoken))}"}, status=404)
    return Response(found, media_type=SCHEMA_TYPE)


OPERATIONS = (
    Operation(
        method="GET",
        path="/healthz",
        summary="Whether the process runs.",
        handler=_healthz,
        scope=None,
        probe=True,
        answers=((200, Body(shape=Status)),),
    ),
    Operation(
        method="GET",
        path="/readyz",
        summary="Whether turns are taken now.",
        handler=_readyz,
        scope=None,
        probe=True,
        answers=((200, Body(shape=Status)), (503, Body(shape=Status))),
    ),
    Operation(
        method="GET",
        path="/metrics",
        summary="The figures, for Prometheus.",
        handler=_metrics,
        scope="metrics:read",
        answers=((200, Body(media_type="text/plain")),),
    ),
    Operation(
        method="GET",
        path="/.well-known/agent-card.json",
        summary="The agent's card, as A2A defines it.",
        handler=_card,
        scope=None,
        answers=((200, Body(schema={"type": "object"})),),
    ),
    Operation(
        method="GET",
        path="/schemas/{name}.schema.json",
        summary="A published JSON Schema.",
        handler=_schema,
        scope=None,
        answers=(
            (200, Body(schema={"type": "object"}, media_type=SCHEMA_TYPE)),
            (404, Body(schema={"type": "object"})),
        ),
    ),
)
"""The server's own addresses, but for the pages and its own description."""
