"""The sockets: those of the protocols to talk, and `/api/sessions/{id}/agent-events` to watch."""

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from typing import TypeAlias

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.ports.dialect import Dialect
from duologue.protocols.jambonz import JambonzDialect
from duologue.server.auth import SUBPROTOCOL, Identity
from duologue.server.context import Context, resume_point
from duologue.server.looking.scope import seen_session
from duologue.server.settings_auth import Scope
from duologue.transports.websocket import SocketTalk

POLICY_VIOLATION = 1008
"""Close code of a refusal. Source: RFC 6455, section 7.4.1."""

TRY_AGAIN_LATER = 1013
"""Close code of a refusal that says when to come back. Source: the registry of RFC 6455, section 11.7."""

Talk: TypeAlias = Callable[[], Awaitable[None]]


def routes(context: Context) -> list[WebSocketRoute]:
    """The sockets."""

    def at(path: str, dialect: Dialect) -> WebSocketRoute:
        async def talk(socket: WebSocket) -> None:
            await _talk(socket, context, dialect)

        return WebSocketRoute(path, talk)

    async def watch(socket: WebSocket) -> None:
        await _watch(socket, context)

    return [
        *[at(path, dialect) for path, dialect in context.sockets.items()],
        WebSocketRoute("/api/sessions/{session_id}/agent-events", watch),
    ]


async def _talk(socket: WebSocket, context: Context, dialect: Dialect) -> None:
    """One client of one session."""

    async def begin(identity: Identity) -> Talk:
        talk = _socket_talk(socket, context, dialect, identity, subject=identity.subject)
        return partial(talk.run, session_id=identity.session_id)

    await serve(
        socket, context, dialect.name, _refuse(context, dialect), begin, scopes=("sessions:read", "sessions:write")
    )


async def _watch(socket: WebSocket, context: Context) -> None:
    """What becomes of a session's turns, for a backend; the session has to exist."""
    dialect = context.dialect(JambonzDialect)

    async def begin(identity: Identity) -> Talk:
        if not identity.is_backend:
            raise Refused(Problem(code=Code.FORBIDDEN, message="only an API key may watch agent events"))
        info = await seen_session(context, socket, identity)
        join = Join(session_id=info.session_id, after=resume_point(socket))
        talk = _socket_talk(socket, context, dialect, identity, subject=info.mark.subject)
        return partial(talk.run, join=join)

    await serve(socket, context, dialect.name, _refuse(context, dialect), begin, scopes=("sessions:read",))


async def serve(
    socket: WebSocket,
    context: Context,
    protocol: str,
    refuse: Callable[[Problem], str],
    begin: Callable[[Identity], Awaitable[Talk]],
    *,
    scopes: tuple[Scope, ...],
) -> None:
    """Let a socket in and talk, or tell it why not and close it.

    Args:
        socket: not accepted yet.
        context: of the server.
        protocol: its name in figures.
        refuse: writes a problem in its words.
        begin: makes what talks; raises `Refused`.
        scopes: all that whoever comes has to be allowed.
    """
    offered = socket.headers.get("sec-websocket-protocol", "")
    subprotocol = SUBPROTOCOL if SUBPROTOCOL in [name.strip() for name in offered.split(",")] else None
    with ExitStack() as place:
        try:
            identity = await context.enter(socket, *scopes)
            place.enter_context(context.held(identity, protocol, "websocket"))
            talk = await begin(identity)
        except Refused as refused:
            problem = refused.problem
        except StoreError as error:
            problem = Problem(code=Code.STORE_FAILED, message=str(error))
        else:
            await socket.accept(subprotocol)
            await talk()
            return
    # Accepted first: only then can a browser be told why.
    await socket.accept(subprotocol)
    await socket.send_text(refuse(problem))
    await socket.close(TRY_AGAIN_LATER if problem.retry_after_ms is not None else POLICY_VIOLATION, problem.code)


def _refuse(context: Context, dialect: Dialect) -> Callable[[Problem], str]:
    def write(problem: Problem) -> str:
        return dialect.refuse(problem, request_id="", now_ms=context.hub.clock.now_ms()).decode()

    return write


def _socket_talk(
    socket: WebSocket, context: Context, dialect: Dialect, identity: Identity, *, subject: str
) -> SocketTalk:
    return SocketTalk(
        socket,
        hub=context.hub,
        dialect=dialect,
        subject=subject,
        frame_bytes=context.settings.server.frame_bytes,
        admit_session=partial(context.gate.room, identity),
        admit_turn=partial(context.gate.charge, identity, "turns"),
        calling=partial(context.calling, socket),
        pace_ms=partial(context.gate.pace_ms, identity),
        granted=identity.granted,
    )
