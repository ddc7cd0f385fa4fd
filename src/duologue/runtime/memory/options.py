"""How memory behaves."""

from duologue.model import limits
from duologue.model.base import Value
from duologue.ports.memory import Policy

DAY_MS = 86_400_000

IMPORTANCE = 0.2
"""How important something has to be to be kept: above passing remarks."""


class MemoryOptions(Value, kw_only=True):
    """How people are remembered; `model/limits/` has the reasons of the defaults.

    Attributes:
        recall_ms: how long a run may wait for what is remembered.
        recalled: most memories that a run is given.
        items: most memories of one person.
        age_days: how long one is kept that nobody needs; 0 for ever.
        importance: below it nothing is kept.
    """

    recall_ms: int = limits.MEMORY_RECALL_MS
    recalled: int = limits.MEMORY_RECALLED
    items: int = limits.MEMORY_ITEMS
    age_days: int = limits.MEMORY_AGE_DAYS
    importance: float = IMPORTANCE

    @property
    def policy(self) -> Policy:
        """What is kept."""
        return Policy(items=self.items, age_ms=self.age_days * DAY_MS, importance=self.importance)
