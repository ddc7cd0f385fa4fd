"""The ghost protocol over HTTP: following as server-sent events, and triggers as posts."""

from typing import assert_never

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.commands import Ack, Join
from duologue.model.errors import Code, Problem, Refused
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.routes.guard import Handler, guarded, json, refusal
from duologue.transports.sse import EventStream


def routes(context: Context) -> list[Route]:
    """The ghost protocol's addresses."""

    def at(path: str, method: str, handler: Handler) -> Route:
        return Route(path, guarded(context, context.ghost, handler), methods=[method])

    return [
        at("/ghost/sessions/{session_id}/events", "GET", _follow),
        at("/ghost/sessions/{session_id}/triggers", "POST", _trigger),
    ]


async def _follow(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /ghost/sessions/{id}/events`: everything after a number, then live; opens a session that is new."""
    after = resume_point(request)
    session_id = check_session(identity, request.path_params["session_id"])
    session = await context.hub.join(Join(session_id=session_id, after=after), subject=identity.subject)
    cursor = context.hub.follow(session, dialect=context.ghost, after=after)
    return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)


async def _trigger(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /ghost/sessions/{id}/triggers`: one client message; what it leads to is seen on the stream."""
    command = context.ghost.decode(await read_body(request, limit=context.settings.server.frame_bytes))
    match command:
        case Problem():
            return refusal(context, context.ghost, command)
        case Join() | Ack():
            message = "the session is named in the address; send a trigger"
            raise Refused(Problem(code=Code.ALREADY_OPEN, message=message))
        case _:
            pass
    session_id = check_session(identity, request.path_params["session_id"])
    session = await context.hub.join(Join(session_id=session_id), subject=identity.subject)
    reply = await context.hub.submit(session, command)
    match reply:
        case Rejected(problem=problem):
            return refusal(context, context.ghost, problem)
        case Accepted(seq=seq):
            return json({"accepted": True, "sequence": seq}, status=202)
        case Repeated(seq=seq):
            return json({"accepted": True, "repeated": True, "sequence": seq})
        case Ignored():
            return json({"accepted": False, "sequence": session.stored_seq})
        case _:
            assert_never(reply)
