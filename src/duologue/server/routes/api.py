"""Sessions as a whole over JSON: journals, export and import, deletion."""

from collections.abc import AsyncGenerator, AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused, StoreConflict
from duologue.model.records import last_seq
from duologue.runtime import portable
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.looking.answers import SessionRow, describe
from duologue.server.looking.private import others_lines, public_lines, sees_all
from duologue.server.looking.scope import seen_session
from duologue.server.operations import JSON_LINES, Body, Operation, noted
from duologue.server.routes.guard import guarded_routes, json

LISTED = 100
"""Sessions on one page of the list."""


def routes(context: Context) -> list[Route]:
    """The addresses below `/api`."""
    return guarded_routes(context, context.chat, OPERATIONS)


async def _delete(context: Context, request: Request, identity: Identity) -> Response:
    info = await seen_session(context, request, identity)
    await context.hub.delete(info.session_id, subject=info.mark.subject)
    return json(DeletedSession(deleted=info.session_id))


async def _journal(context: Context, request: Request, identity: Identity) -> Response:
    """The journal as JSON lines, as it is stored, but for what tools hide from others than the person."""
    info = await seen_session(context, request, identity)

    async def chunks() -> AsyncGenerator[bytes, None]:
        after = 0
        while lines := await context.hub.store.read(info.session_id, after=after, limit=limits.READ_EVENTS):
            yield lines
            after = last_seq(lines)

    own = identity.subject == info.mark.subject
    shown = _shown(chunks(), identity)
    return StreamingResponse(shown if own else others_lines(shown), media_type=JSON_LINES)


def _shown(lines: AsyncIterator[bytes], identity: Identity) -> AsyncIterator[bytes]:
    """Lines as somebody may see them."""
    return lines if sees_all(identity) else public_lines(lines)


async def _export(context: Context, request: Request, identity: Identity) -> Response:
    """All of a session as JSON lines, to be imported elsewhere."""
    info = await seen_session(context, request, identity)
    lines = portable.export_session(context.hub.store, info.session_id)
    return StreamingResponse(_shown(lines, identity), media_type=JSON_LINES)


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
    noted(request, session_id=imported.info.session_id, subject=imported.info.mark.subject)
    await context.deliveries.imported(imported.info.session_id, last_seq=imported.info.last_seq)
    return json(describe(imported.info), status=201)


async def _forget(context: Context, request: Request, identity: Identity) -> Response:
    subject = request.path_params["subject"]
    if subject != identity.subject and not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="people may only delete what is theirs"))
    return json(DeletedSessions(deleted=await context.hub.delete_subject(subject)))


class DeletedSession(msgspec.Struct, frozen=True, kw_only=True):
    """The id of the session that was removed."""

    deleted: str


class DeletedSessions(msgspec.Struct, frozen=True, kw_only=True):
    """The ids of the sessions that were removed."""

    deleted: list[str]


OPERATIONS = (
    Operation(
        method="POST",
        path="/api/sessions/import",
        audited="session.imported",
        summary="Store an exported session; for backends.",
        handler=_import,
        scope="sessions:write",
        body=Body(media_type=JSON_LINES),
        answers=((201, Body(shape=SessionRow)),),
        problems=(409,),
    ),
    Operation(
        method="DELETE",
        path="/api/sessions/{session_id}",
        audited="session.deleted",
        summary="Remove a session with its uploads, beyond recovery.",
        handler=_delete,
        scope="sessions:delete",
        answers=((200, Body(shape=DeletedSession)),),
        problems=(400, 404),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/journal",
        audited="session.read",
        summary="The journal's records as JSON lines, as they are stored.",
        handler=_journal,
        scope="sessions:read",
        answers=((200, Body(media_type=JSON_LINES)),),
        problems=(404,),
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/export",
        audited="session.exported",
        summary="All of a session as JSON lines, to be imported elsewhere.",
        handler=_export,
        scope="sessions:read",
        answers=((200, Body(media_type=JSON_LINES)),),
        problems=(404,),
    ),
    Operation(
        method="DELETE",
        path="/api/people/{subject}",
        audited="person.deleted",
        summary="Remove everything about a person, beyond recovery.",
        handler=_forget,
        scope="sessions:delete",
        answers=((200, Body(shape=DeletedSessions)),),
    ),
)
"""The addresses below `/api` that take sessions as a whole; `looking` has the others."""
