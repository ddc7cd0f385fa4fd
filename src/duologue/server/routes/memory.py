"""What is remembered of people over JSON: they see it, delete it, take it with them and switch it off."""

from typing import TYPE_CHECKING, get_args

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.memory import MemoryKind
from duologue.ports.memory import Forget, Page, Remembered
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body
from duologue.server.looking.scope import seen_session
from duologue.server.operations import Body, Operation, Parameter
from duologue.server.routes.guard import guarded_routes, json

if TYPE_CHECKING:
    from duologue.runtime.memory.remembering import Remembering

WISH_BYTES = 1_024
"""Largest body of a wish: one member."""


def routes(context: Context) -> list[Route]:
    """The addresses of memory."""
    return guarded_routes(context, context.chat, OPERATIONS)


class MemoryRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One memory. Times in ms since 1970.

    Attributes:
        importance: 0 to 1.
        key: what it is about; of two with the same key the later one is true.
        session_id: where it was learnt or last said again.
        created_ms: when it was first learnt.
        at_ms: when it was learnt or last said again.
        recalled_ms: when an answer was last given it.
        recalls: how often.
        expires_ms: when it goes by itself.
    """

    memory_id: str
    kind: MemoryKind
    text: str
    importance: float
    key: str = ""
    session_id: str
    turn: int
    created_ms: int
    at_ms: int
    recalled_ms: int | None = None
    recalls: int = 0
    expires_ms: int | None = None


class MemoryList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A page of a person's memories, the latest first.

    Attributes:
        next: give it back as `after` for the page that follows; `null` where none does.
        remembers: whether more is kept of them.
        count: all that are kept of them; for a token for one session, all that came from it.
    """

    subject: str
    memories: list[MemoryRow]
    next: str | None
    remembers: bool
    count: int


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Whether more is to be remembered."""

    remembers: bool


class Forgotten(msgspec.Struct, frozen=True, kw_only=True):
    """How many memories were removed."""

    forgotten: int


def _person(request: Request, identity: Identity) -> str:
    """Whose memories are asked for.

    Raises:
        Refused: those of somebody else.
    """
    wanted = request.query_params.get("subject") or identity.subject
    if wanted != identity.subject and not identity.is_backend:
        raise Refused(Problem(code=Code.FORBIDDEN, message="people may only see what is remembered of them"))
    return wanted


def _remembering(context: Context) -> "Remembering":
    """What remembers.

    Raises:
        Refused: this server remembers nobody.
    """
    if context.remembering is None:
        message = "this server remembers nobody across sessions (memory.enabled)"
        raise Refused(Problem(code=Code.UNSUPPORTED, message=message))
    return context.remembering


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    remembering, person = _remembering(context), _person(request, identity)
    page = _page(request, identity)
    found = await remembering.memory.listed(person, page)
    answer = MemoryList(
        subject=person,
        memories=list(map(row, found)),
        next=found[-1].memory_id if len(found) == page.limit else None,
        remembers=not await remembering.memory.is_off(person, identity.session_id),
        count=await remembering.memory.count(person, identity.session_id),
    )
    return json(answer)


def _page(request: Request, identity: Identity) -> Page:
    """Read which memories are asked for; who has a token for one session sees what came from it.

    Raises:
        Refused: they cannot be asked for so.
    """
    asked = request.query_params
    kinds: tuple[MemoryKind, ...] = get_args(MemoryKind)
    kind: MemoryKind | None = next((one for one in kinds if one == asked.get("kind")), None)
    if asked.get("kind") and kind is None:
        raise _bad(f"`kind` has to be one of {', '.join(kinds)}")
    text = asked.get("q", "")
    if len(text) > limits.SEARCH_CHARS:
        raise _bad(f"`q` has to have at most {limits.SEARCH_CHARS} characters", limit=limits.SEARCH_CHARS)
    limit = asked.get("limit", "")
    most = limits.MEMORY_LISTED
    if limit and not (limit.isascii() and limit.isdigit() and len(limit) <= 6 and 1 <= int(limit) <= most):
        raise _bad(f"`limit` has to be a number from 1 to {most}", limit=most)
    return Page(
        kind=kind,
        session_id=identity.session_id or asked.get("session") or None,
        after=asked.get("after") or None,
        text=text,
        limit=int(limit) if limit else most,
    )


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    return json(row(await _found(context, request, identity)))


async def _found(context: Context, request: Request, identity: Identity) -> Remembered:
    memory_id = request.path_params["memory_id"]
    found = await _remembering(context).memory.get(_person(request, identity), memory_id)
    if found is None or identity.session_id not in (None, found.session_id):
        raise Refused(Problem(code=Code.MEMORY_UNKNOWN, message=f"there is no memory {memory_id[:64]!r}"))
    return found


async def _delete(context: Context, request: Request, identity: Identity) -> Response:
    found = await _found(context, request, identity)
    forget = Forget(memory_ids=(found.memory_id,))
    return json(Forgotten(forgotten=await _remembering(context).forget(_person(request, identity), forget)))


async def _delete_all(context: Context, request: Request, identity: Identity) -> Response:
    remembering, person = _remembering(context), _person(request, identity)
    if identity.session_id is None:
        return json(Forgotten(forgotten=await remembering.forget(person, Forget(everything=True))))
    # A token for one session is for what came from it; pages of it, until none is left.
    page, forgotten = Page(session_id=identity.session_id, limit=limits.MEMORY_LISTED), 0
    while found := await remembering.memory.listed(person, page):
        forget = Forget(memory_ids=tuple(one.memory_id for one in found))
        forgotten += await remembering.forget(person, forget)
    return json(Forgotten(forgotten=forgotten))


async def _export(context: Context, request: Request, identity: Identity) -> Response:
    """All of it in one answer; there are at most some thousand of a sentence each."""
    remembering, person = _remembering(context), _person(request, identity)
    rows: list[MemoryRow] = []
    page = Page(session_id=identity.session_id, limit=limits.MEMORY_LISTED)
    while found := await remembering.memory.listed(person, page):
        rows += map(row, found)
        page = msgspec.structs.replace(page, after=found[-1].memory_id)
    answer = MemoryList(
        subject=person,
        memories=rows,
        next=None,
        remembers=not await remembering.memory.is_off(person),
        count=len(rows),
    )
    return json(answer, headers={"Content-Disposition": 'attachment; filename="memories.json"'})


async def _wish(context: Context, request: Request, identity: Identity) -> Response:
    remembering, person = _remembering(context), _person(request, identity)
    if identity.session_id is not None:
        raise Refused(Problem(code=Code.FORBIDDEN, message="a token for one session may switch off that session alone"))
    wish = await _read_wish(request)
    await remembering.memory.set_off("person", person, off=not wish.remembers)
    return json(wish)


async def _wish_for_session(context: Context, request: Request, identity: Identity) -> Response:
    remembering = _remembering(context)
    info = await seen_session(context, request, identity)
    wish = await _read_wish(request)
    await remembering.memory.set_off("session", info.session_id, off=not wish.remembers)
    return json(wish)


async def _read_wish(request: Request) -> Wish:
    body = await read_body(request, limit=WISH_BYTES)
    try:
        return msgspec.json.decode(body, type=Wish)
    except msgspec.MsgspecError as error:
        raise _bad('send {"remembers": true} or {"remembers": false}') from error


def row(memory: Remembered) -> MemoryRow:
    """A memory as it is shown."""
    return MemoryRow(
        memory_id=memory.memory_id,
        kind=memory.kind,
        text=memory.text,
        importance=memory.importance,
        key=memory.key,
        session_id=memory.session_id,
        turn=memory.turn,
        created_ms=memory.created_ms,
        at_ms=memory.at_ms,
        recalled_ms=memory.recalled_ms or None,
        recalls=memory.recalls,
        expires_ms=memory.expires_ms,
    )


def _bad(message: str, *, limit: int | None = None) -> Refused:
    return Refused(Problem(code=Code.BAD_MESSAGE, message=message, limit=limit))


_WHOSE = Parameter(name="subject", place="query", about="Whose; another's only for backends.", shape={"type": "string"})

OPERATIONS = (
    Operation(
        method="GET",
        path="/api/memory",
        summary="List what is remembered of a person, the latest first, or search in it.",
        handler=_list,
        scope="sessions:read",
        parameters=(
            _WHOSE,
            Parameter(
                name="q",
                place="query",
                about="Words that a memory has to hold, in whatever form and case.",
                shape={"type": "string", "maxLength": limits.SEARCH_CHARS},
            ),
            Parameter(
                name="kind",
                place="query",
                about="Of which kind.",
                shape={"enum": list(get_args(MemoryKind))},
            ),
            Parameter(name="session", place="query", about="From which session.", shape={"type": "string"}),
            Parameter(name="after", place="query", about="The `next` of the page before.", shape={"type": "string"}),
            Parameter(
                name="limit",
                place="query",
                about="Most memories of the page.",
                shape={"type": "integer", "minimum": 1, "maximum": limits.MEMORY_LISTED},
            ),
        ),
        answers=((200, Body(shape=MemoryList)),),
        problems=(400,),
    ),
    Operation(
        method="PUT",
        path="/api/memory",
        audited="memory.switched",
        summary="Say whether more is to be remembered of a person. What is kept stays until it is deleted, and unused.",
        handler=_wish,
        scope="sessions:write",
        parameters=(_WHOSE,),
        body=Body(shape=Wish),
        answers=((200, Body(shape=Wish)),),
        problems=(400,),
    ),
    Operation(
        method="DELETE",
        path="/api/memory",
        audited="memory.deleted",
        summary="Forget all that is remembered of a person, beyond recovery.",
        handler=_delete_all,
        scope="sessions:delete",
        parameters=(_WHOSE,),
        answers=((200, Body(shape=Forgotten)),),
        problems=(400,),
    ),
    Operation(
        method="GET",
        path="/api/memory/export",
        audited="memory.exported",
        summary="All that is remembered of a person.",
        handler=_export,
        scope="sessions:read",
        parameters=(_WHOSE,),
        answers=((200, Body(shape=MemoryList)),),
        problems=(400,),
    ),
    Operation(
        method="GET",
        path="/api/memory/{memory_id}",
        summary="Show one memory.",
        handler=_show,
        scope="sessions:read",
        parameters=(_WHOSE,),
        answers=((200, Body(shape=MemoryRow)),),
        problems=(400, 404),
    ),
    Operation(
        method="DELETE",
        path="/api/memory/{memory_id}",
        audited="memory.deleted",
        summary="Forget one memory, beyond recovery.",
        handler=_delete,
        scope="sessions:delete",
        parameters=(_WHOSE,),
        answers=((200, Body(shape=Forgotten)),),
        problems=(400, 404),
    ),
    Operation(
        method="PUT",
        path="/api/sessions/{session_id}/memory",
        audited="memory.switched",
        summary="Say whether anything is to be remembered of a session, and recalled in it.",
        handler=_wish_for_session,
        scope="sessions:write",
        body=Body(shape=Wish),
        answers=((200, Body(shape=Wish)),),
        problems=(400, 404),
    ),
)
"""The addresses of memory, the only list of them."""
