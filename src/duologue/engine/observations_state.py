"""The state of physical observations: what the person is asked to show."""

import msgspec

from duologue.model.content import Modality


class Asked(msgspec.Struct, frozen=True):
    """Something that the person is asked to show; `due_ms` is when it is given up, ms since 1970."""

    interaction_id: str
    modality: Modality
    due_ms: int


class ObservationsState(msgspec.Struct):
    """What is open, what was given up in the end, and how much was asked for so far."""

    open: list[Asked] = []
    expired: list[str] = []
    count: int = 0
