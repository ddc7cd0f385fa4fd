"""Problems as jambonz's `jambonz:error`; codes are our own, since jambonz documents none."""

from msgspec import UNSET

from duologue.model.errors import Problem
from duologue.protocols.jambonz import wire


def refused(problem: Problem) -> wire.ErrorFrame:
    """Make the answer to a message that was refused; it takes no sequence."""
    return wire.ErrorFrame(
        data=wire.ErrorData(
            code=problem.code,
            message=problem.message,
            retryable=problem.retryable,
            path=problem.path or UNSET,
            limit=UNSET if problem.limit is None else problem.limit,
            retry_after_ms=UNSET if problem.retry_after_ms is None else problem.retry_after_ms,
        )
    )
