"""Threads for functions that may block for ever: nobody else waits behind one, and the server can stop without it."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

from duologue.model import limits

P = ParamSpec("P")
R = TypeVar("R")


class Full(RuntimeError):
    """As many threads are busy as there may be; the function was not called."""


class Threads(Executor):
    """Begins a thread for each call, which ends with the call or with the process.

    The event loop's own threads are few and shared by everything, and a server that stops waits for them.

    Args:
        most: threads at once; one more call is `Full`.
    """

    def __init__(self, most: int = limits.TOOL_THREADS) -> None:
        self._room = threading.Semaphore(most)

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call a function in a thread.

        Raises:
            Full: too many calls have not ended.
        """
        if not self._room.acquire(blocking=False):
            raise Full("too many calls of this function have not ended")
        future: Future[R] = Future()

        def work() -> None:
            try:
                if future.set_running_or_notify_cancel():
                    _fill(future, lambda: fn(*args, **kwargs))
            finally:
                self._room.release()

        threading.Thread(target=work, name="duologue-tool", daemon=True).start()
        return future


def _fill(future: Future[R], call: Callable[[], R]) -> None:
    try:
        result = call()
    except StopIteration as error:
        # A future of asyncio's cannot hold it, and whoever waits would wait for ever.
        broken = RuntimeError("the function raised StopIteration")
        broken.__cause__ = error
        future.set_exception(broken)
    # Whatever it raises is for whoever waits.
    except BaseException as error:  # noqa: BLE001
        future.set_exception(error)
    else:
        future.set_result(result)
