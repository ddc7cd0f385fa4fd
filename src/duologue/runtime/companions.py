"""What lives beside the hub: told what is stored and what is removed."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Protocol, runtime_checkable

from duologue.model.events import AnyEvent
from duologue.ports.store import Place, Store


class Companion(Protocol):
    """Entered once the hub's store is open, and left before it is closed.

    It delays nobody: what it has to do with an event it does in its own time.
    """

    async def __aenter__(self) -> object: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Hear of durable events, in order; all but mere pieces of text. Does not raise."""
        ...

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Forget sessions before they are removed.

        Raises:
            StoreError: it cannot now; the sessions are not removed then.
        """
        ...


@runtime_checkable
class PersonKeeper(Protocol):
    """A companion that keeps something of people beside their sessions; others have no such method."""

    async def removing_person(self, subject: str) -> None:
        """Remove everything about a person, once their sessions have been forgotten.

        Raises:
            StoreError: it cannot now; the person's sessions are not removed then.
        """
        ...


class Companions:
    """All companions of a hub."""

    def __init__(self, companions: Sequence[Companion]) -> None:
        self._companions = tuple(companions)
        self._entered = AsyncExitStack()

    def add(self, companion: Companion) -> None:
        """Take one more, before they are entered."""
        self._companions = (*self._companions, companion)

    async def enter(self) -> None:
        """Enter them; where one cannot be, those before it are left again, and it raises."""
        try:
            for companion in self._companions:
                await self._entered.enter_async_context(companion)
        except BaseException:
            await self._entered.aclose()
            raise

    async def leave(self) -> None:
        """Leave them, the last one first."""
        await self._entered.aclose()

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Tell them of durable events."""
        for companion in self._companions:
            companion.stored(session_id, events)

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Let them forget sessions; see `Companion.removing`."""
        for companion in self._companions:
            await companion.removing(session_ids)

    async def removing_subject(self, store: Store, subject: str) -> None:
        """Let them forget a person with all their sessions; as `removing`."""
        after: Place | None = None
        while page := await store.list_sessions(subject=subject, after=after):
            await self.removing([info.session_id for info in page])
            after = Place(updated_ms=page[-1].updated_ms, session_id=page[-1].session_id)
        for companion in self._companions:
            if isinstance(companion, PersonKeeper):
                await companion.removing_person(subject)
