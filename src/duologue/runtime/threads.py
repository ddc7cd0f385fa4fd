"""Threads for functions that may block for ever: nobody else waits behind one, and the server can stop without it."""

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Full(RuntimeError):
    """As many threads are busy as there may be; the function was not called."""


class Threads(Executor):
    """Begins a thread for each call, which ends with the call or with the process.

    The event loop's own threads are few and shared by everything, and a server that stops waits for them.

    Args:
        most: threads at once; one more call is `Full`.
        name: of the threads.
    """

    def __init__(self, most: int, *, name: str) -> None:
        self._room, self._name = threading.Semaphore(most), name

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call a function in a thread.

        Raises:
            Full: too many calls have not ended.
        """
        if not self._room.acquire(blocking=False):
            raise Full("too many calls of this function have not ended")
        future: Future[R] = Future()
        # From here on it cannot be taken back, so its place is free when it has ended, and not before.
        future.set_running_or_notify_cancel()

        def work() -> None:
            tell = _outcome(lambda: fn(*args, **kwargs))
            # Whoever hears of it finds room.
            self._room.release()
            tell(future)

        threading.Thread(target=work, name=self._name, daemon=True).start()
        return future


def _outcome(call: Callable[[], R]) -> Callable[[Future[R]], None]:
    """Call a function; gives what tells of it."""
    try:
        result = call()
    except StopIteration as error:
        # A future of asyncio's cannot hold it, and whoever waits would wait for ever.
        broken = RuntimeError("the function raised StopIteration")
        broken.__cause__ = error
        return lambda future: future.set_exception(broken)
    # Whatever it raises is for whoever waits.
    except BaseException as error:  # noqa: BLE001
        raised = error
        return lambda future: future.set_exception(raised)
    return lambda future: future.set_result(result)
