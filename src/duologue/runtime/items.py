"""What an agent may say, as inputs; what cannot be stored or shown becomes a failure."""

import re
from typing import assert_never

import msgspec

from duologue.model import limits
from duologue.model.agent import (
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
from duologue.model.content import Interrupt
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
from duologue.ports.agent import WHAT_TO_SAY

TEXT_CHARS = limits.AGENT_ITEM_BYTES // 4
"""The longest text of one item: in UTF-8 it is within `limits.AGENT_ITEM_BYTES`."""

_ADDRESS = re.compile(r"(https?://[!-.0-~][!-~]*|/[!-~]*)")
"""Addresses that an agent may cite: absolute, or of a page of this server."""


def sayable(text: str) -> bool:
    """Whether text is short enough and has no lone surrogates, which no protocol can carry."""
    if len(text) > TEXT_CHARS:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def heard_of(item: object, response_id: str) -> AgentInput:
    """Turn an item into an input, or into a failure where it cannot be stored or shown.

    Raises:
        TypeError: it is no item; the type is named.
    """
    match item:
        case str(text) | Text(text=text):
            if sayable(text):
                return AgentSpoke(response_id=response_id, text=text)
            return _bad(response_id, "text that is too long or not valid Unicode")
        case Citation(title=title, url=url, snippet=snippet):
            if not _ADDRESS.fullmatch(url):
                return _bad(response_id, "a citation whose address is neither absolute nor a path")
            heard = AgentCited(response_id=response_id, title=title, url=url, snippet=snippet)
        case Chips(chips=chips):
            heard = AgentSuggested(response_id=response_id, chips=chips[: limits.CHIPS])
        case Rich(version=version) if version < 1:
            return _bad(response_id, "a payload whose version is below 1")
        case Rich():
            heard = AgentShowed(
                response_id=response_id, payload_type=item.payload_type, data=item.data, version=item.version
            )
        case Note():
            heard = AgentNoted(
                response_id=response_id, category=item.category, message=item.message, details=item.details
            )
        case ToolCalled() | ToolRequested() | ToolReturned():
            return _heard_of_tool(item, response_id)
        case Asked(interrupts=interrupts) if not all(map(_can_be_asked, interrupts)):
            return _bad(response_id, "an interrupt whose id or reason is missing or too long")
        case Asked(interrupts=interrupts, usage=usage):
            heard = AgentAsked(response_id=response_id, interrupts=interrupts, usage=usage)
        case Observe(modality=modality, prompt=prompt, wait_ms=wait_ms):
            heard = ObservationAsked(response_id=response_id, modality=modality, prompt=prompt, wait_ms=wait_ms)
        case HandOff():
            heard = AgentHandedOff(response_id=response_id, asked=item)
        case Upgrade(reason=reason):
            heard = UpgradeAsked(response_id=response_id, reason=reason)
        case Cancelled(usage=usage):
            heard = AgentCancelled(response_id=response_id, usage=usage)
        case Failure(message=message, retryable=retryable, usage=usage):
            heard = AgentFailed(
                response_id=response_id,
                code=Code.AGENT_FAILED,
                message=message,
                retryable=retryable,
                usage=usage,
            )
        case Finished():
            heard = AgentFinished(
                response_id=response_id,
                total_tokens=item.total_tokens,
                confident=item.confident,
                usage=item.usage,
            )
        case _:
            raise TypeError(f"the agent said a {type(item).__qualname__}; {WHAT_TO_SAY}")
    return heard if _fits(heard) else _bad(response_id, f"a {type(item).__name__} that is too large or no JSON")


def _heard_of_tool(item: ToolCalled | ToolRequested | ToolReturned, response_id: str) -> AgentInput:
    """Turn what an agent says of a tool into an input; arguments are a JSON object for everybody who reads them."""
    call_id, name, arguments = item.call_id, item.name, item.arguments
    named = isinstance(item, ToolReturned) or name
    if not (named and call_id and len(call_id) <= limits.TOOL_CALL_ID_CHARS and len(name) <= limits.TOOL_NAME_CHARS):
        return _bad(response_id, "a tool call whose id or name is missing or too long")
    if arguments and not _is_object(arguments):
        return _bad(response_id, f"a call of {name!r} whose arguments are no JSON object")
    match item:
        case ToolCalled(repeatable=repeatable):
            heard = AgentCalled(
                response_id=response_id,
                call_id=call_id,
                name=name,
                arguments=arguments or "{}",
                repeatable=repeatable,
            )
        case ToolRequested(wrong=wrong):
            heard = AgentRequested(
                response_id=response_id,
                call_id=call_id,
                name=name,
                arguments=arguments or "{}",
                wrong=wrong[: limits.TOOL_FAULT_CHARS],
            )
        case ToolReturned(result=result, is_error=is_error):
            heard = AgentReturned(
                response_id=response_id,
                call_id=call_id,
                result=result,
                is_error=is_error,
                name=name,
                arguments=arguments,
            )
        case _:
            assert_never(item)
    return heard if _fits(heard) else _bad(response_id, f"a {type(item).__name__} that is too large or no JSON")


def _is_object(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=dict[str, object])
    except (ValueError, RecursionError):
        return False
    return True


def _can_be_asked(interrupt: Interrupt) -> bool:
    return (
        bool(interrupt.interrupt_id and interrupt.reason) and len(interrupt.interrupt_id) <= limits.TOOL_CALL_ID_CHARS
    )


def _bad(response_id: str, what: str) -> AgentFailed:
    return AgentFailed(
        response_id=response_id, code=Code.AGENT_BAD_ITEM, message=f"the agent sent {what}", retryable=False
    )


def _fits(heard: AgentInput) -> bool:
    try:
        encoded = msgspec.json.encode(heard)
        msgspec.json.decode(encoded, type=type(heard))
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return False
    return len(encoded) <= limits.AGENT_ITEM_BYTES
