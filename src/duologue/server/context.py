"""What every route needs: the hub, the settings, who may come in, and the dialects."""

import functools
import secrets
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import msgspec
from starlette.requests import HTTPConnection, Request

from duologue.model.commands import Join
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.dialect import Dialect
from duologue.protocols.chat import ChatDialect
from duologue.runtime.deliveries import Deliveries
from duologue.runtime.figures import count
from duologue.runtime.hub import Hub
from duologue.runtime.session import LiveSession
from duologue.server.audit import Audit
from duologue.server.auth import Auth, Identity, has_credential
from duologue.server.gate import Gate
from duologue.server.origins import Allowed, check_address, check_origin
from duologue.server.settings import Settings
from duologue.server.settings_auth import Scope
from duologue.server.telemetry import Telemetry
from duologue.server.tickets import PARAMETER, Tickets
from duologue.server.tooling import Tooling
from duologue.server.voice import Voice

if TYPE_CHECKING:
    from duologue.runtime.memory.remembering import Remembering

Transport: TypeAlias = Literal["websocket", "sse", "webrtc"]

D = TypeVar("D", bound=Dialect)


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running server.

    Attributes:
        dialects: all that are spoken, by name.
        sockets: those that are talked over a WebSocket, by its path.
        telemetry: makes spans, where they are asked for.
        voice: whether there are calls, and what carries them.
        tooling: the tools, their approvals, and what is noted of them.
        remembering: remembers people, where the settings say so.
        auth_refusals: how often somebody was not let in, by code.
        connections: how many are open, by protocol and transport.
    """

    settings: Settings
    hub: Hub
    deliveries: Deliveries
    auth: Auth
    allowed: Allowed
    dialects: Mapping[str, Dialect]
    sockets: Mapping[str, Dialect]
    telemetry: Telemetry | None
    gate: Gate
    tickets: Tickets
    audit: Audit
    voice: Voice
    tooling: Tooling
    remembering: "Remembering | None"
    auth_refusals: dict[str, int] = field(default_factory=dict[str, int])
    connections: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def dialect(self, kind: type[D]) -> D:
        """The dialect of a kind, which is spoken."""
        return next(dialect for dialect in self.dialects.values() if isinstance(dialect, kind))

    @property
    def chat(self) -> ChatDialect:
        """The dialect of the chat protocol, whose words `/api` uses as well."""
        return self.dialect(ChatDialect)

    @contextmanager
    def held(self, identity: Identity, protocol: str, transport: Transport) -> Generator[None]:
        """Take a place for a connection while it lasts.

        Raises:
            Refused: there is no place left.
        """
        hold = self.gate.hold(identity)
        key = (protocol, transport)
        self.connections[key] = self.connections.get(key, 0) + 1
        try:
            yield
        finally:
            self.connections[key] -= 1
            hold.release()

    async def enter(self, connection: HTTPConnection, *scopes: Scope) -> Identity:
        """Let a request in.

        Args:
            connection: the request, or the handshake of a WebSocket.
            scopes: all that its caller has to be allowed.
        Raises:
            Refused: its page or its credential is not let in, or may not do this.
        """
        try:
            identity = await self._identify(connection)
        except Refused as refused:
            count(self.auth_refusals, refused.problem.code)
            if refused.problem.code in (Code.AUTH_FAILED, Code.ORIGIN_REFUSED):
                self.audit.note("auth", outcome=refused.problem.code, address=address_of(connection))
            raise
        self.gate.check(identity, "requests")
        try:
            for scope in scopes:
                identity.check(scope)
        except Refused as refused:
            count(self.auth_refusals, refused.problem.code)
            self.audit.note("auth", outcome=refused.problem.code, identity=identity, about={"scopes": " ".join(scopes)})
            raise
        return identity

    def visit(self, connection: HTTPConnection) -> None:
        """Let in a request that needs no credential.

        Raises:
            Refused: there were too many from its address, where there is auth.
        """
        if self.auth.configured:
            self.gate.visit(address_of(connection))

    async def _identify(self, connection: HTTPConnection) -> Identity:
        headers = first_headers(connection)
        address, now_ms = address_of(connection), self.hub.clock.now_ms()
        problem = check_address(address, self.allowed) or check_origin(
            headers.get("origin"), headers.get("host"), self.allowed
        )
        if problem is not None:
            raise Refused(problem)
        if self.auth.configured:
            self.gate.listen_to(address)
        ticket = None if has_credential(headers) else _ticket(connection)
        if ticket is not None:
            identity = self.tickets.redeem(ticket, below(connection), address=address, now_ms=now_ms)
        else:
            identity = await self.auth.prepare(headers, now_ms=now_ms) or self.auth.identify(headers, now_ms=now_ms)
        if isinstance(identity, Problem):
            if identity.code is Code.AUTH_FAILED:
                self.gate.failed(address)
            raise Refused(identity)
        return msgspec.structs.replace(identity, address=address)

    def called(self, connection: HTTPConnection, session_id: str, request_id: str | None) -> None:
        """Take over the caller's trace for the turn that they ask for, where there are traces."""
        if self.telemetry is not None:
            self.telemetry.called(session_id, request_id, connection.headers)

    def calling(
        self, connection: HTTPConnection, session_id: str, request_id: str | None
    ) -> AbstractContextManager[None]:
        """As `called`, while a turn is submitted that its client may have named or not."""
        if self.telemetry is None:
            return nullcontext()
        return self.telemetry.calling(session_id, request_id, connection.headers)

    async def join(self, join: Join, identity: Identity) -> LiveSession:
        """Open or join a session, as far as somebody may open new ones.

        Raises:
            Refused: they may not, or as `Hub.join` says.
            StoreError: the store cannot do it now.
        """
        room = functools.partial(self.gate.room, identity)
        session = await self.hub.join(join, subject=identity.subject, admit=room)
        session.granted = identity.granted
        return session

    def public_url(self, connection: HTTPConnection) -> str:
        """This server's address as the client reaches it, without a slash at its end."""
        own = self.settings.server.public_url
        # Starlette's `base_url` is that of the outermost application; this one may stand below a path of it.
        return (own or f"{connection.url.replace(path=connection.scope.get('root_path', ''), query='')}").rstrip("/")


def below(connection: HTTPConnection) -> str:
    """A request's path as this server knows it, without what an application around it stands at."""
    return connection.url.path.removeprefix(str(connection.scope.get("root_path", "")))


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


def first_headers(connection: HTTPConnection) -> Mapping[str, str]:
    """A request's headers by their names in lower case, the first value of each.

    Starlette's own walk through all of them each time, and they are asked ten times for a request.
    """
    given: Sequence[tuple[bytes, bytes]] = connection.scope["headers"]
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(given)}


def address_of(connection: HTTPConnection) -> str:
    """Where a request came from; empty where that is unknown, as on a Unix socket."""
    return connection.client.host if connection.client is not None else ""


def _ticket(connection: HTTPConnection) -> str | None:
    """The ticket that stands in the address, of a request that changes nothing or a WebSocket."""
    if connection.scope["type"] == "http" and connection.scope["method"] != "GET":
        return None
    return connection.query_params.get(PARAMETER)


def check_session(identity: Identity, session_id: str | None) -> str | None:
    """Which session a request is about, given what its token allows.

    Raises:
        Refused: the token is for another session.
    """
    if identity.session_id is None or session_id in (None, identity.session_id):
        return session_id or identity.session_id
    raise Refused(Problem(code=Code.FORBIDDEN, message="this token is for another session"))


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
