"""Health, figures, the card and the schemas."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.errors import Refused
from duologue.server import schemas
from duologue.server.card import card
from duologue.server.context import Context
from duologue.server.metrics import exposition
from duologue.server.routes.guard import json

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def routes(context: Context) -> list[Route]:
    """What operators and other programs ask of the server itself."""

    async def healthz(_: Request) -> Response:
        return json({"status": "ok"})

    async def readyz(_: Request) -> Response:
        problem = await context.hub.unready()
        return json({"status": "ready"}) if problem is None else json({"status": problem}, status=503)

    async def metrics(request: Request) -> Response:
        try:
            context.enter(request)
        except Refused as refused:
            return json({"error": refused.problem.message}, status=401)
        return Response(exposition(context.hub, context.connections), media_type=METRICS_TYPE)

    async def agent_card(request: Request) -> Response:
        url = context.public_url(request)
        body = card(context.settings, public_url=url, secured=context.auth.configured)
        return json(body, headers={"Cache-Control": "public, max-age=60"})

    async def one_schema(request: Request) -> Response:
        name = request.path_params["name"]
        found = schemas.schema(name)
        if found is None:
            return json({"error": f"no schema {name!r}; there are {', '.join(schemas.NAMES)}"}, status=404)
        return Response(found, media_type="application/schema+json")

    return [
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/metrics", metrics),
        Route("/.well-known/agent-card.json", agent_card),
        Route("/schemas/{name}.schema.json", one_schema),
    ]
