"""Where the runtime says what happened to it: a port of its own, so that it does not choose a logger."""

from typing import Protocol


class EventLog(Protocol):
    """Takes fixed event names with values as fields."""

    def __call__(self, event: str, **fields: object) -> None:
        """Note one event. User text goes only into fields that begin with `pii.`."""
        ...
