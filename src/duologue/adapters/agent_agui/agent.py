"""The port: answers turns with an agent that is reached over HTTP."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from http import HTTPStatus
from typing import Final

import httpx2
import msgspec
from opentelemetry import propagate, trace
from opentelemetry.context import Context

from duologue.adapters.agent_agui.options import AguiOptions
from duologue.adapters.agent_agui.reading import Reading
from duologue.adapters.agent_agui.request import pictures_of, run_input
from duologue.adapters.agent_agui.sse import SseReader, TooLarge
from duologue.adapters.agent_agui.trouble import AguiTrouble, broken, plain, refused
from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Failure
from duologue.ports.agent import Files

EVENT_STREAM: Final = "text/event-stream"
KEPT_CONNECTIONS: Final = 64
"""Idle connections that are kept for the next runs."""

_NOBODY: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
"""What gateways answer for an agent that is not there."""

_log: Final = logging.getLogger(__name__)


class AguiAgent:
    """Answers with an agent that speaks AG-UI over HTTP and server-sent events.

    A run is posted once and never again: what it did already may not be done twice. It is finished only by its own
    RUN_FINISHED with nothing after it; a stream that stops before is a failure, with what was said.
    Source: `duologue.ports.agent.Agent`; AG-UI 1.0.

    Args:
        options: where it is, and how it is asked.
    Cancellation: safe at any await; the connection is closed at once, which is how the agent is told.
    """

    def __init__(self, options: AguiOptions) -> None:
        self._options: Final = options
        self._client: httpx2.AsyncClient | None = None

    @property
    def name(self) -> str:
        """A short name for people and figures: the agent's host."""
        return httpx2.URL(self._options.url).host

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer one turn, as the port says.

        Raises:
            StoreError: a picture of the turn cannot be read now.
            LookupError: a picture of the turn was removed meanwhile.
        """
        body = await self._body(request, files)
        try:
            _check_answers(request)
            async with aclosing(self._ask(request, body)) as items:
                async for item in items:
                    yield item
        except AguiTrouble as trouble:
            _tell(request, trouble)
            yield Failure(message=trouble.message, retryable=trouble.retryable)

    async def reach(self) -> None:
        """Look whether something answers where the agent is; see `runtime.probing.RemoteAgent`.

        AG-UI has no such question: OPTIONS changes nothing, and whatever is answered shows that somebody is there, but
        for a gateway's word that nobody is.

        Raises:
            AguiTrouble: nobody answers.
        """
        try:
            response = await self._connections().options(self._options.url, headers=[*self._options.headers])
        except httpx2.TransportError as error:
            raise _unreachable(error) from error
        if response.status_code in _NOBODY:
            raise refused(response.status_code)

    async def aclose(self) -> None:
        """Close the connections that are kept for the next run."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _body(self, request: AgentRequest, files: Files) -> bytes:
        pictures: dict[str, bytes] = {}
        if self._options.images:
            async with asyncio.timeout(limits.STORE_MS / 1000):
                for item in pictures_of(request):
                    pictures[item.upload_id] = await files.read(item.upload_id)
        return msgspec.json.encode(run_input(request, remembers=self._options.remembers, pictures=pictures))

    async def _ask(self, request: AgentRequest, body: bytes) -> AsyncGenerator[AgentItem, None]:
        """Post the run and read it to its end.

        Raises:
            AguiTrouble: it did not come to its end.
        """
        reading = Reading(request, url=self._options.url)
        async with self._posted(request, body) as response:
            events = _events(response)
            async with aclosing(events):
                while (data := await _next(events, ended=reading.end is not None)) is not None:
                    for item in reading.feed(data):
                        yield item
        if reading.end is None:
            raise AguiTrouble("truncated", "the agent's stream stopped before its run was over", retryable=True)
        yield reading.end

    @asynccontextmanager
    async def _posted(self, request: AgentRequest, body: bytes) -> AsyncGenerator[httpx2.Response]:
        """Send the run; give the answer once it is known to be a stream of events."""
        headers = httpx2.Headers([*self._options.headers, *_correlation(request), *_trace()])
        async with AsyncExitStack() as stack:
            try:
                opening = self._connections().stream("POST", self._options.url, content=body, headers=headers)
                response = await stack.enter_async_context(opening)
            except httpx2.TransportError as error:
                raise _unreachable(error) from error
            if response.status_code != HTTPStatus.OK:
                raise refused(response.status_code)
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != EVENT_STREAM:
                raise broken(f"it answered with {plain(kind)} and not with {EVENT_STREAM}")
            yield response

    def _connections(self) -> httpx2.AsyncClient:
        """The client, made in the loop that uses it."""
        if self._client is None:
            connect_s, silence_s = limits.AGUI_CONNECT_MS / 1000, self._options.silence_ms / 1000
            self._client = httpx2.AsyncClient(
                headers={"accept": EVENT_STREAM, "accept-encoding": "identity", "content-type": "application/json"},
                timeout=httpx2.Timeout(connect_s, read=silence_s),
                limits=httpx2.Limits(max_connections=limits.SESSIONS_LIVE, max_keepalive_connections=KEPT_CONNECTIONS),
                follow_redirects=False,
            )
        return self._client


async def _events(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """The data of each event, until the stream is at its end.

    Raises:
        AguiTrouble: the connection broke, or an event is too large.
    """
    reader = SseReader(most=limits.AGUI_EVENT_BYTES)
    try:
        async for chunk in response.aiter_bytes():
            for data in reader.feed(chunk):
                yield data
    except TooLarge as error:
        raise broken(f"an event is larger than {limits.AGUI_EVENT_BYTES} bytes") from error
    except httpx2.TransportError as error:
        raise _unreachable(error) from error


async def _next(events: AsyncGenerator[bytes, None], *, ended: bool) -> bytes | None:
    """The next event; `None` at the end. After the run's end it is waited for but shortly."""
    if not ended:
        return await anext(events, None)
    try:
        async with asyncio.timeout(limits.AGUI_END_MS / 1000):
            return await anext(events, None)
    except TimeoutError:
        return None


def _unreachable(error: httpx2.TransportError) -> AguiTrouble:
    match error:
        case httpx2.ConnectTimeout() | httpx2.ConnectError():
            return AguiTrouble("connection", "the agent cannot be reached", retryable=True)
        case httpx2.TimeoutException():
            return AguiTrouble("timeout", "the agent did not go on in time", retryable=True)
        case _:
            return AguiTrouble("connection", "the connection to the agent broke off", retryable=True)


def _check_answers(request: AgentRequest) -> None:
    """Every open interrupt has to have its answer before a run goes on."""
    asked = {interrupt.interrupt_id for interrupt in request.interrupts}
    if asked != {answer.interrupt_id for answer in request.resume}:
        raise AguiTrouble("unanswered", "not every question of the agent has its answer", retryable=False)


def _correlation(request: AgentRequest) -> list[tuple[str, str]]:
    """Names the turn to the agent, so that both logs can be put side by side."""
    request_id = request.request_id
    if not request_id or not request_id.isascii() or not request_id.isprintable():
        return []
    return [("x-request-id", request_id)]


def _trace() -> list[tuple[str, str]]:
    """`traceparent` of the current span, nothing where there is none; baggage stays here. Source: W3C Trace Context."""
    headers: dict[str, str] = {}
    propagate.inject(headers, context=trace.set_span_in_context(trace.get_current_span(), Context()))
    return [*headers.items()]


def _tell(request: AgentRequest, trouble: AguiTrouble) -> None:
    """Write a trouble to the log; the other side's words are personal data there."""
    cause = trouble.__cause__
    fields = {
        "session": request.session_id,
        "response": request.response_id,
        "trouble": trouble.kind,
        "detail": trouble.message,
        "error": type(cause).__name__ if cause else None,
        "pii.detail": str(cause) if cause else None,
    }
    _log.warning("agui_failed", extra={"fields": fields})
