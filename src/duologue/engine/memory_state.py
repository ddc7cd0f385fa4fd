"""What the engine knows of memory."""

import msgspec


class MemoryState(msgspec.Struct):
    """What a session was told of memory, so that nothing is told twice.

    Attributes:
        kept: ids of the latest memories that were stored.
        forgot_turn: the last turn of which it was told that something was forgotten.
        recalled: the last response for which memories were found.
    """

    kept: list[str] = []
    forgot_turn: int = 0
    recalled: str = ""
