"""The input of a run, as the protocol has it. Source: AG-UI 1.0, `RunAgentInput`."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from duologue.model.agent import AgentRequest
from duologue.model.content import (
    Attachment,
    ClientTool,
    Interrupt,
    Message,
    NfcObservation,
    PhotoObservation,
    ToolCall,
)

VERSION: Final = "1.0"
"""The version of the protocol that is spoken here."""

GIVEN_UP: Final = "This call was given up; it has no result."

APPROVAL: Final = "tool_approval"
"""The `reason` of interrupts that ask whether a tool of the server's may run."""

Json: TypeAlias = dict[str, Any]


def pictures_of(request: AgentRequest) -> tuple[Attachment, ...]:
    """The uploads of the turn that are pictures, the photo first, each once."""
    found = {item.upload_id: item for item in request.attachments if _is_picture(item)}
    if isinstance(request.observation, PhotoObservation):
        photo = request.observation.photo
        found = {photo.upload_id: photo} | found
    return tuple(found.values())


def run_input(request: AgentRequest, *, remembers: bool, pictures: Mapping[str, bytes]) -> Json:
    """Make the body of a run.

    Args:
        request: the turn.
        remembers: the agent keeps the thread: only what is new is sent, and not the messages before.
        pictures: bytes of the pictures to send, by upload id; the others are named in the context.
    """
    made: Json = {
        "threadId": request.session_id,
        "runId": f"{request.session_id}:{request.response_id}" + (f":{request.leg}" if request.leg > 1 else ""),
        "protocolVersion": VERSION,
        "state": {} if request.state is None else request.state,
        "messages": [*_messages(request, remembers=remembers, pictures=pictures)],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in offered(request).values()
        ],
        "context": list(_context(request, pictures)),
        "forwardedProps": {} if request.forwarded_props is None else request.forwarded_props,
    }
    approvals = {one.interrupt_id for one in request.interrupts if is_approval(one)}
    answers = [answer for answer in request.resume if answer.interrupt_id not in approvals]
    if answers:
        made["resume"] = [
            _some(
                interruptId=answer.interrupt_id,
                status=answer.status,
                payload=answer.payload,
                metadata=answer.metadata,
            )
            for answer in answers
        ]
    return made


def is_approval(interrupt: Interrupt) -> bool:
    """Whether somebody was asked to let a tool of the server's run: the agent did not ask that."""
    return interrupt.reason == APPROVAL and "digest" in (interrupt.metadata or {})


def offered(request: AgentRequest) -> dict[str, ClientTool]:
    """The tools that the agent may ask for, by name: the client's and the server's; of two of one name, the server's.

    To the agent all of them are its front end's: it asks, its run ends, and the next one brings the results.
    """
    return {tool.name: tool for tool in (*request.tools, *request.offered)}


def _messages(request: AgentRequest, *, remembers: bool, pictures: Mapping[str, bytes]) -> Iterator[Json]:
    goes_on = request.leg > 1 or bool(request.resumed)
    if remembers:
        yield from _new_results(request)
        yield from _history(_unseen(request.history), waiting={})
        # Of a turn that people answered, or another agent, it knows nothing.
        new_to_it = request.resumed in ("handed_back", "transferred")
        if new_to_it or not goes_on:
            yield from _turn(request, pictures)
        if new_to_it:
            said = [message for message in request.so_far if message.author]
            yield from _history(said, waiting={}, so_far=True)
        return
    yield from _history(request.history, waiting=open_calls(request))
    yield from _turn(request, pictures)
    yield from _history(request.so_far, waiting=open_calls(request), so_far=True)


def _unseen(history: Sequence[Message]) -> Sequence[Message]:
    """What was said while people answered in its place, since the agent last did; nothing where nobody has."""
    for place in range(len(history), 0, -1):
        message = history[place - 1]
        if message.role == "assistant" and not message.author:
            latest = history[place:]
            break
    else:
        latest = history
    return latest if any(message.author for message in latest) else ()


def open_calls(request: AgentRequest) -> dict[str, ToolCall]:
    """The agent's own calls that an earlier run asked about, and that this one may carry out."""
    asked = {interrupt.tool_call_id for interrupt in request.interrupts}
    calls = [call for message in request.history for call in message.calls]
    return {call.call_id: call for call in calls if call.result is None and call.call_id in asked}


def _some(**members: Any) -> Json:
    """The members that are there: the protocol leaves out what is not, and has no null."""
    return {name: value for name, value in members.items() if value is not None}


def _history(messages: Sequence[Message], *, waiting: Mapping[str, ToolCall], so_far: bool = False) -> Iterator[Json]:
    for place, message in enumerate(messages):
        part = "so-far-" if so_far else ""
        message_id = message.message_id or f"turn-{message.turn}-{part}{place}-{message.role}"
        if message.role == "user":
            if message.text:
                yield {"id": message_id, "role": "user", "content": message.text}
            continue
        if message.text or message.calls:
            yield _assistant(message_id, message)
        for call in message.calls:
            if call.call_id not in waiting:
                yield _result(call)


def _assistant(message_id: str, message: Message) -> Json:
    calls = [
        {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.calls
    ]
    return _some(
        id=message_id,
        role="assistant",
        name=message.author or None,
        content=message.text or None,
        toolCalls=calls or None,
    )


def _result(call: ToolCall) -> Json:
    content = GIVEN_UP if call.result is None else call.result
    error = content if call.is_error or call.result is None else None
    return _some(id=f"{call.call_id}-result", role="tool", toolCallId=call.call_id, content=content, error=error)


def _new_results(request: AgentRequest) -> Iterator[Json]:
    for result in request.tool_results:
        yield _some(
            id=f"{result.call_id}-result",
            role="tool",
            toolCallId=result.call_id,
            content=result.content,
            error=result.content if result.is_error else None,
        )


def _turn(request: AgentRequest, pictures: Mapping[str, bytes]) -> Iterator[Json]:
    """The person's message; none where the turn only brings results or answers."""
    shown = [_image(item, pictures[item.upload_id]) for item in pictures_of(request) if item.upload_id in pictures]
    if shown:
        said = [{"type": "text", "text": request.text}] if request.text else []
        content: str | list[Json] = [*said, *shown]
    else:
        content = request.text
    if content or request.observation is not None or request.attachments:
        yield {
            "id": request.message_id or request.request_id or f"turn-{request.turn}",
            "role": "user",
            "content": content,
        }


def _image(item: Attachment, data: bytes) -> Json:
    encoded = base64.b64encode(data).decode()
    return {"type": "image", "source": {"type": "data", "value": encoded, "mimeType": item.media_type}}


def _context(request: AgentRequest, pictures: Mapping[str, bytes]) -> Iterator[Json]:
    """Data, never instructions: what the client sent as such, and what came with the turn besides its words."""
    for item in request.context:
        yield {"description": item.description, "value": item.value}
    if request.memories:
        remembered = [one.text for one in request.memories]
        yield {"description": "What is remembered of the person from earlier", "value": _json(remembered)}
    if isinstance(request.observation, NfcObservation):
        yield {"description": "NFC tag that the person read", "value": _json(request.observation)}
    files = [item for item in (*pictures_of(request), *request.attachments) if item.upload_id not in pictures]
    named = {
        item.upload_id: {"name": item.name, "mediaType": item.media_type, "sizeBytes": item.size_bytes}
        for item in files
    }
    if named:
        yield {"description": "Files that came with the message and are not shown", "value": _json([*named.values()])}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _is_picture(item: Attachment) -> bool:
    return item.media_type.lower().startswith("image/")
