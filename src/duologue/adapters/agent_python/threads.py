"""The threads of one agent that is a plain function: no other agent waits for them, and who waits comes in order."""

import asyncio
import contextlib
import contextvars
from collections.abc import Callable
from typing import TypeVar

from duologue.model import limits
from duologue.runtime.threads import Full, Threads

A = TypeVar("A")
R = TypeVar("R")


class OwnThreads:
    """At most `limits.AGENT_THREADS`. A place is free again when its function has ended, whoever still waits for it."""

    def __init__(self) -> None:
        self._threads = Threads(limits.AGENT_THREADS, name="duologue-agent")
        self._room = asyncio.Semaphore(limits.AGENT_THREADS)

    async def call(self, function: Callable[[A], R], given: A) -> R:
        """Call a function in a thread, with the caller's context variables.

        Raises:
            Full: no thread was free within `limits.AGENT_THREAD_WAIT_MS`; the function was not called.
        Cancellation: the function runs on, and what it gives is dropped.
        """
        try:
            async with asyncio.timeout(limits.AGENT_THREAD_WAIT_MS / 1000):
                await self._room.acquire()
        except TimeoutError as error:
            raise Full("no thread has become free") from error
        loop = asyncio.get_running_loop()

        def free() -> None:
            # The loop may have ended before the function.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._room.release)

        running = self._threads.submit(contextvars.copy_context().run, function, given)
        running.add_done_callback(lambda _: free())
        return await asyncio.wrap_future(running)
