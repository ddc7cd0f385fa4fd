"""Whose end an exception is: the task's own, or that of the code of somebody else's which the task runs."""

import asyncio


def ends_the_task(error: BaseException) -> bool:
    """Whether whoever owns the task ends it. All else was raised by what it runs, and only that may suffer.

    A library that calls `sys.exit`, or raises `CancelledError` though nobody has cancelled, would else take the server
    with it.
    """
    if isinstance(error, KeyboardInterrupt):
        return True
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # No loop runs any more: the task is thrown away.
        return True
    return isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling() > 0)
