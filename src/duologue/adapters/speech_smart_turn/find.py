"""Where Smart Turn's model is: at a path, or in a package that carries it."""

from pathlib import Path
from typing import Final

from duologue.onnx.model_file import find_file

CARRIER: Final = "pipecat"
"""A package that carries the model (BSD-2-Clause); nothing else of it is used, nor imported."""

FILES: Final = "audio/turn/smart_turn/data/smart-turn-v3*-cpu.onnx"
"""Where it is in that package, whichever of version 3."""


def find_model(path: str = "") -> Path | None:
    """Find the model without loading anything.

    Args:
        path: a file that somebody named; empty for the one of the package.
    Returns:
        A file that exists, or `None`.
    """
    return find_file(path, carrier=CARRIER, inside=FILES)
