"""Which operators are there: those with an open page, and those who did something lately."""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager

from duologue.model import limits
from duologue.runtime.desk.rules import Card


class Staff:
    """Who is there, by their ids."""

    def __init__(self) -> None:
        self._cards: dict[str, Card] = {}
        self._open: Counter[str] = Counter()
        self._seen_ms: dict[str, int] = {}
        self._left_ms: dict[str, int] = {}

    def seen(self, card: Card, now_ms: int) -> bool:
        """Note that somebody did something; true where they had not been there."""
        news = not self._is_there(card.operator_id, now_ms) or self._cards.get(card.operator_id) != card
        self._cards[card.operator_id], self._seen_ms[card.operator_id] = card, now_ms
        if len(self._cards) > limits.DESK_OPERATORS:
            self._forget(now_ms)
        return news

    @contextmanager
    def page(self, card: Card, now_ms: Callable[[], int]) -> Generator[None]:
        """Note that somebody has a page open."""
        self.seen(card, now_ms())
        self._open[card.operator_id] += 1
        try:
            yield
        finally:
            self._open[card.operator_id] -= 1
            self._left_ms[card.operator_id] = now_ms()

    def there(self, now_ms: int) -> list[Card]:
        """Who is there, by name."""
        found = [card for card in self._cards.values() if self._is_there(card.operator_id, now_ms)]
        return sorted(found, key=lambda card: (card.name, card.operator_id))

    def last_there_ms(self, operator_id: str, now_ms: int) -> int:
        """When somebody last did something or had a page open: now, where they have one; 0 where nothing is known."""
        if self._open[operator_id] > 0:
            return now_ms
        return max(self._seen_ms.get(operator_id, 0), self._left_ms.get(operator_id, 0))

    def _is_there(self, operator_id: str, now_ms: int) -> bool:
        if self._open[operator_id] > 0:
            return True
        seen_ms = self._seen_ms.get(operator_id)
        return seen_ms is not None and now_ms - seen_ms < limits.DESK_PRESENT_MS

    def _forget(self, now_ms: int) -> None:
        for operator_id in [one for one in self._cards if not self._is_there(one, now_ms)]:
            del self._cards[operator_id], self._seen_ms[operator_id], self._open[operator_id]
            self._left_ms.pop(operator_id, None)
