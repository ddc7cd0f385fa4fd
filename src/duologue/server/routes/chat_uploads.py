"""Files of people: `POST /chat/upload`, and `GET /chat/upload/{id}` to give one back."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem
from duologue.server import uploads
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, new_id
from duologue.server.looking.scope import seen_upload
from duologue.server.operations import FORM, Body, Json, Operation
from duologue.server.routes.guard import NO_STORE, guarded_routes, json, refusal


def routes(context: Context) -> list[Route]:
    """The addresses of uploads."""
    return guarded_routes(context, context.chat, OPERATIONS)


async def _upload(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /chat/upload`: keep a file; turns refer to it by `uploadId`."""
    context.gate.check(identity, "turns")
    file = await uploads.read_form(request, limit=context.settings.server.upload_bytes)
    session_id = check_session(identity, file.session_id) or ""
    if session_id:
        await context.hub.find(session_id, subject=identity.subject)
    blob = await uploads.to_blob(
        file,
        upload_id=new_id("upload"),
        subject=identity.subject,
        session_id=session_id,
        now_ms=context.hub.clock.now_ms(),
        as_sent=context.settings.photos.keep_location,
    )
    await context.hub.store.put_blob(blob)
    kept = blob.attachment
    return json(
        Uploaded(
            upload_id=kept.upload_id,
            name=kept.name,
            media_type=kept.media_type,
            size_bytes=kept.size_bytes,
            sha256=kept.sha256,
        ),
        status=201,
    )


async def _download(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /chat/upload/{id}`: give a file back to the person who sent it, or to a backend."""
    blob = await seen_upload(context, request, identity)
    if blob is None:
        message = f"there is no upload {request.path_params['upload_id'][: limits.UPLOAD_ID_CHARS]!r}"
        refused = refusal(context, context.chat, Problem(code=Code.UPLOAD_UNKNOWN, message=message))
        # Elsewhere it is the message that is wrong; here it is the address.
        refused.status_code = 404
        return refused
    return Response(blob.data, headers=uploads.download_headers(blob.attachment) | NO_STORE)


class Uploaded(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A file as it is kept; turns refer to it by `uploadId`."""

    upload_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str


_FORM: Json = {
    "type": "object",
    "properties": {
        "file": {"type": "string", "contentMediaType": "application/octet-stream"},
        "sessionId": {"type": "string", "maxLength": limits.SESSION_ID_CHARS},
    },
    "required": ["file"],
}

OPERATIONS = (
    Operation(
        method="POST",
        path="/chat/upload",
        summary="Keep a file; turns refer to it by `uploadId`.",
        handler=_upload,
        scope="sessions:write",
        body=Body(schema=_FORM, media_type=FORM),
        answers=((201, Body(shape=Uploaded)),),
        problems=(404, 415),
    ),
    Operation(
        method="GET",
        path="/chat/upload/{upload_id}",
        summary="Give a file back: a picture as what it is, all else as something to save.",
        handler=_download,
        scope="sessions:read",
        answers=tuple((200, Body(media_type=kind)) for kind in (*sorted(uploads.SHOWN), uploads.SAVED)),
        problems=(404,),
    ),
)
"""The addresses of uploads, the only list of them."""
