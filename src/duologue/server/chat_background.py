"""A link on an event loop of its own, so that the terminal's thread is free to wait for keys."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Self, TypeVar

from duologue.server.chat_link import HubLink, Link, ServerLink, Told
from duologue.server.parts import make_hub
from duologue.server.settings import Settings

T = TypeVar("T")


@asynccontextmanager
async def to_server(link: ServerLink) -> AsyncGenerator[Link, None]:
    """Use a link to a server."""
    yield link


@asynccontextmanager
async def in_process(settings: Settings, *, session_id: str | None) -> AsyncGenerator[Link, None]:
    """Open the data folder and the agent of the settings, and a link to them.

    Raises:
        SettingsError: the agent is not there.
        StoreError: the folder is locked by a server, damaged or cannot be written.
    """
    async with make_hub(settings) as hub:
        yield HubLink(hub, session_id=session_id)


class Background:
    """Runs a link on an event loop in a thread of its own, so that the terminal's thread may wait for keys.

    Use it as a context manager; leaving ends the thread. Its methods are for the terminal's thread.

    Args:
        opening: makes the link when entered and closes what it needs when left.
    """

    def __init__(self, opening: AbstractAsyncContextManager[Link]) -> None:
        self._opening = opening
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._work, name="duologue-chat")
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.result()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(RuntimeError):  # The loop may have ended by itself.
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def take(self) -> list[Told]:
        """Wait for what is new; empty after a `nudge`."""
        return self._wait(self._link.inbox.take())

    def take_now(self) -> list[Told]:
        """Take what is new without waiting."""

        async def take_now() -> list[Told]:
            return self._link.inbox.take_now()

        return self._wait(take_now())

    def say(self, text: str) -> str:
        """Send a message; returns its id."""
        return self._wait(self._link.say(text))

    def settle(self) -> None:
        """Let go of the message."""
        self._loop.call_soon_threadsafe(self._link.settle)

    def cancel(self) -> None:
        """Stop the answer."""
        self._wait(self._link.cancel())

    def leave(self) -> None:
        """Do not wait for what is running when this is left."""
        self._loop.call_soon_threadsafe(self._link.leave)

    def nudge(self) -> None:
        """Make a waiting `take` return; safe in a signal handler."""
        self._loop.call_soon_threadsafe(self._link.inbox.nudge)

    def _wait(self, work: Coroutine[None, None, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _work(self) -> None:
        try:
            asyncio.run(self._serve())
        # The thread's boundary: whatever it is, the terminal's thread raises it.
        except BaseException as error:  # noqa: BLE001
            if self._ready.done():
                self._failure = error
            else:
                self._ready.set_exception(error)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with self._opening as link:
            self._link = link
            self._ready.set_result(None)
            async with asyncio.TaskGroup() as group:
                running = group.create_task(link.run())
                await self._stop.wait()
                running.cancel()
