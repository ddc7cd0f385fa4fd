"""Where the desk finds the conversations that it is about."""

from typing import Protocol

from duologue.ports.store import Store
from duologue.runtime.session import LiveSession


class Sessions(Protocol):
    """Where sessions are found, whoever's they are."""

    @property
    def store(self) -> Store:
        """Where their journals are."""
        ...

    async def reach(self, session_id: str) -> LiveSession:
        """Load a session.

        Raises:
            Refused: there is none.
            StoreError: the store cannot do it now.
        """
        ...

    def live(self, session_id: str) -> LiveSession | None:
        """A session that is in memory."""
        ...

    @property
    def taking_up(self) -> bool:
        """Whether sessions are still being loaded that were left open before the last start."""
        ...
