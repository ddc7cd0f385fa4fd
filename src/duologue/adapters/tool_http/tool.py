"""The port around an HTTP endpoint."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

import httpx2
import msgspec
from opentelemetry import propagate, trace
from opentelemetry.context import Context

from duologue.adapters.tool_http.endpoint import Endpoint, Unfit, request_of
from duologue.model import limits
from duologue.model.tools import ToolSpec
from duologue.ports.tool import ToolContext, ToolFailed

AGAIN: Final = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses after which the same request may succeed."""

NOT_DONE: Final = frozenset({503, *range(400, 500)} - {408})
"""Statuses that say that nothing was done: the call was at fault, or came at a bad time.

Source: RFC 9110, 15.5, 15.6.4; RFC 6585, 4; RFC 8470, 5.2.
"""

READ_BYTES: Final = limits.TOOL_OUTPUT_CHARS * 4
"""How much of an answer is read: what may be kept of it, in UTF-8, has no more."""


class HttpTool:
    """Carries out calls by asking an endpoint.

    The idempotency key goes with each attempt as the header `Idempotency-Key`. An answer of 2xx is the result: JSON
    where it says so, else text, and null where there is none. No redirect is followed.
    Source: `duologue.ports.tool.Tool`.

    Args:
        spec: what is declared of it.
        endpoint: where it is.
        client: gives what sends requests, which decides where they may go.
    Cancellation: the connection is closed; the endpoint may have done it or not.
    """

    def __init__(self, spec: ToolSpec, endpoint: Endpoint, *, client: Callable[[], httpx2.AsyncClient]) -> None:
        self._spec, self._endpoint, self._client = spec, endpoint, client

    @property
    def spec(self) -> ToolSpec:
        """What is declared of it."""
        return self._spec

    # JSON of the tool's own design.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Carry out a call; see the port.

        Raises:
            ToolFailed: it cannot be reached, or answered with another status than 2xx.
        """
        try:
            asked = request_of(self._endpoint, arguments)
        except Unfit as error:
            raise ToolFailed(str(error), code="bad_arguments", perhaps_done=False) from error
        client = self._client()
        try:
            request = client.build_request(
                self._endpoint.method, asked.url, headers=self._headers(context), content=asked.body
            )
            response = await client.send(request, stream=True)
        except httpx2.ConnectError as error:
            raise ToolFailed(_why(error), code="unreachable", retryable=True, perhaps_done=False) from error
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise ToolFailed("the connection to the tool broke off", code="broken_off", retryable=True) from error
        try:
            body = await _read(response)
        except httpx2.TransportError as error:
            raise ToolFailed("the tool's answer broke off", code="broken_off", retryable=True) from error
        finally:
            await response.aclose()
        return _judge(response, body)

    def _headers(self, context: ToolContext) -> list[tuple[str, str]]:
        return [
            ("accept", "application/json"),
            ("accept-encoding", "identity"),
            ("content-type", "application/json"),
            ("user-agent", "duologue"),
            ("idempotency-key", context.key),
            ("duologue-session", quote(context.session_id, safe="")),
            ("duologue-subject", quote(context.subject, safe="")),
            ("duologue-tool-call", quote(context.call_id, safe="")),
            ("duologue-attempt", str(context.attempt)),
            *self._endpoint.headers,
            *_trace(),
        ]


def _why(error: httpx2.ConnectError) -> str:
    """Whoever runs the server learns from the log why; the agent does not learn which machines there are."""
    del error
    return "the tool cannot be reached"


async def _read(response: httpx2.Response) -> bytes:
    body = bytearray()
    if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
        # What unpacks to more than may be kept is not unpacked; nobody asked for it.
        raise ToolFailed("the tool's answer is compressed, which was not asked for", code="bad_output")
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > READ_BYTES:
            message = f"the tool's answer is larger than {READ_BYTES} bytes"
            raise ToolFailed(message, code="output_too_large")
    return bytes(body)


# JSON of the tool's own design.
def _judge(response: httpx2.Response, body: bytes) -> Any:
    status = response.status_code
    if not 200 <= status < 300:
        raise _refused(status, body, response)
    if not body.strip() or status == HTTPStatus.NO_CONTENT:
        return None
    if not _is_json(response):
        return body.decode(response.encoding or "utf-8", errors="replace")
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ToolFailed("the tool answered with what is no JSON", code="bad_output") from error


def _refused(status: int, body: bytes, response: httpx2.Response) -> ToolFailed:
    """A refusal; what the endpoint says of a fault of the call (4xx) is for the agent, so that it may mend it."""
    told = ""
    if 400 <= status < 500 and status not in (401, 403, 407):
        told = f": {body.decode(response.encoding or 'utf-8', errors='replace').strip()[: limits.TOOL_FAULT_CHARS]}"
    if 300 <= status < 400:
        told = ", a redirect, which is not followed"
    return ToolFailed(
        f"the tool answered {status}{told}",
        code="http_status",
        retryable=status in AGAIN,
        perhaps_done=status not in NOT_DONE,
    )


def _is_json(response: httpx2.Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _trace() -> list[tuple[str, str]]:
    """`traceparent` of the current span, nothing where there is none; baggage stays here. Source: W3C Trace Context."""
    headers: dict[str, str] = {}
    propagate.inject(headers, context=trace.set_span_in_context(trace.get_current_span(), Context()))
    return [*headers.items()]
