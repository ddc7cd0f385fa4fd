"""`WS /agentcall`, `/chat/ws` and `/ghost`: one session each, in the dialect of the address."""

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from duologue.model.errors import Refused
from duologue.ports.dialect import Dialect
from duologue.server.auth import SUBPROTOCOL
from duologue.server.context import Context
from duologue.transports.websocket import SocketTalk

POLICY_VIOLATION = 1008
"""Close code of a refusal. Source: RFC 6455, section 7.4.1."""


def routes(context: Context) -> list[WebSocketRoute]:
    """The sockets."""

    def at(path: str, dialect: Dialect) -> WebSocketRoute:
        async def talk(socket: WebSocket) -> None:
            await _talk(socket, context, dialect)

        return WebSocketRoute(path, talk)

    return [at("/agentcall", context.agentcall), at("/chat/ws", context.chat), at("/ghost", context.ghost)]


async def _talk(socket: WebSocket, context: Context, dialect: Dialect) -> None:
    offered = socket.headers.get("sec-websocket-protocol", "")
    subprotocol = SUBPROTOCOL if SUBPROTOCOL in [name.strip() for name in offered.split(",")] else None
    try:
        identity = context.enter(socket)
    except Refused as refused:
        # Accepted first: only then can a browser be told why.
        await socket.accept(subprotocol)
        problem = refused.problem
        frame = dialect.refuse(problem, request_id="", now_ms=context.hub.clock.now_ms())
        await socket.send_text(frame.decode())
        await socket.close(POLICY_VIOLATION, problem.code)
        return
    await socket.accept(subprotocol)
    with context.connected(dialect.name):
        await SocketTalk(
            socket,
            hub=context.hub,
            dialect=dialect,
            subject=identity.subject,
            frame_bytes=context.settings.server.frame_bytes,
        ).run(session_id=identity.session_id)
