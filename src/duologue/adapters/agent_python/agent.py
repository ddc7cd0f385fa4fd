"""The port around a user's function."""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeAlias, cast

from duologue.adapters.agent_python.threads import OwnThreads
from duologue.adapters.agent_python.turn import Turn
from duologue.model import limits
from duologue.model.agent import (
    AgentItem,
    AgentRequest,
    Asked,
    Cancelled,
    Chips,
    Citation,
    Failure,
    Finished,
    Note,
    Rich,
    RunEnd,
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.handoff import HandOff
from duologue.model.observations import Observe
from duologue.model.routing import Upgrade
from duologue.ports.agent import WHAT_TO_SAY, Files
from duologue.runtime.threads import Full

Said: TypeAlias = str | AgentItem
"""What a function may say; a `str` is some more text."""

Returned: TypeAlias = AsyncIterator[Said] | Awaitable[Said | None] | Said | None
"""What calling a user's function gives."""

Answer: TypeAlias = Callable[[Turn], Returned]
"""A user's function: an async generator function, a coroutine function or a plain one."""

EXAMPLE = "write: async def answer(turn): yield ..."


class PythonAgent:
    """Answers turns with a function.

    An async generator function streams. A coroutine function or a plain function gives its answer whole; the plain
    one is called in a thread, so that it may block: of `limits.AGENT_THREADS` that only this agent has. One more answer
    waits for its turn, in order, and fails after `limits.AGENT_THREAD_WAIT_MS`. When the function ends after it said
    something that the person can see, the answer is finished; when it ends having said nothing, nothing is invented:
    the stream ends without `Finished`.
    Source: `duologue.ports.agent.Agent`.

    Args:
        function: takes one `Turn`. It serves all sessions at once.
        name: for people and figures; the function's own name where none is given.
    Raises:
        TypeError: it cannot be called with one turn, or is a generator without `async`.
    Cancellation: the function's generator is closed or its coroutine cancelled, and `finally` blocks run.
        A plain function cannot be stopped: its thread runs on, and is used again only then; its answer is dropped.
    """

    def __init__(self, function: Answer, *, name: str | None = None) -> None:
        complaint = unfit(function)
        if complaint is not None:
            raise TypeError(complaint)
        self._function = function
        self._threads = OwnThreads()
        self._name = name or str(getattr(function, "__name__", type(function).__name__))

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return self._name

    @property
    def function(self) -> Answer:
        """What answers."""
        return self._function

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer one turn, as the port says.

        Raises:
            TypeError: the function yielded or returned something else than text and items; the type is named.
        """
        visible = False
        async with aclosing(self.answer(request, files)) as said:
            async for value in said:
                item = as_item(value)
                if item is None:
                    continue
                yield item
                if isinstance(item, RunEnd):
                    return
                visible = visible or is_visible(item)
        if visible:
            yield Finished()

    def answer(self, request: AgentRequest, files: Files) -> AsyncGenerator[object, None]:
        """Answer one turn with what the function says, unchecked; see `duologue.ports.agent.PlainAgent`.

        It is the function's own generator, where it is one: a layer more costs on every token.
        """
        turn = Turn(request, files)
        if turn.repeats:
            return _further(turn, self._said_by(turn))
        return self._said_by(turn)

    def _said_by(self, turn: Turn) -> AsyncGenerator[object, None]:
        if inspect.isasyncgenfunction(_called(self._function)):
            # What it yields is looked at one by one.
            return cast(AsyncGenerator[object, None], self._function(turn))
        return self._said(turn)

    async def _said(self, turn: Turn) -> AsyncGenerator[object, None]:
        function = self._function
        try:
            result = function(turn) if _is_async(function) else await self._threads.call(function, turn)
        except Full:
            message = f"{limits.AGENT_THREADS} earlier answers of this agent have not ended, and no more are begun"
            yield Failure(message=message, retryable=True)
            return
        if isinstance(result, AsyncIterator):
            async for value in result:
                yield value
            return
        answer = await result if isinstance(result, Awaitable) else result
        if answer is not None:
            yield answer


async def _further(turn: Turn, said: AsyncGenerator[object, None]) -> AsyncGenerator[object, None]:
    """Say only what a function says that it has not said before: after the last of the calls that it has made.

    One that takes another way, and makes none of them any more, is heard in the end.
    """
    before: list[object] = []
    async with aclosing(said) as values:
        async for value in values:
            if turn.repeats:
                before.append(value)
            else:
                yield value
    if turn.repeats:
        for value in before:
            yield value


def as_item(value: object) -> AgentItem | None:
    """Check that what a function said is an item; `None` for empty text."""
    match value:
        case str():
            return value or None
        case Text() | Citation() | Chips() | Rich() | Note() | Asked() | Cancelled() | Failure() | Finished():
            return value
        case ToolCalled() | ToolReturned() | ToolRequested() | Observe() | HandOff() | Upgrade():
            return value
        case _:
            raise TypeError(f"the agent's function said a {type(value).__qualname__}; {WHAT_TO_SAY}")


def is_visible(item: AgentItem) -> bool:
    """Tell whether the person gets to see it: blank text and notes do not count as an answer."""
    match item:
        case str(text) | Text(text=text):
            return bool(text.strip())
        case Citation() | Chips() | Rich() | ToolRequested() | Observe() | HandOff() | Upgrade():
            return True
        case Note() | ToolCalled() | ToolReturned() | Asked() | Cancelled() | Failure() | Finished():
            return False


def unfit(function: object) -> str | None:
    """Say why something cannot be an agent's function; `None` where it can."""
    if not callable(function):
        return f"is a {type(function).__qualname__} and not a function; {EXAMPLE}"
    if isinstance(function, type):
        return f"is the class {function.__qualname__}; name a function, or an instance that can be called"
    if inspect.isgeneratorfunction(_called(function)):
        return f"is a generator without async; {EXAMPLE}"
    try:
        signature = inspect.signature(function)
    except ValueError:  # A builtin without a signature: only calling it can tell.
        return None
    try:
        signature.bind(object())
    except TypeError:
        return f"takes {signature}, but is called with one argument, the turn; {EXAMPLE}"
    return None


def _is_async(function: object) -> bool:
    called = _called(function)
    return inspect.isasyncgenfunction(called) or inspect.iscoroutinefunction(called)


def _called(function: object) -> object:
    """Look through an instance with `__call__`; `inspect` itself looks through partials and methods."""
    plain = inspect.isroutine(function) or not hasattr(function, "__call__")  # noqa: B004
    partial = hasattr(function, "func")
    return function if plain or partial else getattr(function, "__call__")  # noqa: B004, B009
