"""An event loop on which waiting costs nothing, and the clock that goes with it."""

import asyncio
import selectors
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, Final, TypeVar, TypeVarTuple

Result = TypeVar("Result")
Args = TypeVarTuple("Args")

OWN_FILES: Final = 1
"""Files that the loop watches for itself: its way of being woken by threads."""


class VirtualTimeError(RuntimeError):
    """Nothing can happen any more: no callback is due, no timer is set, and nothing outside is waited for."""


class _Selector(selectors.BaseSelector):
    """Lets time pass at once where nothing outside is waited for, and really where something is."""

    def __init__(self, skip: Callable[[float | None], bool], passed: Callable[[float], None]) -> None:
        self._real = selectors.DefaultSelector()
        self._skip, self._passed = skip, passed

    # The five of the base class; what they are given and give back is the real selector's.
    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map() or {}

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if self._skip(timeout):
            return []
        began = time.monotonic()
        ready = self._real.select(timeout)
        self._passed(time.monotonic() - began)
        return ready

    @property
    def watched(self) -> int:
        """How many files are watched."""
        return len(self.get_map())


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs callbacks in the order of their times, and skips the time between them.

    While something outside is waited for (a socket, a thread of an executor), time passes as it really does: what
    an agent's network costs is measured, and what it sleeps is not waited for. With nothing outside, a run is
    deterministic. Threads that are started by other means than an executor are not known to the loop.
    """

    def __init__(self) -> None:
        self._now_s = 0.0
        self._threads = 0
        self._looking = _Selector(self._skip, self._passed)
        super().__init__(self._looking)

    def time(self) -> float:
        """Seconds since the loop was made, in its own time."""
        return self._now_s

    def jump_to(self, seconds: float) -> None:
        """Set the time forward; timers that are due by then are called on the loop's next turn."""
        self._now_s = max(self._now_s, seconds)

    # typeshed spells the same otherwise.
    def run_in_executor(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, executor: Executor | None, func: Callable[[*Args], Result], *args: *Args
    ) -> "asyncio.Future[Result]":
        """Run in a thread; while it runs, time passes as it really does."""
        self._threads += 1
        try:
            running = super().run_in_executor(executor, func, *args)
        except BaseException:
            self._threads -= 1
            raise
        running.add_done_callback(self._thread_ended)
        return running

    # Any: a later Python gives it a timeout.
    async def shutdown_default_executor(self, *args: Any, **options: Any) -> None:
        """Wait for the executor's threads, as they really end."""
        self._threads += 1
        try:
            await super().shutdown_default_executor(*args, **options)
        finally:
            self._threads -= 1

    def _thread_ended(self, _: "asyncio.Future[Any]") -> None:
        self._threads -= 1

    def _skip(self, timeout: float | None) -> bool:
        """Let `timeout` pass at once; false where it has to be waited for."""
        if self._threads or self._looking.watched > OWN_FILES:
            return False
        if timeout is None:
            raise VirtualTimeError("nothing is left that could happen")
        self._now_s += timeout
        return True

    def _passed(self, seconds: float) -> None:
        self._now_s += seconds


class VirtualClock:
    """The wall clock of a virtual loop; a `ports.clock.Clock`.

    Args:
        loop: whose time it tells.
        start_ms: what it shows at the loop's time 0, ms since 1970.
    """

    def __init__(self, loop: VirtualLoop, *, start_ms: int) -> None:
        self._loop, self._start_ms = loop, start_ms

    def now_ms(self) -> int:
        """Return ms since 1970."""
        # A millisecond that went through seconds and back may be one bit short of itself.
        return self._start_ms + int(self._loop.time() * 1000 + 1e-6)

    def jump_to(self, at_ms: int) -> None:
        """Set the time forward."""
        self._loop.jump_to((at_ms - self._start_ms) / 1000)
