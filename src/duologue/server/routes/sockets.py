"""The sockets: `WS /agentcall`, `/chat/ws` and `/ghost` to talk, `/api/sessions/{id}/agent-events` to watch."""

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.ports.dialect import Dialect
from duologue.server.auth import SUBPROTOCOL, Identity
from duologue.server.context import Context, owner_of, resume_point
from duologue.server.settings_auth import Scope
from duologue.transports.websocket import SocketTalk

POLICY_VIOLATION = 1008
"""Close code of a refusal. Source: RFC 6455, section 7.4.1."""


def routes(context: Context) -> list[WebSocketRoute]:
    """The sockets."""

    def at(path: str, dialect: Dialect) -> WebSocketRoute:
        async def talk(socket: WebSocket) -> None:
            await _talk(socket, context, dialect)

        return WebSocketRoute(path, talk)

    async def watch(socket: WebSocket) -> None:
        await _watch(socket, context)

    return [
        at("/agentcall", context.agentcall),
        at("/chat/ws", context.chat),
        at("/ghost", context.ghost),
        WebSocketRoute("/api/sessions/{session_id}/agent-events", watch),
    ]


async def _talk(socket: WebSocket, context: Context, dialect: Dialect) -> None:
    """One client of one session."""
    identity = await _let_in(socket, context, dialect, "sessions:read", "sessions:write")
    if identity is not None:
        with context.connected(dialect.name):
            talk = _socket_talk(socket, context, dialect, subject=identity.subject)
            await talk.run(session_id=identity.session_id)


async def _watch(socket: WebSocket, context: Context) -> None:
    """What becomes of a session's turns, for a backend: anybody's session, which has to exist."""
    dialect = context.jambonz
    identity = await _let_in(socket, context, dialect, "sessions:read")
    if identity is None:
        return
    session_id: str = socket.path_params["session_id"]
    try:
        if not identity.is_backend:
            raise Refused(Problem(code=Code.FORBIDDEN, message="only an API key may watch agent events"))
        join = Join(session_id=session_id, after=resume_point(socket))
        owner = await owner_of(context, session_id)
    except Refused as refused:
        await _refuse(socket, context, dialect, refused.problem)
        return
    except StoreError as error:
        await _refuse(socket, context, dialect, Problem(code=Code.STORE_FAILED, message=str(error)))
        return
    with context.connected(dialect.name):
        await _socket_talk(socket, context, dialect, subject=owner).run(join=join)


async def _let_in(socket: WebSocket, context: Context, dialect: Dialect, *scopes: Scope) -> Identity | None:
    """Accept a socket, and tell who it is; `None` where it was told why not, and closed."""
    offered = socket.headers.get("sec-websocket-protocol", "")
    subprotocol = SUBPROTOCOL if SUBPROTOCOL in [name.strip() for name in offered.split(",")] else None
    try:
        identity = await context.enter(socket, *scopes)
    except Refused as refused:
        # Accepted first: only then can a browser be told why.
        await socket.accept(subprotocol)
        await _refuse(socket, context, dialect, refused.problem)
        return None
    await socket.accept(subprotocol)
    return identity


async def _refuse(socket: WebSocket, context: Context, dialect: Dialect, problem: Problem) -> None:
    frame = dialect.refuse(problem, request_id="", now_ms=context.hub.clock.now_ms())
    await socket.send_text(frame.decode())
    await socket.close(POLICY_VIOLATION, problem.code)


def _socket_talk(socket: WebSocket, context: Context, dialect: Dialect, *, subject: str) -> SocketTalk:
    return SocketTalk(
        socket,
        hub=context.hub,
        dialect=dialect,
        subject=subject,
        frame_bytes=context.settings.server.frame_bytes,
    )
