"""`GET /api/audit`: the latest entries of the audit trail."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.errors import Code, Problem, Refused
from duologue.server.auth import Identity
from duologue.server.context import Context
from duologue.server.operations import JSON_LINES, Body, Operation, Parameter
from duologue.server.routes.guard import NO_STORE, guarded_routes

ENTRIES_MAX = 1_000
"""Most entries at once."""


def routes(context: Context) -> list[Route]:
    """The audit trail's address."""
    return guarded_routes(context, context.chat, OPERATIONS)


async def _audit(context: Context, request: Request, _identity: Identity) -> Response:
    given = request.query_params.get("limit", str(ENTRIES_MAX))
    if not (given.isascii() and given.isdigit() and len(given) <= len(str(ENTRIES_MAX)) and int(given) >= 1):
        message = f"`limit` has to be a number from 1 to {ENTRIES_MAX}"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=ENTRIES_MAX))
    lines = await asyncio.to_thread(context.audit.latest, min(int(given), ENTRIES_MAX))
    return Response(b"".join(line + b"\n" for line in lines), media_type=JSON_LINES, headers=NO_STORE)


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/audit",
        summary="The latest entries of the audit trail as JSON lines, oldest first.",
        handler=_audit,
        scope="admin",
        parameters=(
            Parameter(
                name="limit",
                place="query",
                about="Most entries.",
                shape={"type": "integer", "minimum": 1, "maximum": ENTRIES_MAX},
            ),
        ),
        answers=((200, Body(media_type=JSON_LINES)),),
        problems=(400,),
    ),
)
"""The audit trail's address."""
