"""Condition: what is switched off while the machine has little left."""

from duologue.engine.progress import Progress
from duologue.model.inputs import ConditionChanged
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: ConditionChanged) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
