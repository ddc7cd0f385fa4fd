"""`POST /api/ticket`: a credential that may stand in an address, since it is good once."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body
from duologue.server.operations import Body, Operation
from duologue.server.routes.guard import guarded_routes, json
from duologue.server.tickets import PATH_CHARS

BODY_BYTES = 8 * 1024
"""Largest body: an address and a session id."""


def routes(context: Context) -> list[Route]:
    """The address for tickets."""
    return guarded_routes(context, context.chat, OPERATIONS)


class TicketBody(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a ticket is for: an address without its query, and perhaps the one session that it may open."""

    path: str
    session_id: str | None = None


class TicketAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A ticket, and until when it is good in ms since 1970."""

    ticket: str
    expires_at: int


async def _ticket(context: Context, request: Request, identity: Identity) -> Response:
    body = await read_body(request, limit=BODY_BYTES)
    try:
        asked = msgspec.json.decode(body, type=TicketBody)
    except msgspec.MsgspecError as error:
        message = f'the body has to be like {{"path": "/chat/ws"}}: {error}'
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message)) from error
    if not asked.path.startswith("/") or not asked.path.isprintable() or len(asked.path) > PATH_CHARS:
        message = f"`path` has to begin with / and to have at most {PATH_CHARS} characters"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.path", limit=PATH_CHARS))
    session_id = check_session(identity, asked.session_id)
    if session_id is not None and not 0 < len(session_id) <= limits.SESSION_ID_CHARS:
        message = f"a session id has 1 to {limits.SESSION_ID_CHARS} characters"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.sessionId"))
    ticket, until_ms = context.tickets.issue(
        identity, asked.path, session_id=session_id, now_ms=context.hub.clock.now_ms()
    )
    return json(TicketAnswer(ticket=ticket, expires_at=until_ms))


OPERATIONS = (
    Operation(
        method="POST",
        path="/api/ticket",
        summary="Get a ticket that opens one address once within 30 s, as `?ticket=`: for a browser's EventSource,"
        " WebSocket or download, which cannot send headers.",
        handler=_ticket,
        scope="sessions:read",
        body=Body(shape=TicketBody),
        answers=((200, Body(shape=TicketAnswer)),),
    ),
)
"""The address for tickets."""
