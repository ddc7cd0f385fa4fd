"""Handoff: who has the conversation."""

from duologue.engine.progress import Progress
from duologue.model.inputs import HandoffInput
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: HandoffInput) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
