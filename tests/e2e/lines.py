"""The ways in which a person may be on a call, for tests that are the same on each."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, NamedTuple, Protocol

from tests.e2e.calls import Caller, calling
from tests.e2e.harness import Live, until
from tests.e2e.peers import Person, person

from duologue.model.audio import BYTES_PER_MS
from duologue.model.events import AnyEvent
from duologue.runtime.session import LiveSession

SESSION: Final = "s-1"


class Line(Protocol):
    """One person on a call."""

    async def say(self, ms: int, *, then_ms: int = 0) -> None:
        """Speak for so long and be silent for so long, in their own time."""
        ...

    @property
    def loud_ms(self) -> int:
        """How much speech they have received."""
        ...

    @property
    def last_loud_s(self) -> float:
        """When the last of it came, on the loop's clock."""
        ...

    async def over(self) -> str:
        """Wait until the call is over; why, where the link has words for it."""
        ...


class SocketLine:
    """A person on `WS /audio`."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    async def say(self, ms: int, *, then_ms: int = 0) -> None:
        """Speak."""
        await self.caller.say(ms, then_ms=then_ms)

    @property
    def loud_ms(self) -> int:
        """All of it is speech."""
        return sum(map(len, self.caller.sound.values())) // BYTES_PER_MS

    @property
    def last_loud_s(self) -> float:
        """When the last message of sound came."""
        return self.caller.last_sound_s

    async def over(self) -> str:
        """Wait until the socket is closed."""
        await self.caller.until_closed()
        reason: str = (await self.caller.until("hangup"))["reason"]
        return reason


@asynccontextmanager
async def on_socket(port: int) -> AsyncGenerator[SocketLine]:
    """Call over `WS /audio`."""
    async with calling(port) as caller:
        await caller.start(SESSION)
        yield SocketLine(caller)


@asynccontextmanager
async def on_webrtc(port: int) -> AsyncGenerator[Person]:
    """Call over WebRTC."""
    async with person(port, f"?session={SESSION}") as caller:
        yield caller


class Kind(NamedTuple):
    """A way to call."""

    name: str
    ring: "Ring"
    lead_ms: int


class Ring(Protocol):
    """Calls."""

    def __call__(self, port: int) -> AbstractAsyncContextManager[Line]: ...


KINDS: Final = (Kind("socket", on_socket, 200), Kind("webrtc", on_webrtc, 40))


class Seen:
    """What has happened in the session that is called."""

    def __init__(self, server: Live) -> None:
        self._server = server

    @property
    def session(self) -> LiveSession:
        """The session."""
        return next(one for one in self._server.hub.sessions if one.state.session_id == SESSION)

    def all(self, kind: type[AnyEvent]) -> list[AnyEvent]:
        """All events of a kind; none where nobody has opened the session yet."""
        if all(one.state.session_id != SESSION for one in self._server.hub.sessions):
            return []
        return [event for event in self.session.tail.after(0, limit=10_000) or [] if isinstance(event, kind)]

    async def has(self, kind: type[AnyEvent], *, count: int = 1, within_s: float = 15.0) -> AnyEvent:
        """Wait for the so-many-th event of a kind."""
        await until(lambda: len(self.all(kind)) >= count, within_s=within_s)
        return self.all(kind)[count - 1]


def now_s() -> float:
    """The loop's clock."""
    return asyncio.get_running_loop().time()
