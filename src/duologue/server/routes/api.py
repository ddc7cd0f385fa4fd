"""The same over JSON: sessions, journals, export and import, deletion."""

from collections.abc import AsyncGenerator

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
from duologue.server.routes.guard import Handler, guarded, json

JSON_LINES = "application/jsonl"

LISTED = 100
"""Sessions on one page of the list."""


def routes(context: Context) -> list[Route]:
    """The addresses below `/api`."""

    def at(path: str, method: str, handler: Handler) -> Route:
        return Route(path, guarded(context, context.chat, handler), methods=[method])

    return [
        at("/api/sessions", "GET", _list),
        at("/api/sessions/import", "POST", _import),
        at("/api/sessions/{session_id}", "GET", _show),
        at("/api/sessions/{session_id}", "DELETE", _delete),
        at("/api/sessions/{session_id}/journal", "GET", _journal),
        at("/api/sessions/{session_id}/export", "GET", _export),
        at("/api/people/{subject}", "DELETE", _forget),
    ]


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    before = request.query_params.get("before", "")
    if before and not (before.isascii() and before.isdigit() and len(before) < len(str(2**53))):
        raise Refused(Problem(code=Code.BAD_MESSAGE, message="`before` has to be ms since 1970"))
    found = await context.hub.store.list_sessions(
        subject=identity.subject, before_ms=int(before) if before else None, limit=LISTED
    )
    return json({"sessions": [describe(info) for info in found]})


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    return json(describe(await _info(context, request, identity)))


async def _delete(context: Context, request: Request, identity: Identity) -> Response:
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    await context.hub.delete(session_id, subject=identity.subject)
    return json({"deleted": session_id})


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
    return json({"deleted": await context.hub.delete_subject(subject)})


async def _info(context: Context, request: Request, identity: Identity) -> SessionInfo:
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    info = await context.hub.store.info(session_id)
    if info is None or info.mark.subject != identity.subject:
        raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=f"there is no session {session_id[:128]!r}"))
    return info


def describe(info: SessionInfo) -> dict[str, object]:
    """One session of the list."""
    mark = info.mark
    return {
        "sessionId": info.session_id,
        "title": mark.title,
        "agent": mark.agent,
        "turns": mark.turns,
        "open": mark.open_turn,
        "ended": mark.ended,
        "firstSequence": info.first_seq,
        "lastSequence": info.last_seq,
        "epoch": info.epoch,
        "createdAt": info.created_ms,
        "updatedAt": info.updated_ms,
    }
