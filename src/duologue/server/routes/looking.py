"""Looking at sessions over JSON: the list, search, one session turn by turn and event by event."""

import asyncio
from collections.abc import Mapping

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.store import SessionInfo, Standing
from duologue.runtime.cursor import check_place
from duologue.server.auth import Identity
from duologue.server.context import Context, resume_point
from duologue.server.looking.answers import SessionList, SessionSeen, SessionTurns, describe, list_page
from duologue.server.looking.frames import choose, lines, protocols, read_events
from duologue.server.looking.places import read_place
from duologue.server.looking.private import sees_all
from duologue.server.looking.scope import scope, seen_session
from duologue.server.looking.search import Found, Hit, Query, find
from duologue.server.looking.timeline import Timeline
from duologue.server.operations import EVENT_STREAM, JSON_LINES, RESUME, Body, Json, Operation, Parameter
from duologue.server.routes.guard import NO_STORE, guarded_routes, json
from duologue.transports.sse import EventStream


def routes(context: Context) -> list[Route]:
    """The addresses at which sessions are looked at."""
    return guarded_routes(context, context.chat, OPERATIONS)


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    """A page of the list, the latest change first; with `q` of what holds these words."""
    query = _query(request.query_params, whose=scope(request, identity))
    if identity.session_id is None:
        found = await find(context.hub.store, query)
    else:
        # A token for one session is for no other, and not for the list of them either.
        found = _alone(await context.hub.store.info(identity.session_id), identity)
    return json(list_page(found, subject=identity.subject))


def _alone(info: SessionInfo | None, identity: Identity) -> Found:
    seen = info is not None and info.mark.subject == identity.subject
    return Found(hits=(Hit(info=info),) if info is not None and seen else (), next=None, looked_through=1)


def _query(asked: Mapping[str, str], *, whose: str | None) -> Query:
    """Read what is asked for.

    Raises:
        Refused: it cannot be asked, or not by them.
    """
    wanted = asked.get("subject") or None
    if whose is not None and wanted not in (None, whose):
        raise Refused(Problem(code=Code.FORBIDDEN, message="people may only list what is theirs"))
    text = asked.get("q", "")
    if len(text) > limits.SEARCH_CHARS:
        message = f"`q` has to have at most {limits.SEARCH_CHARS} characters"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=limits.SEARCH_CHARS))
    return Query(
        subject=whose or wanted,
        standing=_standing(asked.get("state", "")),
        text=text,
        after=read_place(asked["after"]) if asked.get("after") else None,
        limit=_number(asked, "limit", most=limits.SESSIONS_LISTED) or limits.SESSIONS_LISTED,
    )


def _standing(text: str) -> Standing | None:
    match text:
        case "":
            return None
        case "open" | "answering" | "ended":
            return text
        case _:
            message = "`state` has to be open, answering or ended"
            raise Refused(Problem(code=Code.BAD_MESSAGE, message=message))


def _number(asked: Mapping[str, str], name: str, *, most: int) -> int | None:
    """Read a number from 1 to `most`; `None` where there is none."""
    text = asked.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most):
        message = f"`{name}` has to be a number from 1 to {most}"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=most))
    return int(text)


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    row = describe(await seen_session(context, request, identity))
    return json(SessionSeen(**msgspec.structs.asdict(row), protocols=list(protocols(context))))


async def _turns(context: Context, request: Request, identity: Identity) -> Response:
    info = await seen_session(context, request, identity)
    timeline = Timeline()
    async for events in read_events(context.hub.store, info, after=info.first_seq - 1, last=info.last_seq):
        timeline.add(events)
        await asyncio.sleep(0)
    return json(SessionTurns(session_id=info.session_id, last_sequence=info.last_seq, turns=timeline.turns))


async def _events(context: Context, request: Request, identity: Identity) -> Response:
    """The events with the frames of the asked protocols: as JSON lines up to now, or as a stream that goes on."""
    info = await seen_session(context, request, identity)
    looking = choose(
        protocols(context),
        request.query_params.get("protocols", ""),
        all_of_it=sees_all(identity),
        others=identity.subject != info.mark.subject,
    )
    after = resume_point(request)
    if EVENT_STREAM in request.headers.get("accept", ""):
        session = await context.hub.find(info.session_id, subject=info.mark.subject)
        check_place(session, after)
        cursor = context.hub.follow(session, dialect=looking, after=after, aside=True)
        return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)
    limit = _number(request.query_params, "limit", most=limits.INTEGER_MAX)
    written = lines(context.hub.store, info, looking, after=after, limit=limit)
    return StreamingResponse(written, media_type=JSON_LINES, headers=NO_STORE)


def _asked(name: str, about: str, shape: Json) -> Parameter:
    return Parameter(name=name, place="query", about=about, shape=shape)


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/sessions",
        summary="List sessions, latest change first, or search in them: the caller's own, or a backend's everybody's.",
        handler=_list,
        scope="sessions:read",
        parameters=(
            _asked(
                "q",
                "Words that the title or one message has to hold, in whatever case.",
                {"type": "string", "maxLength": limits.SEARCH_CHARS},
            ),
            _asked("state", "How they stand.", {"enum": ["open", "answering", "ended"]}),
            _asked("subject", "Whose; another's only for backends.", {"type": "string"}),
            _asked("after", "The `next` of the page before.", {"type": "string"}),
            _asked(
                "limit",
                "Most sessions of the page.",
                {"type": "integer", "minimum": 1, "maximum": limits.SESSIONS_LISTED},
            ),
        ),
        answers=((200, Body(shape=SessionList)),),
        problems=(400,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}",
        summary="Show one session.",
        handler=_show,
        scope="sessions:read",
        answers=((200, Body(shape=SessionSeen)),),
        problems=(404,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/turns",
        summary="Turn by turn: what was said, by which responses it was answered, and what they took.",
        handler=_turns,
        scope="sessions:read",
        answers=((200, Body(shape=SessionTurns)),),
        problems=(404,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/events",
        summary="Each event, with the frames that protocols make of it: up to now, or as a stream that goes on.",
        handler=_events,
        scope="sessions:read",
        parameters=(
            *RESUME,
            _asked("protocols", "Names of protocols, divided by commas.", {"type": "string"}),
            _asked("limit", "Most events; not for a stream.", {"type": "integer", "minimum": 1}),
        ),
        answers=((200, Body(media_type=JSON_LINES)), (200, Body(media_type=EVENT_STREAM))),
        problems=(400, 404, 410),
    ),
)
"""The addresses at which sessions are looked at, the only list of them."""
