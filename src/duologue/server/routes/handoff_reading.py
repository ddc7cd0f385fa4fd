"""What operators see of handoffs: the list, the stream of their page, one with its context bundle, a conversation."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from duologue.engine.bundle import make_bundle
from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import SupervisorNoted
from duologue.model.handoff import HandOff
from duologue.ports.store import SessionInfo
from duologue.runtime.cursor import check_place
from duologue.runtime.desk.acting import Acting
from duologue.runtime.desk.desk import Desk
from duologue.runtime.desk.entries import Entry
from duologue.runtime.desk.feed import Reader
from duologue.runtime.desk.news import Everything, WordRow, row, word_row
from duologue.runtime.desk.rules import Card
from duologue.server.approvals_told import with_approvals
from duologue.server.auth import Identity
from duologue.server.context import Context, resume_point
from duologue.server.looking.frames import choose, lines, protocols, read_events
from duologue.server.operations import EVENT_STREAM, JSON_LINES
from duologue.server.routes.guard import NO_STORE, json
from duologue.server.routes.handoff_desk import desk_of, named_in, operator_of
from duologue.server.routes.handoff_shapes import HandoffList, HandoffSeen
from duologue.transports.sse import EventStream, NewsStream

_encode: Final = msgspec.json.Encoder().encode


async def index(context: Context, request: Request, identity: Identity) -> Response:
    """`GET /api/handoffs`: what is open, or over."""
    desk, me = _seen(context, identity)
    match request.query_params.get("state", "open"):
        case "open":
            found = _open(desk)
        case "ended":
            found = list(reversed(desk.room.ended.values()))
        case _:
            raise Refused(Problem(code=Code.BAD_MESSAGE, message="`state` has to be open or ended"))
    return json(HandoffList(handoffs=tuple(map(row, found)), operators=desk.operators(), me=desk.operator(me)))


def _seen(context: Context, identity: Identity) -> tuple[Desk, Card]:
    """The desk, and who looks, who is there therefore."""
    desk, me = desk_of(context), operator_of(context, identity)
    Acting(desk).seen(me)
    return desk, me


@contextmanager
def _there(desk: Desk, me: Card) -> Generator[None]:
    """Let somebody be there, and all pages know it."""
    try:
        with desk.staff.page(me, desk.clock.now_ms):
            desk.tell_staff()
            yield
    finally:
        desk.tell_staff()


def _open(desk: Desk) -> list[Entry]:
    """Who waits first, as they are taken; then who is with somebody, the latest first."""

    def order(entry: Entry) -> tuple[object, ...]:
        waits = entry.status in ("requested", "queued")
        return (not waits, *((entry.queue, entry.position, entry.turn) if waits else (-entry.requested_ms,)))

    return sorted(desk.room.entries.values(), key=order)


async def events(context: Context, request: Request, identity: Identity) -> Response:
    """What happens at the desk, as it happens; and what waits for a decision, for who may decide."""
    del request
    desk, me = desk_of(context), operator_of(context, identity)
    decides = "approvals:decide" in identity.scopes

    @contextmanager
    def place() -> Generator[None]:
        with desk.feed.reader(decides=decides) as reader, _there(desk, me):
            readers.append(reader)
            yield

    readers: list[Reader] = []

    def everything() -> bytes:
        told = Everything(handoffs=tuple(map(row, _open(desk))), operators=desk.operators(), me=desk.operator(me))
        return _encode(with_approvals(told, context.tooling.approvals) if decides else told)

    async def news() -> bytes | None:
        return await readers[0].next(everything)

    return NewsStream(news, place=place(), beat_ms=context.settings.server.heartbeat_ms)


async def show(context: Context, request: Request, identity: Identity) -> Response:
    desk, _ = _seen(context, identity)
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


async def conversation(context: Context, request: Request, identity: Identity) -> Response:
    """The conversation of a handoff, event by event: up to now, or as a stream that goes on."""
    desk, me = _seen(context, identity)
    entry = _find(desk, request)
    looking = choose(protocols(context), request.query_params.get("protocols", ""), all_of_it=True, others=True)
    after = resume_point(request)
    info = await _info(context, entry)
    if EVENT_STREAM in request.headers.get("accept", ""):
        session = await context.hub.reach(entry.session_id)
        check_place(session, after)
        cursor = context.hub.follow(session, dialect=looking, after=after, aside=True)
        beat_ms = context.settings.server.heartbeat_ms
        return EventStream(cursor, beat_ms=beat_ms, place=_there(desk, me))
    written = lines(context.hub.store, info, looking, after=after, limit=None)
    return StreamingResponse(written, media_type=JSON_LINES, headers=NO_STORE)


async def _info(context: Context, entry: Entry) -> SessionInfo:
    info = await context.hub.store.info(entry.session_id)
    if info is None:
        raise Refused(Problem(code=Code.HANDOFF_UNKNOWN, message="the session of this handoff was removed"))
    return info


def _find(desk: Desk, request: Request) -> Entry:
    handoff_id = named_in(request)
    entry = desk.room.find(handoff_id)
    if entry is None:
        raise Refused(Problem(code=Code.HANDOFF_UNKNOWN, message=f"there is no handoff {handoff_id[:300]!r}"))
    return entry
