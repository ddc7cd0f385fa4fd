"""What every route needs: the hub, the settings, who may come in, and the dialects."""

import secrets
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection, Request

from duologue.model.errors import Code, Problem, Refused
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.chat import ChatDialect
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.jambonz import JambonzDialect
from duologue.runtime.hub import Hub
from duologue.server.auth import Auth, Identity
from duologue.server.origins import Allowed, check_origin
from duologue.server.settings import Settings
from duologue.server.settings_auth import Scope


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running server; `connections` counts the open ones by protocol."""

    settings: Settings
    hub: Hub
    auth: Auth
    allowed: Allowed
    agentcall: AgentCallDialect
    chat: ChatDialect
    ghost: GhostDialect
    jambonz: JambonzDialect
    connections: dict[str, int] = field(default_factory=dict[str, int])

    @contextmanager
    def connected(self, protocol: str) -> Generator[None]:
        """Count a connection while it lasts."""
        self.connections[protocol] = self.connections.get(protocol, 0) + 1
        try:
            yield
        finally:
            self.connections[protocol] -= 1

    async def enter(self, connection: HTTPConnection, *scopes: Scope) -> Identity:
        """Let a request in.

        Args:
            connection: the request, or the handshake of a WebSocket.
            scopes: all that its caller has to be allowed.
        Raises:
            Refused: its page or its credential is not let in, or may not do this.
        """
        headers: Mapping[str, str] = connection.headers
        problem = check_origin(headers.get("origin"), headers.get("host"), self.allowed)
        if problem is not None:
            raise Refused(problem)
        now_ms = self.hub.clock.now_ms()
        problem = await self.auth.prepare(headers, now_ms=now_ms)
        if problem is not None:
            raise Refused(problem)
        identity = self.auth.identify(headers, now_ms=now_ms)
        if isinstance(identity, Problem):
            raise Refused(identity)
        for scope in scopes:
            identity.check(scope)
        return identity

    def public_url(self, connection: HTTPConnection) -> str:
        """This server's address as the client reaches it, without a slash at its end."""
        return (self.settings.server.public_url or str(connection.base_url)).rstrip("/")


async def read_body(request: Request, *, limit: int) -> bytes:
    """Read a request's body.

    Raises:
        Refused: it has more than `limit` bytes.
    """
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            message = f"the body is larger than {limit} bytes"
            raise Refused(Problem(code=Code.TOO_LARGE, message=message, limit=limit))
    return bytes(body)


def check_session(identity: Identity, session_id: str | None) -> str | None:
    """Which session a request is about, given what its token allows.

    Raises:
        Refused: the token is for another session.
    """
    if identity.session_id is None or session_id in (None, identity.session_id):
        return session_id or identity.session_id
    raise Refused(Problem(code=Code.FORBIDDEN, message="this token is for another session"))


async def owner_of(context: Context, session_id: str) -> str:
    """Whose session it is, for a backend that may act for anybody.

    Raises:
        Refused: there is no such session.
        StoreError: the store cannot do it now.
    """
    info = await context.hub.store.info(session_id)
    if info is None:
        raise Refused(Problem(code=Code.SESSION_UNKNOWN, message=f"there is no session {session_id[:128]!r}"))
    return info.mark.subject


def resume_point(request: HTTPConnection) -> int:
    """The number after which a stream is to go on: the header `Last-Event-ID`, else `?after=`, else 0.

    Raises:
        Refused: it is no number.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not given.isascii() or not given.isdigit() or len(given) > len(str(2**53)):
        message = "Last-Event-ID has to be the number of the last event that was received"
        raise Refused(Problem(code=Code.BAD_MESSAGE, message=message))
    return int(given)


def new_id(kind: str) -> str:
    """Make an id that cannot be guessed."""
    return f"{kind}-{secrets.token_urlsafe(15)}"
