"""AG-UI over HTTP: a run as server-sent events, and its cancel.

A thread is a session, a run is a turn, and the client's id of the run names the turn. A run goes on when its client
leaves; the same run asked for again is the same run, from its begin or from behind `Last-Event-ID`.
"""

import asyncio

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
from duologue.model.events import (
    ActingEvent,
    AnyEvent,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    TextCompleted,
    TextStarted,
)
from duologue.model.inputs import CancelRequested, UserTurn
from duologue.model.replies import Accepted, Rejected, Repeated
from duologue.ports.store import Store
from duologue.protocols.agui import AguiDialect, Cancel, InlineFile, Run, decode_cancel, decode_run, frames, wire
from duologue.runtime import files
from duologue.runtime.cursor import Frame, OpenedCursor, check_place
from duologue.runtime.session import LiveSession
from duologue.server import uploads
from duologue.server.auth import Identity
from duologue.server.context import Context, check_session, read_body, resume_point
from duologue.server.operations import EVENT_STREAM, RESUME, Body, Operation
from duologue.server.routes.guard import NO_STORE, guarded_routes, json, refusal
from duologue.transports.sse import EventStream
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
        return await _stand(context, run, identity=identity, body=body)
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
    began, open_message, last, decided = await _place(context, session, turn=turn, seq=seq, after=after)
    history = before(session.state, turn)
    if asked is not None:
        history += said_in(asked)
    opening = context.dialect(AguiDialect).opening(
        began, history=history, body=body, always=resumes or asked is not None, open_message=open_message
    )
    cursor = RunCursor(
        session,
        dialect=context.dialect(AguiDialect),
        store=context.hub.store,
        after=last,
        only_turn=turn,
        first=[(last, frame) for frame in (opening[0], *decided, *opening[1:])],
        history=history,
        body=body,
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
    ) -> None:
        super().__init__(session, dialect=dialect, store=store, after=after, only_turn=only_turn, first=first)
        self._agui, self._history, self._body = dialect, history, body

    def written(self, events: list[AnyEvent]) -> list[Frame]:
        """Put events into words. Where a better answer begins, the poorer one is taken back."""
        if not any(_replaces(event) for event in events):
            return super().written(events)
        frames: list[Frame] = []
        for event in events:
            if _replaces(event):
                frames.append((event.seq, self._agui.void(self._history, self._body, at_ms=event.at_ms)))
            else:
                frames += super().written([event])
        return frames


def _replaces(event: AnyEvent) -> bool:
    return isinstance(event, ResponseStarted) and bool(event.replaces)


async def _place(
    context: Context, session: LiveSession, *, turn: int, seq: int, after: int
) -> tuple[ResponseStarted, TextStarted | None, int, list[bytes]]:
    """Find a client's place in a run.

    Returns:
        The run's begin; the message in whose middle the place is; the number that it is behind:
        never that of the end, which a stream has to have; and what was decided of the turn before it began, such as
        who answers, which AG-UI has no place for before a run.
    """
    began: ResponseStarted | None = None
    open_message: TextStarted | None = None
    last = seq
    decided: list[bytes] = []
    with context.hub.follow(session, dialect=context.dialect(AguiDialect), after=seq - 1, only_turn=turn) as cursor:
        while began is None or (last < after and cursor.stop is None and cursor.seq < session.stored_seq):
            for event in await cursor.events():
                if began is None and isinstance(event, ResponseStarted):
                    began, last = event, event.seq
                elif began is None and isinstance(event, ActingEvent):
                    frame = context.dialect(AguiDialect).project(event)
                    decided += [] if frame is None else [frame]
                elif last < event.seq <= after and not _ends(event):
                    open_message, last = _opened(event, open_message), event.seq
    return began, open_message, last, decided


def _ends(event: AnyEvent) -> bool:
    """Whether it is the end of a run, or follows it."""
    match event:
        case ResponseEnded():
            return not (event.superseded or event.outcome == "replaced")
        case ResponseFailed(will_retry=will_retry):
            return not will_retry
        case _:
            return False


def _opened(event: AnyEvent, open_message: TextStarted | None) -> TextStarted | None:
    """Which message is open after an event."""
    match event:
        case TextStarted():
            return event
        case TextCompleted() | ResponseFailed():
            return None
        case _:
            return open_message


async def _stand(context: Context, run: Run, *, identity: Identity, body: bytes) -> Response:
    """Answer an input that brings nothing new: with the run that is going on, or with how things stand."""
    try:
        session = await context.hub.find(run.thread_id, subject=identity.subject)
    except Refused as refused:
        if refused.problem.code is not Code.SESSION_UNKNOWN:
            raise
        session = None
    if session is not None and (going_on := session.state.open) is not None:
        mark = next(mark for mark in session.state.marks if mark.number == going_on.number)
        await session.settled()
        return await _stream(context, session, turn=mark.number, seq=mark.seq, after=0, body=body, asked=going_on)
    history: list[Message] = [] if session is None else session.state.history
    told = context.dialect(AguiDialect).standing(
        run,
        history=history,
        asked=() if session is None else tuple(session.state.interrupts),
        waiting=() if session is None else tools.awaited(session.state),
        body=body,
        now_ms=context.hub.clock.now_ms(),
    )
    stream = b"".join(b"data: %b\n\n" % frame for frame in told)
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
