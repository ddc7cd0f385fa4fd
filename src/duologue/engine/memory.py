"""Memory: what is told of it."""

from duologue.engine.progress import Progress
from duologue.model.inputs import MemoryInput
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: MemoryInput) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
