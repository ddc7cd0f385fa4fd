"""The agent of a recording: it says what was said, when it is told to."""

import ast
import asyncio
import re
from collections.abc import AsyncGenerator
from typing import Final, assert_never

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
    Text,
    ToolCalled,
    ToolRequested,
    ToolReturned,
)
from duologue.model.content import Chip, Interrupt
from duologue.model.errors import Code
from duologue.model.handoff import HandOff
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    ObservationAsked,
    UpgradeAsked,
)
from duologue.model.observations import Observe
from duologue.model.routing import Upgrade
from duologue.ports.agent import Files


class TapeAgent:
    """Gives each run what it is handed, through the same relay as any agent.

    Args:
        name: the recorded agent's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._heard: dict[str, asyncio.Queue[AgentItem | None]] = {}

    def say(self, heard: AgentInput) -> None:
        """Hand in what a run said, to be said again."""
        self._queue(heard.response_id).put_nowait(item(heard))

    # The port hands in `files`; a recording reads none.
    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Say what is handed in, in each leg of an answer what was said in it; see `ports.agent.Agent`."""
        # How hard a turn is was told by an input of its own.
        queue = asyncio.Queue[AgentItem | None]() if request.judge else self._queue(request.response_id)
        while (said := await queue.get()) is not None:
            yield said

    def _queue(self, response_id: str) -> "asyncio.Queue[AgentItem | None]":
        return self._heard.setdefault(response_id, asyncio.Queue())


def item(heard: AgentInput) -> AgentItem | None:
    """What an agent said that was heard as this; `None` where it broke off."""
    match heard:
        case AgentSpoke(text=text):
            return Text(text=text)
        case AgentCited(title=title, url=url, snippet=snippet):
            return Citation(title=title, url=url, snippet=snippet)
        case AgentSuggested(chips=chips):
            return Chips(chips=chips)
        case AgentShowed(payload_type=payload_type, data=data, version=version):
            return Rich(payload_type=payload_type, data=data, version=version)
        case AgentNoted(category=category, message=message, details=details):
            return Note(category=category, message=message, details=details)
        case AgentCalled() | AgentReturned() | AgentRequested():
            return _of_tool(heard)
        case AgentAsked(interrupts=interrupts, usage=usage):
            return Asked(interrupts=interrupts, usage=usage)
        case AgentCancelled(usage=usage):
            return Cancelled(usage=usage)
        case AgentFinished():
            return Finished(total_tokens=heard.total_tokens, confident=heard.confident, usage=heard.usage)
        case AgentFailed():
            return _failed(heard)
        case ObservationAsked(modality=modality, prompt=prompt, wait_ms=wait_ms):
            return Observe(modality=modality, prompt=prompt, wait_ms=wait_ms)
        case AgentHandedOff(asked=asked):
            return asked
        case UpgradeAsked(reason=reason):
            return Upgrade(reason=reason)
        case _:
            assert_never(heard)


def _of_tool(heard: AgentCalled | AgentReturned | AgentRequested) -> ToolCalled | ToolReturned | ToolRequested:
    call_id, name, arguments = heard.call_id, heard.name, heard.arguments
    match heard:
        case AgentCalled(repeatable=repeatable):
            return ToolCalled(call_id=call_id, name=name, arguments=arguments, repeatable=repeatable)
        case AgentReturned(result=result, is_error=is_error):
            return ToolReturned(call_id=call_id, result=result, is_error=is_error, name=name, arguments=arguments)
        case AgentRequested(wrong=wrong):
            return ToolRequested(call_id=call_id, name=name, arguments=arguments, wrong=wrong)
        case _:
            assert_never(heard)


def _failed(heard: AgentFailed) -> AgentItem | None:
    """How a run failed: it said so, it broke off, or what it said could not be taken."""
    if heard.code == Code.AGENT_TRUNCATED:
        return None
    refused = _refused(heard.message) if heard.code == Code.AGENT_BAD_ITEM else None
    return refused or Failure(message=heard.message, retryable=heard.retryable, usage=heard.usage)


NO_TEXT: Final = "\ud800"
"""Half of a surrogate pair: no JSON can hold it, so the relay refuses what has it."""

_ARGUMENTS: Final = re.compile(r"the agent sent a call of (?P<name>.+) whose arguments are no JSON object", re.DOTALL)


def _refused(message: str) -> AgentItem | None:
    """An item that the relay refuses with these words; `None` where no such item is known."""
    if found := _ARGUMENTS.fullmatch(message):
        return ToolCalled(call_id="call", name=str(ast.literal_eval(found["name"])), arguments="[")
    match message.removeprefix("the agent sent ").split()[:2]:
        case ["text", _]:
            return Text(text=NO_TEXT)
        case ["a", "citation"]:
            return Citation(title="", url="nowhere")
        case ["a", "payload"]:
            return Rich(payload_type="", data={}, version=0)
        case ["a", "tool"]:
            return ToolCalled(call_id="", name="")
        case ["an", "interrupt"]:
            return Asked(interrupts=(Interrupt(interrupt_id="", reason=""),))
        case ["a", kind]:
            return _unwritable(kind)
        case _:
            return None


def _unwritable(kind: str) -> AgentItem | None:
    match kind:
        case "Rich":
            return Rich(payload_type=NO_TEXT, data={})
        case "Note":
            return Note(category=NO_TEXT, message="")
        case "Citation":
            return Citation(title=NO_TEXT, url="/")
        case "Chips":
            return Chips(chips=(Chip(label=NO_TEXT, text=""),))
        case "Failure":
            return Failure(message=NO_TEXT)
        case "ToolCalled":
            return ToolCalled(call_id="call", name=NO_TEXT)
        case "ToolRequested":
            return ToolRequested(call_id="call", name=NO_TEXT)
        case "ToolReturned":
            return ToolReturned(call_id="call", result=NO_TEXT)
        case "Asked":
            return Asked(interrupts=(Interrupt(interrupt_id=NO_TEXT, reason=NO_TEXT),))
        case "Observe":
            return Observe(modality="photo", prompt=NO_TEXT)
        case "HandOff":
            return HandOff(reason=NO_TEXT)
        case _:
            return None
