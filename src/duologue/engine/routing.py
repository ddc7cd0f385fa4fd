"""Routing: which tier answers a turn."""

from duologue.engine.progress import Progress
from duologue.model.inputs import ComplexityJudged
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: ComplexityJudged) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
