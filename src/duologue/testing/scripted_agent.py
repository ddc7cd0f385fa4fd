"""An agent that says what it is told to, and counts."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TypeAlias

from duologue.model.agent import AgentItem, AgentRequest, Finished, RunEnd, Text
from duologue.model.base import Value
from duologue.ports.agent import Files


class Pause(Value, kw_only=True):
    """Say nothing for some time. On a virtual loop this costs no real time."""

    ms: float


class WaitFor(Value, kw_only=True):
    """Say nothing until the event is set."""

    event: asyncio.Event


class Raise(Value, kw_only=True):
    """Raise an exception."""

    error: Exception


class BreakOff(Value, kw_only=True):
    """Stop in the middle, with no end."""


Line: TypeAlias = str | AgentItem | Pause | WaitFor | Raise | BreakOff
Script: TypeAlias = Sequence[Line]


class ScriptedAgent:
    """Plays a script for each turn.

    Args:
        script: the lines of every turn, or a function from the request to them. `Finished` is added at the end
            unless the script ends with its own end.

    Attributes:
        requests: every request, in order.
        cancelled: how many runs were cut short from outside.
    """

    def __init__(self, script: Script | Callable[[AgentRequest], Script]) -> None:
        self._script = script
        self.requests: list[AgentRequest] = []
        self.cancelled = 0

    @property
    def name(self) -> str:
        """Its name in lists."""
        return "scripted"

    @property
    def runs(self) -> int:
        """How many runs have started."""
        return len(self.requests)

    # The port hands in `files`; a script reads none.
    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Play the script; see `ports.agent.Agent`."""
        self.requests.append(request)
        script = self._script(request) if callable(self._script) else self._script
        done = False
        try:
            for line in script:
                match line:
                    case str():
                        yield Text(text=line)
                    case Pause(ms=ms):
                        await asyncio.sleep(ms / 1000)
                    case WaitFor(event=event):
                        await event.wait()
                    case Raise(error=error):
                        done = True
                        raise error
                    case BreakOff():
                        done = True
                        return
                    case _:
                        done = isinstance(line, RunEnd)
                        yield line
                        if done:
                            return
            done = True
            yield Finished()
        finally:
            self.cancelled += not done
