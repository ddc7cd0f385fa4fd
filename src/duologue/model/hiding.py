"""What tools declare to be hidden (`redact`), as others than the person see it: in events and in records.

Words of the agent are as they are: whoever repeats what a tool gave has said it.
"""

from typing import Final

import msgspec

from duologue.model.content import Answer, Interrupt, ToolResult
from duologue.model.events import (
    AnswerCompleted,
    AnyEvent,
    ResponseEnded,
    ToolCalled,
    ToolMoved,
    ToolReturned,
    TurnAccepted,
)
from duologue.model.inputs import AgentRequested, AnyInput, UserTurn
from duologue.model.records import Record
from duologue.model.redaction import HIDDEN, redacted, redacted_arguments
from duologue.model.tools import Approval, ApprovalDecided, ToolReported

MARKS: Final = (b'"redact"', b'"approval_decided"', b'"resume"')
"""A record without any of these hides nothing."""


def hidden(event: AnyEvent) -> AnyEvent:
    """An event as others than the person see it."""
    match event:
        case ToolCalled(redact=redact) if redact:
            return msgspec.structs.replace(event, arguments=redacted_arguments(event.arguments, redact))
        case ToolReturned(redact=redact) if redact:
            return msgspec.structs.replace(
                event, arguments=redacted_arguments(event.arguments, redact), result=_result(event, redact)
            )
        case ToolMoved(approval=Approval() as approval) if approval.redact:
            return msgspec.structs.replace(event, approval=_approval(approval))
        case ResponseEnded() | AnswerCompleted() if any(one.redact for one in event.interrupts):
            return msgspec.structs.replace(event, interrupts=tuple(map(_interrupt, event.interrupts)))
        case TurnAccepted(answers=answers) if answers:
            return msgspec.structs.replace(event, answers=tuple(map(_answer, answers)))
        case _:
            return event


def hidden_record(record: Record) -> Record:
    """A record as others than the person see it. What is replayed from it decides less than what was stored."""
    pointers = {one.call_id: one.redact for one in record.events if isinstance(one, ToolReturned)}
    events = tuple(hidden(event) for event in record.events)
    return msgspec.structs.replace(record, input=_input(record.input, pointers), events=events)


def _input(happened: AnyInput, pointers: dict[str, tuple[str, ...]]) -> AnyInput:
    match happened:
        case AgentRequested(spec=spec) if spec is not None and spec.redact:
            return msgspec.structs.replace(happened, arguments=redacted_arguments(happened.arguments, spec.redact))
        case ToolReported(call_id=call_id) if pointers.get(call_id):
            return msgspec.structs.replace(happened, output=redacted(happened.output, pointers[call_id]))
        case ApprovalDecided(arguments=str()):
            return msgspec.structs.replace(happened, arguments=HIDDEN)
        case UserTurn() if happened.resume or happened.tool_results:
            return msgspec.structs.replace(
                happened,
                resume=tuple(map(_answer, happened.resume)),
                tool_results=tuple(_brought(one, pointers) for one in happened.tool_results),
            )
        case _:
            return happened


def _result(event: ToolReturned, redact: tuple[str, ...]) -> str:
    # Why a call failed is in the server's own words, unless the tool gave them.
    return event.result if event.status in ("denied", "timed_out") else redacted(event.result, redact)


def _approval(approval: Approval) -> Approval:
    shown = redacted_arguments(approval.arguments, approval.redact)
    return msgspec.structs.replace(approval, arguments=shown, prompt=f"{approval.tool} {shown}")


def _interrupt(asked: Interrupt) -> Interrupt:
    if not asked.redact:
        return asked
    metadata = asked.metadata or {}
    shown = redacted(msgspec.json.encode(metadata.get("arguments")).decode(), asked.redact)
    metadata = {**metadata, "arguments": msgspec.json.decode(shown)}
    return msgspec.structs.replace(asked, metadata=metadata, message=f"{metadata.get('tool', '')} {shown}")


def _answer(answer: Answer) -> Answer:
    payload = answer.payload
    if not isinstance(payload, dict) or "arguments" not in payload:
        return answer
    return msgspec.structs.replace(answer, payload={**payload, "arguments": HIDDEN})


def _brought(result: ToolResult, pointers: dict[str, tuple[str, ...]]) -> ToolResult:
    redact = pointers.get(result.call_id, ())
    return msgspec.structs.replace(result, content=redacted(result.content, redact)) if redact else result
