"""The same over JSON: sessions, journals, export and import, deletion."""

from collections.abc import AsyncGenerator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused, StoreConflict
from duologue.model.records import last_seq
from duologue.ports.store import SessionInfo
from duologue.runtime import portable
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body
from duologue.server.operations import JSON_LINES, Body, Operation, Parameter
from duologue.server.routes.guard import guarded_routes, json

LISTED = 100
"""Sessions on one page of the list."""


def routes(context: Context) -> list[Route]:
    """The addresses below `/api`."""
    return guarded_routes(context, context.chat, OPERATIONS)


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    before = request.query_params.get("before", "")
    if before and not (before.isascii() and before.isdigit() and len(before) < len(str(2**53))):
        raise Refused(Problem(code=Code.BAD_MESSAGE, message="`before` has to be ms since 1970"))
    found = await context.hub.store.list_sessions(
        subject=identity.subject, before_ms=int(before) if before else None, limit=LISTED
    )
    return json(SessionList(sessions=[describe(info) for info in found]))


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    return json(describe(await _info(context, request, identity)))


async def _delete(context: Context, request: Request, identity: Identity) -> Response:
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    await context.hub.delete(session_id, subject=identity.subject)
    return json(DeletedSession(deleted=session_id))


async def _journal(context: Context, request: Request, identity: Identity) -> Response:
    """The journal as JSON lines, as it is stored."""
    info = await _info(context, request, identity)

    async def chunks() -> AsyncGenerator[bytes, None]:
        after = 0
        while lines := await context.hub.store.read(info.session_id, after=after, limit=limits.READ_EVENTS):
            yield lines
            after = last_seq(lines)

    return StreamingResponse(chunks(), media_type=JSON_LINES)


async def _export(context: Context, request: Request, identity: Identity) -> Response:
    """All of a session as JSON lines, to be imported elsewhere."""
    info = await _info(context, request, identity)
    lines = portable.export_session(context.hub.store, info.session_id)
    return StreamingResponse(lines, media_type=JSON_LINES)


async def _import(context: Context, request: Request, identity: Identity) -> Response:
    """Store an exported session; for backends, since the file says whose it is."""
    if not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="only an API key may import sessions"))
    body = await read_body(request, limit=limits.IMPORT_BYTES)
    try:
        imported = await portable.read_session(body.splitlines())
        await portable.store_session(context.hub.store, imported)
    except portable.PortableError as error:
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=str(error))) from error
    except StoreConflict as error:
        raise Refused(Problem(code=Code.TURN_CONFLICT, message=str(error))) from error
    return json(describe(imported.info), status=201)


async def _forget(context: Context, request: Request, identity: Identity) -> Response:
    subject = request.path_params["subject"]
    if subject != identity.subject and not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="people may only delete what is theirs"))
    return json(DeletedSessions(deleted=await context.hub.delete_subject(subject)))


async def _info(context: Context, request: Request, identity: Identity) -> SessionInfo:
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    info = await context.hub.store.info(session_id)
    if info is None or info.mark.subject != identity.subject:
        raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=f"there is no session {session_id[:128]!r}"))
    return info


class SessionRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One session of the list. `open`: a turn is being answered. Times in ms since 1970."""

    session_id: str
    title: str
    agent: str
    turns: int
    open: bool
    ended: bool
    first_sequence: int
    last_sequence: int
    epoch: int
    created_at: int
    updated_at: int


class SessionList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the list, latest change first."""

    sessions: list[SessionRow]


class DeletedSession(msgspec.Struct, frozen=True, kw_only=True):
    """The id of the session that was removed."""

    deleted: str


class DeletedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """The ids of the sessions that were removed."""

    deleted: list[str]


def describe(info: SessionInfo) -> SessionRow:
    """One session of the list."""
    mark = info.mark
    return SessionRow(
        session_id=info.session_id,
        title=mark.title,
        agent=mark.agent,
        turns=mark.turns,
        open=mark.open_turn,
        ended=mark.ended,
        first_sequence=info.first_seq,
        last_sequence=info.last_seq,
        epoch=info.epoch,
        created_at=info.created_ms,
        updated_at=info.updated_ms,
    )


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/sessions",
        summary="List the subject's sessions, latest change first, a hundred at a time.",
        handler=_list,
        scope="sessions:read",
        parameters=(
            Parameter(
                name="before",
                place="query",
                about="Only those that last changed before this time, in ms since 1970: the next page.",
                shape={"type": "integer", "minimum": 0},
            ),
        ),
        answers=((200, Body(shape=SessionList)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/sessions/import",
        summary="Store an exported session; for backends.",
        handler=_import,
        scope="sessions:write",
        body=Body(media_type=JSON_LINES),
        answers=((201, Body(shape=SessionRow)),),
        problems=(409,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}",
        summary="Show one session.",
        handler=_show,
        scope="sessions:read",
        answers=((200, Body(shape=SessionRow)),),
        problems=(404,),
    ),
    Operation(
        method="DELETE",
        path="/api/sessions/{session_id}",
        summary="Remove a session with its uploads, beyond recovery.",
        handler=_delete,
        scope="sessions:delete",
        answers=((200, Body(shape=DeletedSession)),),
        problems=(400, 404),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/journal",
        summary="The journal's records as JSON lines, as they are stored.",
        handler=_journal,
        scope="sessions:read",
        answers=((200, Body(media_type=JSON_LINES)),),
        problems=(404,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/export",
        summary="All of a session as JSON lines, to be imported elsewhere.",
        handler=_export,
        scope="sessions:read",
        answers=((200, Body(media_type=JSON_LINES)),),
        problems=(404,),
    ),
    Operation(
        method="DELETE",
        path="/api/people/{subject}",
        summary="Remove everything about a person, beyond recovery.",
        handler=_forget,
        scope="sessions:delete",
        answers=((200, Body(shape=DeletedSessions)),),
    ),
)
"""The addresses below `/api`, the only list of them."""
