"""Writing a problem as AgentCall's error frame."""

from duologue.model.errors import Problem
from duologue.protocols.agentcall import frames


def refused(problem: Problem) -> frames.ErrorFrame:
    """Convert a problem; the codes are the model's own, so they mean the same on every channel."""
    return frames.ErrorFrame(
        code=problem.code,
        message=problem.message,
        retryable=problem.retryable,
        path=problem.path,
        limit=problem.limit,
        turn=problem.turn,
        retry_after_ms=problem.retry_after_ms,
    )
