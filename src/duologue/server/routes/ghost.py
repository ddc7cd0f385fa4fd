"""The ghost protocol over HTTP: following as server-sent events, and triggers as posts."""

from typing import assert_never

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.commands import Ack, Join, Photo, Refer
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import UserTurn
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated
from duologue.protocols.ghost import GhostDialect, incoming, wire
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.operations import EVENT_STREAM, RESUME, Body, Operation
from duologue.server.routes.guard import guarded_routes, json, refusal
from duologue.transports.sse import EventStream


def routes(context: Context) -> list[Route]:
    """The ghost protocol's addresses."""

    return guarded_routes(context, context.dialect(GhostDialect), OPERATIONS)


async def _follow(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /ghost/sessions/{id}/events`: everything after a number, then live; opens a session that is new."""
    after = resume_point(request)
    session_id = check_session(identity, request.path_params["session_id"])
    session = await context.join(Join(session_id=session_id, after=after), identity)
    cursor = context.hub.follow(session, dialect=context.dialect(GhostDialect), after=after)
    return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)


async def _trigger(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /ghost/sessions/{id}/triggers`: one client message; what it leads to is seen on the stream."""
    command = context.dialect(GhostDialect).decode(await read_body(request, limit=context.settings.server.frame_bytes))
    match command:
        case Problem():
            return refusal(context, context.dialect(GhostDialect), command)
        case Join() | Ack():
            message = "the session is named in the address; send a trigger"
            raise Refused(Problem(code=Code.ALREADY_OPEN, message=message))
        case UserTurn() | Photo() | Refer():
            context.gate.check(identity, "turns")
        case _:
            pass
    session_id = check_session(identity, request.path_params["session_id"])
    session = await context.join(Join(session_id=session_id), identity)
    request_id = command.request_id if isinstance(command, UserTurn) else None
    with context.calling(request, session.state.session_id, request_id):
        name = context.dialect(GhostDialect).name
        reply = await context.hub.submit(session, command, protocol=name, granted=identity.granted)
    match reply:
        case Rejected(problem=problem):
            return refusal(context, context.dialect(GhostDialect), problem)
        case Accepted(seq=seq):
            return json(TriggerAnswer(accepted=True, sequence=seq), status=202)
        case Repeated(seq=seq):
            return json(TriggerAnswer(accepted=True, repeated=True, sequence=seq))
        case Ignored():
            return json(TriggerAnswer(accepted=False, sequence=session.stored_seq))
        case _:
            assert_never(reply)


class TriggerAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a trigger, and the event that says so."""

    accepted: bool
    sequence: int
    repeated: bool = False


TRIGGERS = (
    incoming.UserSendsText,
    incoming.SttComplete,
    incoming.ObservationShow,
    incoming.ToolOutput,
    incoming.ApprovalDecide,
    incoming.Cancel,
    incoming.SessionEnd,
    incoming.Moved,
)

OPERATIONS = (
    Operation(
        method="GET",
        path="/ghost/sessions/{session_id}/events",
        summary="Follow a session: everything after a number, then live; opens a session that is new.",
        handler=_follow,
        scope="sessions:write",
        parameters=RESUME,
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(400, 404, 410),
        refusal=wire.GhostError,
    ),
    Operation(
        method="POST",
        path="/ghost/sessions/{session_id}/triggers",
        summary="One client message; what it leads to is seen on the stream.",
        handler=_trigger,
        scope="sessions:write",
        body=Body(shapes=TRIGGERS),
        answers=((200, Body(shape=TriggerAnswer)), (202, Body(shape=TriggerAnswer))),
        problems=(404, 409, 410),
        refusal=wire.GhostError,
    ),
)
"""The ghost protocol's addresses, the only list of them."""
