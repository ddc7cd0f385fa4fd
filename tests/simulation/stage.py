"""What everybody in a simulated world shares: chance, the session as it stands, and the way to the engine."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import TypeVar

from duologue.engine.state import SessionState
from duologue.model.inputs import AnyInput
from duologue.model.replies import Reply

Give = Callable[[AnyInput], Reply]
Item = TypeVar("Item")


class Stage:
    """The place where a schedule is played.

    Args:
        seed: all chance comes from it.
        give: steps the engine, which is judged.

    Attributes:
        rng: the only chance there is.
        now_ms: the only clock there is.
        state: the session's; another one after a crash.
        tally: how often what happened.
    """

    def __init__(self, seed: int, give: Give) -> None:
        self.rng = Random(seed)
        self.now_ms = 1_800_000_000_000
        self.state = SessionState()
        self.tally: Counter[str] = Counter()
        self.give = give

    def chance(self) -> float:
        """A number from 0 to 1."""
        return self.rng.random()

    def pick(self, choices: list[Item] | tuple[Item, ...]) -> Item:
        """One of several."""
        return choices[int(self.rng.random() * len(choices))]
