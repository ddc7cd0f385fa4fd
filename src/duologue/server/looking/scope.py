"""Whose conversations somebody sees."""

from starlette.requests import HTTPConnection, Request

from duologue.model.errors import Code, Problem, Refused
from duologue.ports.store import Blob, SessionInfo
from duologue.server.auth import SUBJECT_HEADER, Identity
from duologue.server.context import Context, check_session


def scope(request: HTTPConnection, identity: Identity) -> str | None:
    """Whose sessions are seen: a person's own; a backend's that names nobody are everybody's, `None`."""
    if identity.is_backend and SUBJECT_HEADER not in request.headers:
        return None
    return identity.subject


async def seen_session(context: Context, request: HTTPConnection, identity: Identity) -> SessionInfo:
    """Find the session that the address names.

    Raises:
        Refused: there is none, or it is not for them to see.
    """
    session_id = check_session(identity, request.path_params["session_id"]) or ""
    info = await context.hub.store.info(session_id)
    if info is None or scope(request, identity) not in (None, info.mark.subject):
        raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=f"there is no session {session_id[:128]!r}"))
    return info


async def seen_upload(context: Context, request: Request, identity: Identity) -> Blob | None:
    """Find the upload that the address names; `None` where there is none, or it is not for them to see."""
    blob = await context.hub.store.get_blob(request.path_params["upload_id"])
    if blob is None or scope(request, identity) not in (None, blob.subject):
        return None
    return blob if identity.session_id in (None, blob.session_id) else None
