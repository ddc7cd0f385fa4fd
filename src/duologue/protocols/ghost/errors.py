"""Problems and failures as the ghost dialect says them; codes are our own."""

from msgspec import UNSET, UnsetType

from duologue.model.errors import Problem
from duologue.model.events import ResponseEnded, ResponseFailed
from duologue.protocols.ghost import wire


def refused(problem: Problem, *, request_id: str) -> wire.GhostError:
    """Make the answer to a message that was refused; it takes no sequence."""
    return wire.GhostError(
        code=problem.code,
        message=problem.message,
        recoverable=problem.retryable,
        turn_id=request_id or UNSET,
        path=problem.path or UNSET,
        limit=UNSET if problem.limit is None else problem.limit,
        retry_after_ms=UNSET if problem.retry_after_ms is None else problem.retry_after_ms,
    )


def failed(event: ResponseFailed) -> wire.TurnError:
    """Make the payload of `turn.error` for a response that failed; the code stands before the colon."""
    return wire.TurnError(f"{event.code}: {event.message}", event.retryable or event.will_retry, heard(event))


def heard(event: ResponseFailed | ResponseEnded) -> int | UnsetType:
    """How much of a spoken answer that was cut short was heard, in characters."""
    return UNSET if event.heard is None else event.heard
