"""Where a network is: at a path, or in a package that carries it."""

from importlib.util import find_spec
from pathlib import Path


def find_file(path: str, *, carrier: str, inside: str) -> Path | None:
    """Find a network's file without loading anything.

    Args:
        path: a file that somebody named; empty for the one of the package.
        carrier: the package; it is not imported.
        inside: where the file is in that package, as a pattern; of several the last by name.
    Returns:
        A file that exists, or `None`.
    """
    if path:
        named = Path(path).expanduser()
        return named if named.is_file() else None
    spec = find_spec(carrier)
    if spec is None or spec.origin is None:
        return None
    return max(Path(spec.origin).parent.glob(inside), default=None)
