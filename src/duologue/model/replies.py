"""What the one who gave an input is told. Not part of the journal."""

from typing import TypeAlias

from duologue.model.base import Value
from duologue.model.errors import Problem


class Accepted(Value, kw_only=True):
    """It was taken, and is stored. `turn` is its turn, 0 where none; `seq` the number of its first event."""

    turn: int
    seq: int


class Repeated(Value, kw_only=True):
    """It had been taken before; nothing was done. `seq` is the number of the first one's `TurnAccepted`."""

    turn: int
    seq: int


class Ignored(Value, kw_only=True):
    """It came too late to matter; nothing was changed."""


class Rejected(Value, kw_only=True):
    """It was refused; nothing was changed."""

    problem: Problem


Reply: TypeAlias = Accepted | Repeated | Ignored | Rejected
