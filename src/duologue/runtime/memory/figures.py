"""What memory counts."""

from msgspec import Struct


class MemoryFigures(Struct):
    """Counts since the start.

    Attributes:
        recalls: runs for which something was looked for.
        recalled: memories that they were given.
        late: how often the memory or its model took too long.
        failed: how often the memory could not be used.
        stored: memories that were stored.
        forgotten: memories that were removed because somebody asked.
        missed: turns that a model could not be asked about, so that rules were.
    """

    recalls: int = 0
    recalled: int = 0
    late: int = 0
    failed: int = 0
    stored: int = 0
    forgotten: int = 0
    missed: int = 0
