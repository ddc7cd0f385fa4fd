"""Problems and failures as the chat dialect's `error`; codes as its SDK documents them."""

from typing import Final

from msgspec import UNSET, UnsetType

from duologue.model.errors import Code, Problem
from duologue.model.events import ResponseFailed
from duologue.protocols.chat import wire
from duologue.protocols.chat.moment import rfc3339

SESSION_WIDE: Final = "session"
"""The `requestId` and `responseId` of what belongs to no message: the contract requires one."""

SDK_RETRYABLE: Final = frozenset(
    {
        "AUTH_EXPIRED",
        "TRANSPORT_CONNECT_FAILED",
        "STREAM_INTERRUPTED",
        "SEND_FAILED",
        "SERVER_TOOL_HTTP_FAILED",
    }
)
"""The SDK's codes after which it tries again by itself."""

_BAD_REQUEST: Final = ("BAD_REQUEST", 400)

_WORDS: Final[dict[Code, tuple[str, int]]] = {
    Code.BAD_JSON: _BAD_REQUEST,
    Code.BAD_MESSAGE: _BAD_REQUEST,
    Code.UNKNOWN_TYPE: _BAD_REQUEST,
    Code.BINARY_FRAME: _BAD_REQUEST,
    Code.TOO_LARGE: ("TOO_LARGE", 413),
    Code.NOT_OPEN: _BAD_REQUEST,
    Code.ALREADY_OPEN: _BAD_REQUEST,
    Code.RESUME_AHEAD: _BAD_REQUEST,
    Code.RESUME_TRIMMED: ("CURSOR_EXPIRED", 410),
    Code.ACK_AHEAD: _BAD_REQUEST,
    Code.TURN_CONFLICT: ("CONFLICT", 409),
    Code.TURN_STALE: ("CONFLICT", 409),
    Code.BUSY: ("BUSY", 409),
    Code.ILLEGAL_TRIGGER: ("CONFLICT", 409),
    Code.NO_AUDIO: _BAD_REQUEST,
    Code.UNSUPPORTED: _BAD_REQUEST,
    Code.SESSION_ENDED: ("SESSION_ENDED", 410),
    Code.SESSION_UNKNOWN: ("SESSION_EXPIRED", 404),
    Code.UNKNOWN_INTERACTION: _BAD_REQUEST,
    Code.INTERRUPTS_OPEN: ("CONFLICT", 409),
    Code.INTERRUPT_UNKNOWN: _BAD_REQUEST,
    Code.INTERRUPT_CLOSED: ("CONFLICT", 409),
    Code.INTERRUPT_EXPIRED: ("CONFLICT", 409),
    Code.TOOL_CALL_UNKNOWN: _BAD_REQUEST,
    Code.TOOL_CALL_CLOSED: ("CONFLICT", 409),
    Code.APPROVAL_UNKNOWN: ("NOT_FOUND", 404),
    Code.APPROVAL_DECIDED: ("CONFLICT", 409),
    Code.APPROVAL_CHANGED: ("CONFLICT", 409),
    Code.APPROVAL_EXPIRED: ("CONFLICT", 409),
    Code.HANDOFF_UNKNOWN: ("NOT_FOUND", 404),
    Code.HANDOFF_STATE: ("CONFLICT", 409),
    Code.MEMORY_UNKNOWN: ("NOT_FOUND", 404),
    Code.UPLOAD_UNKNOWN: ("UPLOAD_FAILED", 400),
    Code.UPLOAD_REFUSED: ("FILE_VALIDATION_FAILED", 415),
    Code.AUTH_REQUIRED: ("AUTH_REQUIRED", 401),
    Code.AUTH_FAILED: ("AUTH_FAILED", 401),
    Code.AUTH_EXPIRED: ("AUTH_EXPIRED", 401),
    Code.AUTH_UNAVAILABLE: ("TRANSPORT_CONNECT_FAILED", 503),
    Code.FORBIDDEN: ("AUTH_FAILED", 403),
    Code.ORIGIN_REFUSED: ("AUTH_FAILED", 403),
    Code.RATE_LIMITED: ("SEND_FAILED", 429),
    Code.DRAINING: ("TRANSPORT_CONNECT_FAILED", 503),
    Code.SERVER_FULL: ("TRANSPORT_CONNECT_FAILED", 503),
    Code.STORE_FAILED: ("SEND_FAILED", 503),
    Code.AGENT_FAILED: ("SEND_FAILED", 502),
    Code.AGENT_SILENT: ("STREAM_INTERRUPTED", 504),
    Code.AGENT_TRUNCATED: ("STREAM_INTERRUPTED", 502),
    Code.AGENT_EMPTY: ("SEND_FAILED", 502),
    Code.AGENT_TOO_LONG: ("AGENT_FAILED", 502),
    Code.AGENT_BAD_ITEM: ("AGENT_FAILED", 502),
    Code.RUN_LOST: ("STREAM_INTERRUPTED", 502),
}
"""Our code: the SDK's word (or ours, where it has none) and the HTTP status."""


def code_word(code: Code, *, retryable: bool) -> str:
    """Choose the word for a code such that the SDK's own table says the same about a retry."""
    word = _WORDS[code][0]
    if retryable and word not in SDK_RETRYABLE and code is not Code.BUSY:
        return "SEND_FAILED"
    if not retryable and word in SDK_RETRYABLE:
        return "AGENT_FAILED"
    return word


def http_status(problem: Problem) -> int:
    """Choose the HTTP status that goes with a problem, 4xx where the client can mend it."""
    return _WORDS[problem.code][1]


def refused(problem: Problem, *, request_id: str, now_ms: int) -> wire.ErrorFrame:
    """Make the error that answers one client's message; it takes no sequence."""
    return wire.ErrorFrame(
        request_id=request_id or SESSION_WIDE,
        timestamp=rfc3339(now_ms),
        code=code_word(problem.code, retryable=problem.retryable),
        message=problem.message,
        retryable=problem.retryable,
        reason=problem.code,
        path=problem.path or UNSET,
        limit=UNSET if problem.limit is None else problem.limit,
        turn=UNSET if problem.turn is None else problem.turn,
        retry_after_ms=UNSET if problem.retry_after_ms is None else problem.retry_after_ms,
    )


def failed(event: ResponseFailed) -> wire.ErrorFrame:
    """Make the error that ends a response."""
    return wire.ErrorFrame(
        request_id=event.request_id or SESSION_WIDE,
        timestamp=rfc3339(event.at_ms),
        sequence=event.seq,
        correlation_id=correlated(event.turn),
        code=code_word(event.code, retryable=event.retryable),
        message=event.message,
        retryable=event.retryable,
        response_id=event.response_id,
        reason=event.code,
        will_retry=event.will_retry or UNSET,
    )


def correlated(turn: int) -> str | UnsetType:
    """Name the turn that an event belongs to, as every channel counts it."""
    return f"turn-{turn}" if turn else UNSET
