"""Small shapes of structured concurrency."""

import asyncio
from collections.abc import Coroutine


async def until_first(*work: Coroutine[None, None, None]) -> None:
    """Run several coroutines until the first ends, then cancel the others and wait for them.

    Raises:
        ExceptionGroup: what any of them raised.
    Cancellation: all of them are cancelled and waited for.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
