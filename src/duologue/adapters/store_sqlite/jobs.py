"""Work for a store thread, and the answer's way back to the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar

from duologue.adapters.store_sqlite.errors import store_error
from duologue.model import limits
from duologue.model.errors import StoreError

On = TypeVar("On")
On_contra = TypeVar("On_contra", contravariant=True)
T = TypeVar("T")


class Work(Protocol[On_contra]):
    """What a store thread sees of a job: whatever comes out of it is its caller's business."""

    def run(self, on: On_contra) -> None:
        """Do it."""
        ...

    def refuse(self, error: StoreError) -> None:
        """Do not do it."""
        ...


def signal() -> "Job[None, None]":
    """Make a job without work: it tells the event loop that the thread has come so far."""
    return Job(lambda _: None)


class Job(Generic[On, T]):
    """One call, done on a store thread with what that thread owns."""

    def __init__(self, work: Callable[[On], T]) -> None:
        self._work = work
        self._future: Future[T] = Future()

    def run(self, on: On) -> None:
        """Do it, unless the caller has gone; called by the thread."""
        if not self._future.set_running_or_notify_cancel():
            return
        try:
            result = self._work(on)
        # The thread's boundary: whatever goes wrong in one call is its caller's, and the thread goes on.
        except Exception as error:  # noqa: BLE001
            self._future.set_exception(store_error(error))
        else:
            self._future.set_result(result)

    def after(self, then: Callable[[bool], None]) -> None:
        """Have something done on the event loop once it is over, before its caller goes on, or after he has gone.

        Args:
            then: is told whether the work is done; false where it failed or was not begun.
        """
        loop = asyncio.get_running_loop()

        def over(future: Future[T]) -> None:
            # A closed loop has nobody left to tell.
            if not loop.is_closed():
                loop.call_soon_threadsafe(then, not future.cancelled() and future.exception() is None)

        self._future.add_done_callback(over)

    def refuse(self, error: StoreError) -> None:
        """Answer with an error instead; called by the thread."""
        if self._future.set_running_or_notify_cancel():
            self._future.set_exception(error)

    async def answer(self) -> T:
        """Wait for the answer.

        Raises:
            StoreError: it failed, or took longer than `STORE_MS`; then it is not begun any more.
        Cancellation: safe; not begun if it was still waiting, finished if it had started.
        """
        try:
            async with asyncio.timeout(limits.STORE_MS / 1000):
                return await asyncio.wrap_future(self._future)
        except TimeoutError:
            raise StoreError(
                f"The store did not answer within {limits.STORE_MS // 1000} s. "
                "Check that the disk of the data folder is not overloaded, and try again."
            ) from None
