"""Tools of the registry: how a call walks from the request to its end."""

from duologue.engine.progress import Progress
from duologue.model.inputs import ToolInput
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: ToolInput) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
