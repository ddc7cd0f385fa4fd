"""AG-UI over HTTP: a run as server-sent events, and its cancel.

A thread is a session, a run is a turn, and the client's id of the run names the turn. A run goes on when its client
leaves; the same run asked for again is the same run, from its begin or from behind `Last-Event-ID`.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from duologue.engine import tools
from duologue.engine.history import before, said_in
from duologue.engine.state import OpenTurn
from duologue.model.commands import Join
from duologue.model.content import Attachment, Message
from duologue.model.errors import Code, Problem, Refused
from duologue.model.events import AnyEvent, ResponseStarted, ToolCalled, ToolReturned
from duologue.model.inputs import CancelRequested, UserTurn
from duologue.model.replies import Accepted, Rejected, Repeated
from duologue.ports.store import Store
from duologue.protocols.agui import (
    AguiDialect,
    Cancel,
    InlineFile,
    KnownCalls,
    Run,
    decode_cancel,
    decode_run,
    frames,
    wire,
)
from duologue.runtime import files
from duologue.runtime.cursor import Frame, OpenedCursor, check_place
from duologue.runtime.session import LiveSession
from duologue.server import uploads
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.operations import EVENT_STREAM, RESUME, Body, Operation
from duologue.server.routes import agui_places
from duologue.server.routes.guard import NO_STORE, deleted, guarded_routes, json, refusal
from duologue.transports.sse import FRAME, EventStream
from duologue.transports.websocket import DECODED_HERE_BYTES


def routes(context: Context) -> list[Route]:
    """AG-UI's addresses."""
    return guarded_routes(context, context.dialect(AguiDialect), OPERATIONS)


async def _run(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /agui`: run the agent, or follow the run that was asked for before."""
    body = await read_body(request, limit=context.settings.server.frame_bytes)
    run = decode_run(body) if len(body) <= DECODED_HERE_BYTES else await asyncio.to_thread(decode_run, body)
    if isinstance(run, Problem):
        return refusal(context, context.dialect(AguiDialect), run)
    check_session(identity, run.thread_id)
    if run.turn is None:
        return await _stand(context, request, run, identity=identity, body=body)
    after = resume_point(request)
    context.gate.check(identity, "turns")
    session = await context.join(Join(session_id=run.thread_id), identity)
    said = await _with_files(context, session, run, run.turn)
    context.called(request, run.thread_id, said.request_id)
    # A photo that answers the agent comes with nothing else: its bytes are the hub's to keep.
    reply = await context.hub.submit(session, run.shown or said, protocol="agui", granted=identity.granted)
    match reply:
        case Rejected(problem=problem):
            return refusal(context, context.dialect(AguiDialect), run.as_sent(problem))
        case Repeated(seq=seq) if session.first_seq > 1 and seq <= session.first_seq:
            message = "this run is over, and what it said has been trimmed since"
            problem = Problem(code=Code.RESUME_TRIMMED, message=message, limit=session.first_seq)
            return refusal(context, context.dialect(AguiDialect), problem)
        case Accepted(turn=turn, seq=seq) | Repeated(turn=turn, seq=seq):
            check_place(session, after)
            return await _stream(
                context, session, turn=turn, seq=seq, after=after, body=body, resumes=bool(said.resume)
            )
        case _:
            raise AssertionError("a turn is never ignored")


async def _stream(
    context: Context,
    session: LiveSession,
    *,
    turn: int,
    seq: int,
    after: int,
    body: bytes,
    resumes: bool = False,
    asked: OpenTurn | None = None,
) -> Response:
    """Stream a turn as its run: a begin of this stream's own, and what follows `after`.

    Args:
        resumes: the run may return what tools gave that an earlier one asked about; its stream has to know them.
        asked: the turn itself, where its client does not show what it says.
    """
    here = await agui_places.place(context, session, turn=turn, seq=seq, after=after)
    history = before(session.state, turn)
    if asked is not None:
        history = agui_places.messages_before(session, asked) + said_in(asked)
    opening = context.dialect(AguiDialect).opening(
        here.began, history=history, body=body, always=resumes or asked is not None, open_message=here.message
    )
    cursor = RunCursor(
        session,
        dialect=context.dialect(AguiDialect),
        store=context.hub.store,
        after=here.last,
        only_turn=turn,
        first=[(here.last, frame) for frame in (opening[0], *here.told, *opening[1:])],
        history=history,
        body=body,
        deleted=partial(deleted, context, context.dialect(AguiDialect)),
    )
    return EventStream(cursor, beat_ms=context.settings.server.heartbeat_ms)


class RunCursor(OpenedCursor):
    """A cursor over one run, for a client whose messages are known.

    Args:
        history: the messages before the run's answer.
        body: the client's `RunAgentInput`.
    """

    def __init__(
        self,
        session: LiveSession,
        *,
        dialect: AguiDialect,
        store: Store,
        after: int,
        only_turn: int,
        first: list[Frame],
        history: list[Message],
        body: bytes,
        deleted: Callable[[], bytes],
    ) -> None:
        super().__init__(
            session, dialect=dialect, store=store, after=after, only_turn=only_turn, first=first, deleted=deleted
        )
        self._agui, self._history, self._body = dialect, history, body
        self._calls = KnownCalls(history)

    def written(self, events: list[AnyEvent]) -> list[Frame]:
        """Put events into words. Where a better answer begins, the poorer one is taken back."""
        if not any(isinstance(event, _OF_THIS_STREAM) for event in events):
            return super().written(events)
        frames: list[Frame] = []
        for event in events:
            match event:
                case ResponseStarted() if event.replaces:
                    frames.append((event.seq, self._agui.void(self._history, self._body, at_ms=event.at_ms)))
                case ToolCalled() | ToolReturned():
                    frames += [(event.seq, frame) for frame in self._calls.write(event)]
                case _:
                    frames += super().written([event])
        return frames


_OF_THIS_STREAM: Final = (ResponseStarted, ToolCalled, ToolReturned)
"""Events whose words depend on what else the stream has told."""


async def _stand(context: Context, request: Request, run: Run, *, identity: Identity, body: bytes) -> Response:
    """Answer an input that brings nothing new: with the run that is going on, or with how things stand."""
    try:
        session = await context.hub.find(run.thread_id, subject=identity.subject)
    except Refused as refused:
        if refused.problem.code is not Code.SESSION_UNKNOWN:
            raise
        session = None
    if session is not None and (going_on := session.state.open) is not None:
        await session.settled()
        seq = agui_places.begins(session, going_on)
        return await _stream(context, session, turn=going_on.number, seq=seq, after=0, body=body, asked=going_on)
    return await _standing(context, request, session, run=run, body=body)


async def _standing(
    context: Context, request: Request, session: LiveSession | None, *, run: Run, body: bytes
) -> Response:
    """Answer with how things stand, in a run of its own."""
    dialect, now_ms = context.dialect(AguiDialect), context.hub.clock.now_ms()
    if session is None:
        seq = 0
        told = dialect.standing(run, history=(), asked=(), waiting=(), happened=(), body=body, now_ms=now_ms)
    else:
        seq, state = session.stored_seq, session.state
        since = max(state.ended_seq, resume_point(request))
        told = dialect.standing(
            run,
            history=state.history,
            asked=tuple(state.interrupts),
            waiting=tools.awaited(state),
            happened=await agui_places.since_last_run(context, session, after=since, until=seq),
            body=body,
            now_ms=now_ms,
        )
    stream = b"".join(FRAME % (seq, frame) for frame in told)
    return Response(stream, media_type=EVENT_STREAM, headers=NO_STORE)


async def _with_files(context: Context, session: LiveSession, run: Run, said: UserTurn) -> UserTurn:
    """Store the files of a turn's message, look up its uploads, and refer to both.

    Raises:
        Refused: a file is not what it claims or too large, or there is no such upload.
    """
    if not (run.files or run.upload_ids):
        return said
    kept = [await _keep(context, session, file) for file in run.files]
    for upload_id in run.upload_ids:
        blob = await context.hub.store.get_blob(upload_id)
        if blob is None or blob.subject != session.state.subject:
            message = f"there is no upload {upload_id[:64]!r}; upload it first"
            raise Refused(Problem(code=Code.UPLOAD_UNKNOWN, message=message))
        kept.append(blob.attachment)
    return msgspec.structs.replace(said, attachments=tuple(kept))


async def _keep(context: Context, session: LiveSession, file: InlineFile) -> Attachment:
    limit = context.settings.server.upload_bytes
    if len(file.data) > limit:
        message = f"the file has {len(file.data)} bytes; at most {limit} are taken"
        raise Refused(Problem(code=Code.TOO_LARGE, message=message, limit=limit))
    state = session.state
    came = uploads.UploadedFile(
        name=f"file.{file.media_type.rpartition('/')[2]}",
        declared=file.media_type.lower(),
        data=file.data,
        session_id=state.session_id,
    )
    blob = await uploads.to_blob(
        came,
        upload_id="",
        subject=state.subject,
        session_id=state.session_id,
        now_ms=context.hub.clock.now_ms(),
        as_sent=context.settings.photos.keep_location,
    )
    upload_id = files.owned_id(
        "file", subject=state.subject, session_id=state.session_id, sha256=blob.attachment.sha256
    )
    attachment = msgspec.structs.replace(blob.attachment, upload_id=upload_id)
    await context.hub.store.put_blob(msgspec.structs.replace(blob, attachment=attachment))
    return attachment


async def _cancel(context: Context, request: Request, identity: Identity) -> Response:
    """`POST /agui/cancel`: stop a run; its stream ends with the outcome `cancelled`."""
    cancel = decode_cancel(await read_body(request, limit=context.settings.server.frame_bytes))
    if isinstance(cancel, Problem):
        return refusal(context, context.dialect(AguiDialect), cancel)
    check_session(identity, cancel.thread_id)
    session = await context.hub.find(cancel.thread_id, subject=identity.subject)
    response_id = _running(session, cancel)
    if response_id is None:
        return json(Cancelled(cancelled=False))
    reply = await context.hub.submit(session, CancelRequested(response_id=response_id))
    return json(Cancelled(cancelled=isinstance(reply, Accepted)))


def _running(session: LiveSession, cancel: Cancel) -> str | None:
    """The response that a cancel means; `None` where that run is not going on."""
    going_on = session.state.open
    if going_on is None or cancel.run_id not in (None, going_on.request_id):
        return None
    return going_on.response.response_id


class Cancelled(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether there was a run to stop."""

    cancelled: bool


OPERATIONS = (
    Operation(
        method="POST",
        path="/agui",
        summary="Run the agent (AG-UI): the input of a run, answered with the stream of its events.",
        handler=_run,
        scope="sessions:write",
        parameters=RESUME,
        body=Body(shape=wire.RunAgentInput),
        answers=((200, Body(media_type=EVENT_STREAM)),),
        problems=(404, 409, 410, 415),
        refusal=frames.RunError,
    ),
    Operation(
        method="POST",
        path="/agui/cancel",
        summary="Stop a run of a thread, or whichever is going on.",
        handler=_cancel,
        scope="sessions:write",
        body=Body(shape=wire.CancelBody),
        answers=((200, Body(shape=Cancelled)),),
        problems=(404,),
        refusal=frames.RunError,
    ),
)
"""AG-UI's addresses, the only list of them."""
