"""Where Smart Turn's model is: at a path, or in a package that carries it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

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
    if path:
        named = Path(path).expanduser()
        return named if named.is_file() else None
    spec = find_spec(CARRIER)
    if spec is None or spec.origin is None:
        return None
    return max(Path(spec.origin).parent.glob(FILES), default=None)
