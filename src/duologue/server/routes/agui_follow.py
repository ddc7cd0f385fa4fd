"""AG-UI: following a thread, for who wants to see what others say and what is spoken in a call."""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.model.commands import Join
from duologue.model.errors import Problem
from duologue.model.events import AnyEvent, TurnEnded
from duologue.ports.store import Store
from duologue.protocols.agui import AguiDialect, FollowedRun, decode_run, frames, wire
from duologue.runtime.cursor import Frame, OpenedCursor
from duologue.runtime.session import LiveSession
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.operations import EVENT_STREAM, RESUME, Body, Operation
from duologue.server.routes import agui_places
from duologue.server.routes.guard import deleted, guarded_routes, refusal
from duologue.transports.sse import EventStream


def routes(context: Context) -> list[Route]:
    """The addresses."""
    return guarded_routes(context, context.dialect(AguiDialect), OPERATIONS)


async def _follow(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /agui/follow`: what happens in a thread, up to the end of a turn. It brings nothing new.

    It begins here and now, or behind the number that the client has.
    """
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    run = decode_run(body)
    if isinstance(run, Problem):
        return refusal(context, context.dialect(AguiDialect), run)
    check_session(identity, run.thread_id)
    after = resume_point(request)
    session = await context.join(Join(session_id=run.thread_id, after=after), identity)
    await session.settled()
    followed = FollowedRun(thread_id=run.thread_id, run_id=run.run_id)
    now_ms = context.hub.clock.now_ms()
    if after:
        here = await agui_places.followed(context, session, after)
        opening = followed.going_on(history=here.history, message=here.message, body=body, now_ms=now_ms)
    else:
        after, opening = _begin(session, followed, body=body, now_ms=now_ms)
    cursor = Following(
        session,
        dialect=context.dialect(AguiDialect),
        store=context.hub.store,
        after=after,
        run=followed,
        first=[(after, frame) for frame in opening],
        deleted=partial(deleted, context, context.dialect(AguiDialect)),
    )
    return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)


def _begin(session: LiveSession, followed: FollowedRun, *, body: bytes, now_ms: int) -> tuple[int, list[bytes]]:
    """Begin to follow: at the begin of a turn that is going on, else now."""
    state, going_on = session.state, session.state.open
    after = session.stored_seq if going_on is None else agui_places.begins(session, going_on) - 1
    history = state.history if going_on is None else agui_places.messages_before(session, going_on)
    in_call = state.call is not None
    return after, followed.opening(state=state.state, in_call=in_call, history=history, body=body, now_ms=now_ms)


class Following(OpenedCursor):
    """A cursor that shows all of a session as one run, until a turn has ended.

    Args:
        run: how events are written. The text of an answer is what it is in every run, so those who write it at once
            do not ask.
    """

    def __init__(
        self,
        session: LiveSession,
        *,
        dialect: AguiDialect,
        store: Store,
        after: int,
        run: FollowedRun,
        first: list[Frame],
        deleted: Callable[[], bytes],
    ) -> None:
        super().__init__(session, dialect=dialect, store=store, after=after, first=first, deleted=deleted)
        self._run = run

    def written(self, events: list[AnyEvent]) -> list[Frame]:
        """Write events, as far as the end of a turn: what follows is for the next run."""
        written: list[Frame] = []
        for event in events:
            written += [(event.seq, frame) for frame in self._run.write(event)]
            if isinstance(event, TurnEnded) and self._run.over:
                self.seq, self.stop = event.seq, "turn_ended"
                break
        return written


OPERATIONS = (
    Operation(
        method="POST",
        path="/agui/follow",
        summary="Follow a thread (AG-UI): what happens in it from here on, as one run, up to the end of a turn.",
        handler=_follow,
        scope="sessions:write",
        parameters=RESUME,
        body=Body(shape=wire.RunAgentInput),
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(404, 410, 415),
        refusal=frames.RunError,
    ),
)
"""The addresses, the only list of them."""
