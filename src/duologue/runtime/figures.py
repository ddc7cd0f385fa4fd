"""Counters of the running server; a metrics page reads them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Figures:
    """Counts since the start.

    Attributes:
        turns: ended turns by outcome.
        events: stored events.
        commits: store answers, one per session and group.
        failures: failed runs by code.
        repeats: turns that were recognised as repeats.
        refusals: refused inputs by code.
    """

    turns: dict[str, int] = field(default_factory=dict[str, int])
    events: int = 0
    commits: int = 0
    failures: dict[str, int] = field(default_factory=dict[str, int])
    repeats: int = 0
    refusals: dict[str, int] = field(default_factory=dict[str, int])


def count(table: dict[str, int], key: str) -> None:
    """Add one."""
    table[key] = table.get(key, 0) + 1
