"""Handoffs over JSON: the list, what operators do, and what their pages are told as it happens."""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from duologue.engine.bundle import make_bundle
from duologue.model import jsonwire, limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import SupervisorNoted
from duologue.model.handoff import HandOff
from duologue.model.replies import Repeated
from duologue.ports.store import SessionInfo
from duologue.runtime.cursor import check_place
from duologue.runtime.desk.acting import Acting, Done
from duologue.runtime.desk.desk import NOBODY, Desk
from duologue.runtime.desk.entries import Entry, session_of
from duologue.runtime.desk.feed import Reader
from duologue.runtime.desk.news import Everything, HandoffRow, OperatorRow, WordRow, operator_row, row, word_row
from duologue.runtime.desk.rules import Card
from duologue.server.approvals_told import with_approvals
from duologue.server.auth import Identity
from duologue.server.context import Context, read_body, resume_point
from duologue.server.desk import card_of
from duologue.server.looking.frames import choose, lines, protocols, read_events
from duologue.server.looking.scope import seen_session
from duologue.server.operations import EVENT_STREAM, JSON_LINES, RESUME, SUBJECT, Body, Json, Operation, Parameter
from duologue.server.routes.guard import NO_STORE, guarded_routes, json
from duologue.transports.sse import EventStream, NewsStream

B = TypeVar("B")

_encode: Final = msgspec.json.Encoder().encode

Reason = Annotated[str, Meta(max_length=limits.HANDOFF_REASON_CHARS)]
Skill = Annotated[str, Meta(min_length=1, max_length=64)]
Skills = Annotated[tuple[Skill, ...], Meta(max_length=limits.HANDOFF_SKILLS)]
Priority = Annotated[int, Meta(ge=-limits.HANDOFF_PRIORITY, le=limits.HANDOFF_PRIORITY)]
SessionId = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]


def routes(context: Context) -> list[Route]:
    """The addresses of handoffs."""
    return guarded_routes(context, context.chat, OPERATIONS)


class _Asked(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The base of what is asked."""


class HandoffAsked(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That a conversation passes on: to people, or with `bot_to_bot` to another agent.

    Attributes:
        target: a queue, an agent, or `operator:` and an operator's id; empty leaves it to the rules.
        skills: what who takes it should be able to do.
        priority: 0 is usual; higher ones are taken first.
        summary: what was done so far, in place of the extract.
    """

    session_id: SessionId
    reason: Reason = "a human was asked for"
    transfer: Literal["bot_to_human", "warm", "blind", "bot_to_bot"] = "bot_to_human"
    target: Reason = ""
    skills: Skills = ()
    priority: Priority = 0
    summary: Reason = ""


class TakeOver(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """That the caller takes a conversation which nobody has passed on."""

    session_id: SessionId
    reason: Reason = ""


class Words(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What an operator says; a repeat of `messageId` is not said twice."""

    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]
    message_id: Annotated[str, Meta(max_length=limits.REQUEST_ID_CHARS)] = ""


class Aside(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A word between an operator and a supervisor; the person never sees it."""

    text: Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]


class Note(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What the agent is told when it has the conversation again, as data."""

    note: Reason = ""


class Why(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Why."""

    reason: Reason = ""


class PassedOn(_Asked, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """To whom an operator passes a conversation on: blind at once, the others once somebody has taken it.

    Attributes:
        target: a queue, an agent, or `operator:` and an operator's id; empty leaves it to the rules.
    """

    transfer: Literal["blind", "warm", "human_to_human", "bot_to_bot"]
    reason: Reason = ""
    target: Reason = ""
    skills: Skills = ()
    priority: Priority = 0


class HandoffList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Handoffs: those that wait first, in the order in which they are taken; and who is there."""

    handoffs: tuple[HandoffRow, ...]
    operators: tuple[OperatorRow, ...]
    me: OperatorRow


class HandoffSeen(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A handoff with its context bundle as of now, and what was said beside the conversation."""

    handoff: HandoffRow
    bundle: Json
    words: tuple[WordRow, ...]


class HandoffDone(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A handoff as it stands after what was done; `repeated`: it had been done before."""

    handoff: HandoffRow
    repeated: bool = False


def _desk(context: Context) -> Desk:
    """The desk.

    Raises:
        Refused: there is none.
    """
    if context.hub.desk is None:
        raise Refused(Problem(code=Code.UNSUPPORTED, message=f"{NOBODY}: handoff.enabled is false"))
    return context.hub.desk


def _card(context: Context, identity: Identity) -> Card:
    return card_of(identity, context.settings.handoff)


async def _read(context: Context, request: Request, kind: type[B]) -> B:
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    asked = jsonwire.read(body or b"{}", msgspec.json.Decoder(kind))
    if isinstance(asked, Problem):
        raise Refused(asked)
    return asked


def _done(done: Done) -> Response:
    return json(HandoffDone(handoff=row(done.entry), repeated=isinstance(done.reply, Repeated)))


def _order(entry: Entry) -> tuple[object, ...]:
    """Who waits first, as they are taken; then who is with somebody, the latest first."""
    waits = entry.status in ("requested", "queued")
    return (not waits, entry.queue if waits else "", entry.position if waits else -entry.requested_ms)


def _everything(desk: Desk, me: Card) -> Everything:
    return Everything(
        handoffs=tuple(row(entry) for entry in sorted(desk.room.entries.values(), key=_order)),
        operators=_operators(desk),
        me=_me(desk, me),
    )


def _operators(desk: Desk) -> tuple[OperatorRow, ...]:
    there = desk.staff.there(desk.clock.now_ms())
    return tuple(operator_row(card, has=len(desk.room.held_by(card.operator_id))) for card in there)


def _me(desk: Desk, card: Card) -> OperatorRow:
    return operator_row(card, has=len(desk.room.held_by(card.operator_id)))


async def _list(context: Context, request: Request, identity: Identity) -> Response:
    desk, me = _desk(context), _card(context, identity)
    Acting(desk).seen(me)
    match request.query_params.get("state", "open"):
        case "open":
            found = sorted(desk.room.entries.values(), key=_order)
        case "ended":
            found = list(reversed(desk.room.ended.values()))
        case _:
            raise Refused(Problem(code=Code.BAD_MESSAGE, message="`state` has to be open or ended"))
    return json(
        HandoffList(handoffs=tuple(map(row, found)), operators=_operators(desk), me=_me(desk, me)),
    )


async def _events(context: Context, request: Request, identity: Identity) -> Response:
    """What happens at the desk, as it happens; and what waits for a decision, for who may decide."""
    del request
    desk, me = _desk(context), _card(context, identity)
    decides = "approvals:decide" in identity.scopes

    @contextmanager
    def place() -> Generator[None]:
        with desk.feed.reader(decides=decides) as reader, desk.staff.page(me, desk.clock.now_ms):
            readers.append(reader)
            desk.tell_staff()
            yield
        desk.tell_staff()

    readers: list[Reader] = []

    def everything() -> bytes:
        told = _everything(desk, me)
        return _encode(with_approvals(told, context.tooling.approvals) if decides else told)

    async def news() -> bytes | None:
        return await readers[0].next(everything)

    return NewsStream(news, place=place(), beat_ms=context.settings.server.heartbeat_ms)


async def _show(context: Context, request: Request, identity: Identity) -> Response:
    desk, me = _desk(context), _card(context, identity)
    Acting(desk).seen(me)
    entry = _find(desk, request)
    session = await context.hub.reach(entry.session_id)
    handoff = session.state.handoff.find(entry.handoff_id)
    asked = HandOff(reason=entry.reason, transfer=entry.transfer) if handoff is None else handoff.asked
    bundle = make_bundle(session.state, asked, handoff_id=entry.handoff_id)
    if context.remembering is not None:
        # Added here and not in the journal, so that it can be forgotten.
        gist = await context.remembering.gist(session.state.subject, entry.session_id)
        bundle = {**bundle, "memory": gist}
    return json(
        HandoffSeen(
            handoff=row(entry),
            bundle=bundle,
            words=await _words(context, entry),
        )
    )


async def _words(context: Context, entry: Entry) -> tuple[WordRow, ...]:
    """What was said beside a conversation, from its journal."""
    info = await context.hub.store.info(entry.session_id)
    if info is None:
        return ()
    found: list[WordRow] = []
    async for events in read_events(context.hub.store, info, after=info.first_seq - 1, last=info.last_seq):
        found += [word_row(event) for event in events if isinstance(event, SupervisorNoted)]
    return tuple(found[-limits.HANDOFF_NOTES :])


async def _conversation(context: Context, request: Request, identity: Identity) -> Response:
    """The conversation of a handoff, event by event: up to now, or as a stream that goes on."""
    desk, me = _desk(context), _card(context, identity)
    Acting(desk).seen(me)
    entry = _find(desk, request)
    looking = choose(protocols(context), request.query_params.get("protocols", ""), all_of_it=True, others=True)
    after = resume_point(request)
    info = await _info(context, entry)
    if EVENT_STREAM in request.headers.get("accept", ""):
        session = await context.hub.reach(entry.session_id)
        check_place(session, after)
        cursor = context.hub.follow(session, dialect=looking, after=after)
        return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)
    written = lines(context.hub.store, info, looking, after=after, limit=None)
    return StreamingResponse(written, media_type=JSON_LINES, headers=NO_STORE)


async def _info(context: Context, entry: Entry) -> SessionInfo:
    info = await context.hub.store.info(entry.session_id)
    if info is None:
        raise Refused(Problem(code=Code.HANDOFF_UNKNOWN, message="the session of this handoff was removed"))
    return info


def _find(desk: Desk, request: Request) -> Entry:
    handoff_id: str = request.path_params["handoff_id"]
    entry = desk.room.find(handoff_id)
    if entry is None:
        raise Refused(Problem(code=Code.HANDOFF_UNKNOWN, message=f"there is no handoff {handoff_id[:300]!r}"))
    return entry


async def _request(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /api/handoffs`: for the person whose session it is, or a backend."""
    desk = _desk(context)
    asked = await _read(context, request, HandoffAsked)
    request.path_params["session_id"] = asked.session_id
    await seen_session(context, request, identity)
    wanted = HandOff(
        reason=asked.reason,
        transfer=asked.transfer,
        target=asked.target,
        skills=asked.skills,
        priority=asked.priority if identity.is_backend else 0,
        summary=asked.summary,
    )
    cause = "api" if identity.is_backend else "person"
    done = await Acting(desk).request(asked.session_id, wanted, cause=cause, by=identity.name or identity.subject)
    return json(HandoffDone(handoff=row(done.entry)), status=201)


async def _withdraw(context: Context, request: Request, identity: Identity) -> Response:
    """`DELETE /api/handoffs/{id}`: the person does not want it any more."""
    desk = _desk(context)
    handoff_id: str = request.path_params["handoff_id"]
    request.path_params["session_id"] = session_of(handoff_id)
    await seen_session(context, request, identity)
    return _done(await Acting(desk).cancel(handoff_id, by=identity.subject, reason="not wanted any more"))


async def _take_over(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, TakeOver)
    card = _card(context, identity)
    return _done(await Acting(_desk(context)).take_over(asked.session_id, card, reason=asked.reason))


_Act = Callable[[Acting, str, Card], Awaitable[Done]]


def _plain(act: _Act) -> Callable[[Context, Request, Identity], Awaitable[Response]]:
    """What an operator does without saying more."""

    async def handle(context: Context, request: Request, identity: Identity) -> Response:
        handoff_id: str = request.path_params["handoff_id"]
        return _done(await act(Acting(_desk(context)), handoff_id, _card(context, identity)))

    return handle


async def _say(context: Context, request: Request, identity: Identity) -> Response:
    words = await _read(context, request, Words)
    acting, card = Acting(_desk(context)), _card(context, identity)
    return _done(await acting.say(request.path_params["handoff_id"], card, words.text, message_id=words.message_id))


async def _hand_back(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, Note)
    acting, card = Acting(_desk(context)), _card(context, identity)
    return _done(await acting.hand_back(request.path_params["handoff_id"], card, note=asked.note))


async def _resolve(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, Note)
    acting, card = Acting(_desk(context)), _card(context, identity)
    return _done(await acting.resolve(request.path_params["handoff_id"], card, note=asked.note))


async def _transfer(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, PassedOn)
    card = _card(context, identity)
    passed = HandOff(
        reason=asked.reason or f"passed on by {card.name}",
        transfer=asked.transfer,
        target=asked.target,
        skills=asked.skills,
        priority=asked.priority,
    )
    return _done(await Acting(_desk(context)).transfer(request.path_params["handoff_id"], card, passed))


async def _consult(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, Aside)
    acting, card = Acting(_desk(context)), _card(context, identity)
    return _done(await acting.consult(request.path_params["handoff_id"], card, asked.text))


async def _cancel(context: Context, request: Request, identity: Identity) -> Response:
    asked = await _read(context, request, Why)
    card = _card(context, identity)
    acting = Acting(_desk(context))
    acting.seen(card)
    return _done(await acting.cancel(request.path_params["handoff_id"], by=card.operator_id, reason=asked.reason))


def _asked(name: str, about: str, shape: Json) -> Parameter:
    return Parameter(name=name, place="query", about=about, shape=shape)


def _act(
    name: str,
    summary: str,
    handler: Callable[[Context, Request, Identity], Awaitable[Response]],
    *,
    body: type[msgspec.Struct] | None = None,
    required: bool = False,
) -> Operation:
    """What an operator does with a handoff."""
    return Operation(
        method="POST",
        path=f"/api/handoffs/{{handoff_id}}/{name}",
        summary=summary,
        handler=handler,
        scope="operate",
        body=None if body is None else Body(shape=body, required=required),
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited=f"handoff.{name}",
    )


OPERATIONS = (
    Operation(
        method="GET",
        path="/api/handoffs",
        summary="List handoffs: who waits, in the order in which they are taken, and who is with whom.",
        handler=_list,
        scope="operate",
        parameters=(
            SUBJECT,
            _asked("state", "Which ones.", {"enum": ["open", "ended"], "default": "open"}),
        ),
        answers=((200, Body(shape=HandoffList)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/handoffs",
        summary="Ask that a conversation passes on: for the person whose it is, and backends.",
        handler=_request,
        scope="sessions:write",
        body=Body(shape=HandoffAsked),
        parameters=(SUBJECT,),
        answers=((201, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited="handoff.requested",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/events",
        summary="What happens at the desk, as it happens; everything first. Who may decide is told of approvals too.",
        handler=_events,
        scope="operate",
        parameters=(SUBJECT,),
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(400,),
    ),
    Operation(
        method="POST",
        path="/api/handoffs/take-over",
        summary="Take a conversation that nobody has passed on.",
        handler=_take_over,
        scope="operate",
        body=Body(shape=TakeOver),
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(400, 404, 409),
        audited="handoff.take-over",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/{handoff_id}",
        summary="A handoff with its context bundle, and what was said beside the conversation.",
        handler=_show,
        scope="operate",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffSeen)),),
        problems=(404,),
        audited="handoff.read",
    ),
    Operation(
        method="DELETE",
        path="/api/handoffs/{handoff_id}",
        summary="Withdraw it before somebody has taken it: for the person whose it is, and backends.",
        handler=_withdraw,
        scope="sessions:write",
        parameters=(SUBJECT,),
        answers=((200, Body(shape=HandoffDone)),),
        problems=(404, 409),
        audited="handoff.withdrawn",
    ),
    Operation(
        method="GET",
        path="/api/handoffs/{handoff_id}/conversation",
        summary="The conversation, each event with the frames that protocols make of it: up to now, or as a stream.",
        handler=_conversation,
        scope="operate",
        parameters=(
            *RESUME,
            SUBJECT,
            _asked("protocols", "Names of protocols, divided by commas.", {"type": "string"}),
        ),
        answers=((200, Body(media_type=JSON_LINES)), (200, Body(media_type=EVENT_STREAM))),
        problems=(400, 404, 410),
        audited="handoff.read",
    ),
    _act("connect", "Read before taking it; it is kept for the caller for a while.", _plain(Acting.connect)),
    _act("take", "Have the conversation from now on; the agent's answer ends.", _plain(Acting.take)),
    _act("hold", "Put the person on hold.", _plain(Acting.hold)),
    _act("resume", "Come back from a hold.", _plain(Acting.resume)),
    _act("say", "Say something to the person.", _say, body=Words, required=True),
    _act("hand-back", "Give the conversation back to the agent, which answers what nobody has.", _hand_back, body=Note),
    _act("transfer", "Pass the conversation on to others.", _transfer, body=PassedOn, required=True),
    _act("consult", "Ask a supervisor beside the conversation, or answer.", _consult, body=Aside, required=True),
    _act("resolve", "Be done with it; the conversation is the agent's again.", _resolve, body=Note),
    _act("cancel", "Give up what nobody has taken yet.", _cancel, body=Why),
)
"""The addresses of handoffs."""
