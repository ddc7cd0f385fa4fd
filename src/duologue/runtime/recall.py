"""What is remembered of a person, as runs are given it."""

from typing import Protocol

import msgspec

from duologue.model.agent import AgentRequest
from duologue.model.base import Value
from duologue.model.inputs import MemoriesRecalled
from duologue.model.memory import MemoryItem
from duologue.runtime.session import LiveSession


class Recalled(Value, kw_only=True):
    """What a run is given, and how long it took, in ms."""

    memories: tuple[MemoryItem, ...] = ()
    retrieve_ms: int = 0

    def given_to(self, request: AgentRequest) -> AgentRequest:
        """The request with what was found."""
        return msgspec.structs.replace(request, memories=self.memories) if self.memories else request

    def tell(self, session: LiveSession, response_id: str) -> None:
        """Tell of it in the session of its run; nothing where nothing was found.

        Raises:
            StoreError: the session has failed.
        """
        if self.memories:
            memory_ids = tuple(one.memory_id for one in self.memories)
            session.give(MemoriesRecalled(response_id=response_id, memory_ids=memory_ids, retrieve_ms=self.retrieve_ms))


class Looks(Protocol):
    """Finds what is remembered. Nobody waits for it beyond its time limit, and it never raises."""

    async def look(self, request: AgentRequest) -> Recalled:
        """Find what may matter to a run. Cancellation: safe."""
        ...


class Recall(Looks, Protocol):
    """That, for all runs."""

    async def count(self, subject: str) -> int:
        """How much is remembered of a person."""
        ...
