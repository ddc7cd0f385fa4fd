"""Signals: the latest estimates, and what follows from them."""

from duologue.engine.progress import Progress
from duologue.model.inputs import SignalsEstimated
from duologue.model.replies import Ignored, Reply


def take(step: Progress, happened: SignalsEstimated) -> Reply:  # noqa: ARG001
    """Take what is told of it."""
    return Ignored()
