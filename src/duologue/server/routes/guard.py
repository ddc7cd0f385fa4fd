"""What all HTTP routes of a protocol share: who comes in, and how a refusal is told."""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import ExitStack

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from duologue.model.errors import Code, Problem, Refused, StoreError
from duologue.ports.dialect import Dialect
from duologue.protocols.chat import http_status
from duologue.server.auth import ANYBODY, Identity
from duologue.server.context import Context
from duologue.server.operations import ABOUT, EVENT_STREAM, Operation
from duologue.transports.sse import EventStream, NewsStream

NO_STORE = {"Cache-Control": "no-store"}


def guarded_routes(context: Context, dialect: Dialect, operations: Iterable[Operation]) -> list[Route]:
    """Make the routes of operations whose refusals are told in a dialect's words."""
    return [
        Route(operation.path, guarded(context, dialect, operation), methods=[operation.method])
        for operation in operations
    ]


def guarded(context: Context, dialect: Dialect, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    """Let in who may come in, and tell refusals in the protocol's words."""

    streams = any(body.media_type == EVENT_STREAM for _, body in operation.answers)

    async def handle(request: Request) -> Response:
        identity: Identity | None = None
        try:
            identity = await _enter(context, request, operation)
            with ExitStack() as place:
                if streams:
                    place.enter_context(context.held(identity, dialect.name, "sse"))
                response = await operation.handler(context, request, identity)
                outcome = "done" if response.status_code < 400 else "refused"
                if isinstance(response, EventStream | NewsStream):
                    response = _HeldStream(response, place.pop_all())
        except Refused as refused:
            outcome = refused.problem.code
            response = refusal(context, dialect, refused.problem)
        except StoreError as error:
            problem = Problem(code=Code.STORE_FAILED, message=str(error))
            outcome, response = problem.code, refusal(context, dialect, problem)
        if operation.audited and identity is not None:
            about = {**request.path_params, **request.scope.get(ABOUT, {})}
            context.audit.note(operation.audited, outcome=outcome, identity=identity, about=about)
        return response

    return handle


async def _enter(context: Context, request: Request, operation: Operation) -> Identity:
    if operation.scope is not None:
        return await context.enter(request, operation.scope)
    if not operation.probe:
        context.visit(request)
    return ANYBODY


class _HeldStream(Response):
    """A stream that gives its place back when it ends."""

    def __init__(self, stream: EventStream | NewsStream, place: ExitStack) -> None:
        super().__init__()
        self._stream, self._place = stream, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        with self._place:
            await self._stream(scope, receive, send)


def refusal(context: Context, dialect: Dialect, problem: Problem, *, request_id: str = "") -> Response:
    """A problem as a response."""
    frame = dialect.refuse(problem, request_id=request_id, now_ms=context.hub.clock.now_ms())
    headers = dict(NO_STORE)
    if problem.code in (Code.AUTH_REQUIRED, Code.AUTH_FAILED, Code.AUTH_EXPIRED):
        headers["WWW-Authenticate"] = "Bearer"
    if problem.retry_after_ms is not None:
        headers["Retry-After"] = str(-(-problem.retry_after_ms // 1000))
    return Response(frame, status_code=http_status(problem), media_type="application/json", headers=headers)


def deleted(context: Context, dialect: Dialect) -> bytes:
    """What a stream ends with whose session was deleted."""
    problem = Problem(code=Code.SESSION_UNKNOWN, message="the session was deleted")
    return dialect.refuse(problem, request_id="", now_ms=context.hub.clock.now_ms())


def json(body: object, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer that no cache keeps."""
    return Response(
        msgspec.json.encode(body),
        status_code=status,
        media_type="application/json",
        headers=NO_STORE | (headers or {}),
    )
