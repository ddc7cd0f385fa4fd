"""`GET /openapi.json`: all HTTP operations, as the other modules declare them."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.server.auth import Identity
from duologue.server.context import Context
from duologue.server.openapi import document
from duologue.server.operations import Body, Operation
from duologue.server.routes import (
    agui,
    agui_follow,
    api,
    approvals,
    calls,
    chat,
    chat_tokens,
    chat_uploads,
    desk_calls,
    ghost,
    handoffs,
    looking,
    memory,
    service,
    signals,
    tickets,
    trail,
    webhooks,
)
from duologue.server.routes.guard import guarded_routes, json

GROUPS = (
    chat,
    chat_tokens,
    chat_uploads,
    agui,
    agui_follow,
    ghost,
    calls,
    handoffs,
    approvals,
    desk_calls,
    looking,
    memory,
    api,
    service,
    signals,
    tickets,
    trail,
    webhooks,
)
"""The modules whose addresses are described; each has `OPERATIONS`."""


def routes(context: Context) -> list[Route]:
    """The description's address."""
    return guarded_routes(context, context.chat, OPERATIONS)


def operations() -> list[Operation]:
    """Every HTTP operation but the pages for people."""
    return [operation for group in GROUPS for operation in group.OPERATIONS] + list(OPERATIONS)


async def _describe(context: Context, request: Request, _anybody: Identity) -> Response:
    return json(document(operations(), url=context.public_url(request), sockets=[*context.sockets, calls.SOCKET]))


OPERATIONS = (
    Operation(
        method="GET",
        path="/openapi.json",
        summary="This description.",
        handler=_describe,
        scope=None,
        answers=((200, Body(schema={"type": "object"})),),
    ),
)
"""The description's own operation."""
