"""Webhooks: a session's own, and what could not be delivered. For backends."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import jsonwire, limits
from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.outbox import Cursor, DeadLetter, Hook
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.looking.scope import seen_session
from duologue.server.operations import SUBJECT, Body, Operation, Parameter
from duologue.server.routes.guard import guarded_routes, json
from duologue.server.settings_webhooks import SECRET_CHARS_MIN, Kind
from duologue.server.webhook_address import fault_of

LISTED: Final = 100
"""Dead letters on one page."""


def routes(context: Context) -> list[Route]:
    """The addresses of webhooks."""
    return guarded_routes(context, context.chat, OPERATIONS)


class WebhookAsked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A webhook as a backend wants it: where it goes, what signs it, and which kinds it is told of (none: all)."""

    url: Annotated[str, Meta(min_length=1, max_length=limits.WEBHOOK_URL_CHARS)]
    secret: Annotated[str, Meta(min_length=SECRET_CHARS_MIN, max_length=limits.WEBHOOK_SECRET_CHARS)] | None = None
    kinds: Annotated[tuple[Kind, ...], Meta(max_length=limits.WEBHOOK_KINDS)] = ()


class WebhookSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A session's webhook, and how far it has come: everything up to `sequence`. Times in ms since 1970."""

    url: str
    kinds: tuple[str, ...]
    sequence: int
    waiting: bool
    failures: int
    error: str
    next_attempt_at: int | None


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there was something to remove."""

    removed: bool


class LetterSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What could not be delivered: which event, to the server's webhook or the session's own, and why."""

    id: int
    session_id: str
    sequence: int
    type: str
    webhook: str
    attempts: int
    error: str
    happened_at: int
    failed_at: int


class Letters(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of dead letters, newest first; `next` is what to ask for as `before`, `null` at the end."""

    dead_letters: list[LetterSeen]
    next: int | None


class Redelivered(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the receiver has it now, and if not, why."""

    delivered: bool
    error: str


class NotThere(msgspec.Struct, frozen=True, kw_only=True):
    """There is no such webhook or dead letter."""

    error: str


_asked: Final = msgspec.json.Decoder(WebhookAsked)


async def _set(context: Context, request: Request, identity: Identity) -> Response:
    """`PUT /api/sessions/{id}/webhook`: opens the session where it is new, as any first use does."""
    _check_backend(identity)
    asked = jsonwire.read(await read_body(request, limit=context.settings.server.frame_bytes), _asked)
    hook = _hook(context, asked)
    session_id: str = request.path_params["session_id"]
    known = await context.hub.store.info(session_id)
    subject = identity.subject if known is None else (await seen_session(context, request, identity)).mark.subject
    session = await context.hub.join(Join(session_id=session_id), subject=subject)
    cursor = await context.deliveries.set_hook(session_id, hook, seq=session.stored_seq)
    return json(_seen(hook, cursor))


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    _check_backend(identity)
    info = await seen_session(context, request, identity)
    found = await context.deliveries.hook(info.session_id)
    if found is None:
        return json(NotThere(error="this session has no webhook of its own"), status=404)
    return json(_seen(*found))


async def _drop(context: Context, request: Request, identity: Identity) -> Response:
    _check_backend(identity)
    info = await seen_session(context, request, identity)
    return json(Removed(removed=await context.deliveries.drop_hook(info.session_id)))


async def _letters(context: Context, request: Request, identity: Identity) -> Response:
    del identity
    given = request.query_params.get("before", "")
    if given and not _is_number(given):
        raise Refused(Problem(code=Code.BAD_MESSAGE, message="`before` has to be the id of a dead letter"))
    found = await context.deliveries.letters(before=int(given) if given else None, limit=LISTED)
    last = found[-1].number if len(found) == LISTED else None
    return json(Letters(dead_letters=[_letter(one) for one in found], next=last))


async def _redeliver(context: Context, request: Request, identity: Identity) -> Response:
    del identity
    number = _number(request)
    answered = None if number is None else await context.deliveries.redeliver(number)
    if answered is None:
        return _no_letter()
    return json(Redelivered(delivered=not answered.error, error=answered.error))


async def _discard(context: Context, request: Request, identity: Identity) -> Response:
    del identity
    number = _number(request)
    if number is None or not await context.deliveries.discard(number):
        return _no_letter()
    return json(Removed(removed=True))


def _check_backend(identity: Identity) -> None:
    if not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="only an API key may name an address for webhooks"))


def _hook(context: Context, asked: WebhookAsked | Problem) -> Hook:
    if isinstance(asked, Problem):
        raise Refused(asked)
    settings = context.settings.webhooks
    fault = fault_of(asked.url, allow_http=settings.allow_http)
    if fault is not None:
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=f"the url {fault}", path="$.url"))
    secret = asked.secret or settings.secret
    if not secret:
        message = "a secret is needed to sign with: give one here, or set webhooks.secret"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message, path="$.secret"))
    return Hook(url=asked.url, secret=secret, kinds=asked.kinds)


def _seen(hook: Hook, cursor: Cursor) -> WebhookSeen:
    return WebhookSeen(
        url=hook.url,
        kinds=hook.kinds,
        sequence=cursor.seq,
        waiting=cursor.due_ms is not None,
        failures=cursor.failures,
        error=cursor.error,
        next_attempt_at=cursor.due_ms,
    )


def _letter(letter: DeadLetter) -> LetterSeen:
    return LetterSeen(
        id=letter.number,
        session_id=letter.session_id,
        sequence=letter.seq,
        type=letter.kind,
        webhook=letter.hook,
        attempts=letter.failures,
        error=letter.error,
        happened_at=letter.at_ms,
        failed_at=letter.failed_ms,
    )


def _number(request: Request) -> int | None:
    given: str = request.path_params["number"]
    return int(given) if _is_number(given) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len(str(2**53))


def _no_letter() -> Response:
    return json(NotThere(error="there is no such dead letter"), status=404)


OPERATIONS = (
    Operation(
        method="PUT",
        path="/api/sessions/{session_id}/webhook",
        summary="Give a session a webhook of its own, or change it; opens a session that is new. For backends.",
        handler=_set,
        scope="sessions:write",
        body=Body(shape=WebhookAsked),
        parameters=(SUBJECT,),
        answers=((200, Body(shape=WebhookSeen)),),
        problems=(404,),
        audited="webhook.set",
    ),
    Operation(
        method="GET",
        path="/api/sessions/{session_id}/webhook",
        summary="A session's own webhook, and how far it has come. For backends.",
        handler=_show,
        scope="sessions:read",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=WebhookSeen)), (404, Body(shape=NotThere))),
        problems=(404,),
    ),
    Operation(
        method="DELETE",
        path="/api/sessions/{session_id}/webhook",
        summary="Remove a session's own webhook; what waits for it is not sent. For backends.",
        handler=_drop,
        scope="sessions:write",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=Removed)),),
        problems=(404,),
        audited="webhook.removed",
    ),
    Operation(
        method="GET",
        path="/api/webhooks/dead-letters",
        summary="What could not be delivered, newest first.",
        handler=_letters,
        scope="admin",
        parameters=(
            Parameter(
                name="before",
                place="query",
                about="Only those with an id below this.",
                shape={"type": "integer", "minimum": 0},
            ),
        ),
        answers=((200, Body(shape=Letters)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/webhooks/dead-letters/{number}/redeliver",
        summary="Send a dead letter once more, now.",
        handler=_redeliver,
        scope="admin",
        answers=((200, Body(shape=Redelivered)), (404, Body(shape=NotThere))),
        audited="webhook.redelivered",
    ),
    Operation(
        method="DELETE",
        path="/api/webhooks/dead-letters/{number}",
        summary="Remove a dead letter.",
        handler=_discard,
        scope="admin",
        answers=((200, Body(shape=Removed)), (404, Body(shape=NotThere))),
        audited="webhook.discarded",
    ),
)
"""The addresses of webhooks."""
