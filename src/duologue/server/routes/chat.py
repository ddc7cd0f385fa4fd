"""The chat protocol over HTTP: sending with a stream or a plain answer, following, and what is told of tool calls."""

import hashlib
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import limits
from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent, ResponseFailed
from duologue.model.replies import Accepted, Rejected, Repeated
from duologue.protocols.chat import (
    decode_cancel,
    decode_end,
    decode_send,
    decode_tool_call,
    http_status,
    incoming,
    wire,
)
from duologue.runtime.session import LiveSession
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.operations import EVENT_STREAM, RESUME, Body, Operation, Parameter
from duologue.server.routes.guard import NO_STORE, guarded_routes, json, refusal
from duologue.transports.sse import EventStream

SESSION_HEADER = "Duologue-Session"

HEADER_SAFE = "!\"#$&'()*+,/:;<=>?@[\\]^`{|}"
"""Characters, besides letters, digits and `_.-~`, that stand in the header as they are; `%` does not."""


def routes(context: Context) -> list[Route]:
    """The chat protocol's addresses."""

    return guarded_routes(context, context.chat, OPERATIONS)


def session_header(session_id: str) -> dict[str, str]:
    """The header that names the session; what may not stand in a header, such as a line end, is percent-encoded."""
    return {SESSION_HEADER: quote(session_id, safe=HEADER_SAFE)}


async def _send(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/stream`: take a turn and answer it, as a stream or, where none is accepted, whole."""
    key = request.headers.get("idempotency-key")
    if key is not None and not 0 < len(key) <= limits.REQUEST_ID_CHARS:
        message = f"Idempotency-Key has to have 1 to {limits.REQUEST_ID_CHARS} characters"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=limits.REQUEST_ID_CHARS))
    send = decode_send(await read_body(request, limit=context.settings.server.frame_bytes))
    if isinstance(send, Problem):
        return refusal(context, context.chat, send)
    if send.turn.request_id is None and key is None:
        message = "`requestId` is missing; give one, or an Idempotency-Key header"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.requestId"))
    send = send.named(request_id=send.turn.request_id or key or "", idempotency_key=key)
    session_id = check_session(identity, send.session_id) or _session_of(identity.subject, key)
    context.gate.check(identity, "turns")
    session = await context.join(Join(session_id=session_id, language=send.turn.language), identity)
    context.called(request, session.state.session_id, send.turn.request_id)
    reply = await context.hub.submit(session, send.command, protocol=context.chat.name, granted=identity.granted)
    match reply:
        case Rejected(problem=problem):
            return refusal(context, context.chat, problem, request_id=send.turn.request_id or "")
        case Repeated(seq=seq) if session.first_seq > 1 and seq <= session.first_seq:
            message = "this message was answered, and the answer has been trimmed since"
            problem = Problem(code=Code.RESUME_TRIMMED, message=message, limit=session.first_seq)
            return refusal(context, context.chat, problem, request_id=send.turn.request_id or "")
        case Accepted(turn=turn, seq=seq) | Repeated(turn=turn, seq=seq):
            if _wants_stream(request):
                return _stream(context, session, after=seq - 1, only_turn=turn)
            return await _whole(context, session, after=seq - 1, turn=turn)
        case _:
            raise AssertionError("a turn is never ignored")


def _session_of(subject: str, key: str | None) -> str | None:
    """The session of a message without one: its key's own, so that a repeat finds it; new without a key."""
    if key is None:
        return None
    return "key-" + hashlib.blake2b(f"{subject}\n{key}".encode(), digest_size=18).hexdigest()


def _wants_stream(request: Request) -> bool:
    accept = request.headers.get("accept", "*/*")
    return "text/event-stream" in accept or ("*/*" in accept and "application/json" not in accept)


def _stream(context: Context, session: LiveSession, *, after: int, only_turn: int | None = None) -> EventStream:
    cursor = context.hub.follow(session, dialect=context.chat, after=after, only_turn=only_turn)
    return EventStream(
        cursor,
        beat_ms=context.settings.server.heartbeat_ms,
        headers=session_header(session.state.session_id),
    )


async def _whole(context: Context, session: LiveSession, *, after: int, turn: int) -> Response:
    events: list[AnyEvent] = []
    with context.hub.follow(session, dialect=context.chat, after=after, only_turn=turn) as cursor:
        while cursor.stop is None:
            events += await cursor.events()
    session_id = session.state.session_id
    if cursor.stop == "deleted":
        problem = Problem(code=Code.SESSION_UNKNOWN, message="the session was deleted")
        return refusal(context, context.chat, problem)
    if cursor.stop in ("failed", "draining"):
        problem = Problem(code=Code.DRAINING, message="the answer was cut; ask again with the same id")
        return refusal(context, context.chat, problem)
    failures = [event for event in events if isinstance(event, ResponseFailed) and not event.will_retry]
    status = http_status(Problem(code=failures[-1].code, message="")) if failures else 200
    return Response(
        context.chat.summary(session_id, events),
        status_code=status,
        media_type="application/json",
        headers=session_header(session_id) | NO_STORE,
    )


async def _follow(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /chat/sessions/{id}/events`: everything after a number, then live."""
    after = resume_point(request)
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    session = await context.hub.find(session_id, subject=identity.subject)
    await context.join(Join(session_id=session_id, after=after), identity)
    return _stream(context, session, after=after)


async def _cancel(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/cancel`: stop the running answer."""
    cancel = decode_cancel(await read_body(request, limit=context.settings.server.frame_bytes))
    if isinstance(cancel, Problem):
        return refusal(context, context.chat, cancel)
    session_id = check_session(identity, cancel.session_id) or ""
    session = await context.hub.find(session_id, subject=identity.subject)
    reply = await context.hub.submit(session, cancel.command)
    return json(Cancelled(cancelled=isinstance(reply, Accepted)))


async def _end(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/end`: end the session."""
    end = decode_end(await read_body(request, limit=context.settings.server.frame_bytes))
    if isinstance(end, Problem):
        return refusal(context, context.chat, end)
    session_id = check_session(identity, end.session_id) or ""
    session = await context.hub.find(session_id, subject=identity.subject)
    await context.hub.submit(session, end.command)
    return json(Ended(ended=True))


async def _tool_call(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/tool-call`: what a client's tool gave, or what the person decides about a call."""
    told = decode_tool_call(await read_body(request, limit=context.settings.server.frame_bytes))
    if isinstance(told, Problem):
        return refusal(context, context.chat, told)
    session_id = check_session(identity, told.session_id) or ""
    session = await context.hub.find(session_id, subject=identity.subject)
    reply = await context.hub.submit(session, told.command, protocol=context.chat.name, granted=identity.granted)
    match reply:
        case Rejected(problem=problem):
            return refusal(context, context.chat, problem)
        case Accepted(seq=seq) | Repeated(seq=seq):
            return json(Taken(accepted=True, sequence=seq))
        case _:
            # Nothing waits for it any more, and nothing has changed.
            problem = Problem(code=Code.TOOL_CALL_UNKNOWN, message="no such call waits for this")
            return refusal(context, context.chat, problem)


class Answer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An answer's body."""


class Cancelled(Answer, frozen=True, kw_only=True):
    """Whether there was an answer to stop."""

    cancelled: bool


class Taken(Answer, frozen=True, kw_only=True):
    """It was taken; the event of this sequence says so."""

    accepted: bool
    sequence: int


class Ended(Answer, frozen=True, kw_only=True):
    """The session has ended."""

    ended: bool


OPERATIONS = (
    Operation(
        method="POST",
        path="/chat/stream",
        summary="Take a turn and answer it: as a stream, or whole where the client takes JSON and no stream.",
        handler=_send,
        scope="sessions:write",
        parameters=(
            Parameter(
                name="Idempotency-Key",
                place="header",
                about="The same key gets the same answer and never runs twice. It may stand for `requestId`.",
                shape={"type": "string", "minLength": 1, "maxLength": limits.REQUEST_ID_CHARS},
            ),
        ),
        body=Body(shape=incoming.SendBody),
        answers=(
            (200, Body(media_type=EVENT_STREAM)),
            *((code, Body(shape=wire.SummaryBody)) for code in (200, 502, 504)),
        ),
        problems=(404, 409, 410),
    ),
    Operation(
        method="POST",
        path="/chat/cancel",
        summary="Stop the running answer.",
        handler=_cancel,
        scope="sessions:write",
        body=Body(shape=incoming.CancelBody),
        answers=((200, Body(shape=Cancelled)),),
        problems=(404,),
    ),
    Operation(
        method="POST",
        path="/chat/tool-call",
        summary="Tell what a client's tool gave, or what the person decides about a call that waits for them.",
        handler=_tool_call,
        scope="sessions:write",
        body=Body(shapes=(incoming.ToolOutputBody, incoming.DecisionBody)),
        answers=((200, Body(shape=Taken)),),
        problems=(404, 409, 410),
    ),
    Operation(
        method="POST",
        path="/chat/end",
        summary="End the session.",
        handler=_end,
        scope="sessions:write",
        body=Body(shape=incoming.EndBody),
        answers=((200, Body(shape=Ended)),),
        problems=(404,),
    ),
    Operation(
        method="GET",
        path="/chat/sessions/{session_id}/events",
        summary="Follow a session: everything after a number, then live.",
        handler=_follow,
        scope="sessions:read",
        parameters=RESUME,
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(400, 404, 410),
    ),
)
"""The chat protocol's addresses, the only list of them."""
