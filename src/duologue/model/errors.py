"""What can go wrong, as values: a stable code, whose fault it is and whether a retry helps."""

from enum import StrEnum
from typing import Literal

from duologue.model.base import Value


class Code(StrEnum):
    """Stable error codes. Text for people never carries logic; these do."""

    BAD_JSON = "bad_json"
    BAD_MESSAGE = "bad_message"
    UNKNOWN_TYPE = "unknown_type"
    BINARY_FRAME = "binary_frame"
    TOO_LARGE = "too_large"
    NOT_OPEN = "not_open"
    ALREADY_OPEN = "already_open"
    RESUME_AHEAD = "resume_ahead"
    RESUME_TRIMMED = "resume_trimmed"
    ACK_AHEAD = "ack_ahead"
    TURN_CONFLICT = "turn_conflict"
    TURN_STALE = "turn_stale"
    BUSY = "busy"
    ILLEGAL_TRIGGER = "illegal_trigger"
    NO_AUDIO = "no_audio"
    UNSUPPORTED = "unsupported"
    SESSION_ENDED = "session_ended"
    SESSION_UNKNOWN = "session_unknown"
    UNKNOWN_INTERACTION = "unknown_interaction"
    INTERRUPTS_OPEN = "interrupts_open"
    INTERRUPT_UNKNOWN = "interrupt_unknown"
    INTERRUPT_CLOSED = "interrupt_closed"
    INTERRUPT_EXPIRED = "interrupt_expired"
    TOOL_CALL_UNKNOWN = "tool_call_unknown"
    TOOL_CALL_CLOSED = "tool_call_closed"
    APPROVAL_UNKNOWN = "approval_unknown"
    APPROVAL_DECIDED = "approval_decided"
    APPROVAL_CHANGED = "approval_changed"
    APPROVAL_EXPIRED = "approval_expired"
    HANDOFF_UNKNOWN = "handoff_unknown"
    HANDOFF_STATE = "handoff_state"
    MEMORY_UNKNOWN = "memory_unknown"
    UPLOAD_UNKNOWN = "upload_unknown"
    UPLOAD_REFUSED = "upload_refused"
    AUTH_REQUIRED = "auth_required"
    AUTH_FAILED = "auth_failed"
    AUTH_EXPIRED = "auth_expired"
    AUTH_UNAVAILABLE = "auth_unavailable"
    FORBIDDEN = "forbidden"
    ORIGIN_REFUSED = "origin_refused"
    RATE_LIMITED = "rate_limited"
    DRAINING = "draining"
    SERVER_FULL = "server_full"
    STORE_FAILED = "store_failed"
    AGENT_FAILED = "agent_failed"
    AGENT_SILENT = "agent_silent"
    AGENT_TRUNCATED = "agent_truncated"
    AGENT_EMPTY = "agent_empty"
    AGENT_TOO_LONG = "agent_too_long"
    AGENT_BAD_ITEM = "agent_bad_item"
    RUN_LOST = "run_lost"


RETRYABLE = frozenset(
    {
        Code.BUSY,
        Code.RATE_LIMITED,
        Code.DRAINING,
        Code.SERVER_FULL,
        Code.STORE_FAILED,
        Code.AUTH_EXPIRED,
        Code.AUTH_UNAVAILABLE,
        Code.AGENT_FAILED,
        Code.AGENT_SILENT,
        Code.AGENT_TRUNCATED,
        Code.AGENT_EMPTY,
        Code.RUN_LOST,
    }
)
"""Codes after which the same message, sent again, may succeed."""


class Problem(Value, kw_only=True):
    """A refusal, to be told to the one who caused it.

    Attributes:
        code: stable, for programs.
        message: for people: what was wrong and what to do next; holds no internals and no secret.
        path: where in the message, as `$.field`, or empty.
        limit: the bound that was passed, or `None`.
        turn: the turn that it is about, or `None`.
        retry_after_ms: how long to wait before another try, or `None` where nothing is known.
    """

    code: Code
    message: str
    path: str = ""
    limit: int | None = None
    turn: int | None = None
    retry_after_ms: int | None = None

    @property
    def retryable(self) -> bool:
        """Whether the same message may succeed later."""
        return self.code in RETRYABLE


Fault = Literal["client", "agent", "server"]


class DuologueError(Exception):
    """The root of our own exceptions."""


class SettingsError(DuologueError):
    """The settings are wrong; the message names the key and what to write."""


class StoreError(DuologueError):
    """The store could not do it; nothing was acknowledged. The message says what to do."""


class StoreLocked(StoreError):
    """Another process has the data folder; nothing was opened."""


class StoreConflict(StoreError):
    """Somebody else wrote first; nothing was written. Reload and try again."""


class SpeechError(DuologueError):
    """A recogniser or a voice failed. The message is for operators: no text that somebody said, and no secret.

    Attributes:
        retryable: the same may succeed later; else it is configured wrongly, or asked for what it cannot do.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class SignalError(DuologueError):
    """A signal could not be estimated. The message is for operators: no text that somebody said, and no secret."""


class MemoryFailed(DuologueError):
    """A model could not tell what there is to remember, or what a text means. The message is for operators."""


class Refused(DuologueError):
    """A request was refused with a problem for its sender."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem
