"""Which memories a run is given: relevance × importance × recency."""

from collections.abc import Sequence
from typing import Final

from duologue.model.memory import MemoryKind
from duologue.ports.memory import Found, Remembered

BASE: Final = 0.1
"""How relevant a memory counts that shares nothing with what was said: only very important ones are given then."""

LEAST: Final = 0.08
"""The lowest value that is given: importance 0.8 that shares nothing, or a passing one that fits a little."""

FLOOR: Final = 0.5
"""What recency leaves of the oldest memory's value: old is not wrong."""

DAY_MS: Final = 86_400_000

HALF_DAYS: Final[dict[MemoryKind, int]] = {"event": 14, "fact": 365, "preference": 365, "entity": 365}
"""After how many days half of what time takes is gone, by kind: an appointment ages quickly."""


def choose(found: Sequence[Found], *, most: int, now_ms: int) -> list[Remembered]:
    """Choose what a run is given, the best first.

    Args:
        found: in any order.
        most: of them.
        now_ms: ms since 1970.
    """
    valued = [(value(one, now_ms=now_ms), one.memory) for one in found]
    worth = [pair for pair in valued if pair[0] >= LEAST]
    worth.sort(key=lambda pair: (-pair[0], pair[1].memory_id))
    return [memory for _, memory in worth[:most]]


def value(found: Found, *, now_ms: int) -> float:
    """What a memory is worth for a run, 0 to 1."""
    memory = found.memory
    age_days = max(0, now_ms - memory.at_ms) / DAY_MS
    recency = FLOOR + (1 - FLOOR) * 0.5 ** (age_days / HALF_DAYS[memory.kind])
    return max(BASE, found.relevance) * memory.importance * recency
