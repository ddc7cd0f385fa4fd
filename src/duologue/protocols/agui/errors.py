"""Problems and failures as RUN_ERROR; the codes are the model's own, the same on every channel."""

from duologue.model.content import Figures
from duologue.model.errors import Problem
from duologue.model.events import ResponseFailed
from duologue.protocols import measures
from duologue.protocols.agui import frames


def refused(problem: Problem, *, now_ms: int) -> frames.RunError:
    """Make the answer to a run that was not begun; it is no part of any stream."""
    details = frames.ErrorDetails(
        retryable=problem.retryable,
        path=problem.path,
        limit=problem.limit,
        turn=problem.turn,
        retry_after_ms=problem.retry_after_ms,
    )
    return frames.RunError(
        timestamp=now_ms,
        message=problem.message,
        code=problem.code,
        metadata=frames.ErrorMetadata(duologue=details),
    )


def failed(event: ResponseFailed) -> frames.RunError:
    """Make the end of a run that failed."""
    details = frames.ErrorDetails(
        retryable=event.retryable,
        response_id=event.response_id,
        figures=None if event.figures is None else measures.figures(event.figures),
        heard=event.heard,
        latency=measures.latency(event.latency),
    )
    return frames.RunError(
        timestamp=event.at_ms,
        message=event.message,
        code=event.code,
        usage=() if event.figures is None else usage(event.figures),
        metadata=frames.ErrorMetadata(duologue=details),
    )


def usage(figures: Figures) -> tuple[frames.TokenUsage, ...]:
    """Write what the run's models counted."""
    return tuple(
        frames.TokenUsage(
            provider=one.provider,
            model=one.model,
            input_tokens=one.input_tokens,
            output_tokens=one.output_tokens,
            reasoning_tokens=one.reasoning_tokens,
            cached_input_tokens=one.cached_tokens,
        )
        for one in figures.usage
    )
