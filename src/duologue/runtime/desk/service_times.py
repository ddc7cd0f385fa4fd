"""How long people take: measured, and what somebody who waits can be told of it."""

from collections import deque
from typing import Final

MEASURED: Final = 50
"""Latest conversations of a queue whose times count: what was last week says little of now."""


class ServiceTimes:
    """The times of one queue's latest conversations, in ms. A mean of them, not of all: habits change."""

    def __init__(self) -> None:
        self._served: deque[int] = deque(maxlen=MEASURED)
        self._taken: deque[int] = deque(maxlen=MEASURED)

    def served(self, duration_ms: int) -> None:
        """A conversation was somebody's for so long."""
        self._served.append(max(0, duration_ms))

    def taken(self, waited_ms: int) -> None:
        """A conversation was taken after so long, before which nobody was in the queue."""
        self._taken.append(max(0, waited_ms))

    def follow(self, earlier: "ServiceTimes") -> None:
        """Count what was measured earlier, as far as the latest leave room for it."""
        self._served = deque([*earlier._served, *self._served], maxlen=MEASURED)
        self._taken = deque([*earlier._taken, *self._taken], maxlen=MEASURED)

    def estimate_ms(self, position: int, *, free: int, slots: int) -> int | None:
        """How long one waits at a place of the queue; `None` where nothing is known.

        Args:
            position: from 1.
            free: conversations that those who are there could take now.
            slots: conversations that they have and could have in all.
        """
        if not slots:
            return None
        if position <= free:
            return sum(self._taken) // len(self._taken) if self._taken else None
        if not self._served:
            return None
        # One of `slots` ends every mean/slots; who is first in line takes the first that does.
        return (sum(self._served) // len(self._served)) * (position - free) // slots
