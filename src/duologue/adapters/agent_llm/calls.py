"""The tool calls of a model's answer, as they are asked for: with ids of their own, and arguments that are JSON."""

from collections.abc import Collection, Iterator, Sequence

import msgspec
from pydantic_ai.messages import ModelResponsePart, ToolCallPart

from duologue.model import limits
from duologue.model.agent import AgentRequest, ToolRequested


def requested(parts: Sequence[ModelResponsePart], request: AgentRequest) -> Iterator[ToolRequested]:
    """What a whole answer asks for, in its order.

    Some servers give the same id to several calls, or begin again with each answer: such a call gets another one,
    since a result has to belong to one call. Arguments that are no JSON object are told to the model as such.
    """
    taken = {call.call_id for message in (*request.history, *request.so_far) for call in message.calls}
    for number, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            call_id = _own(part.tool_call_id, taken, other=f"{request.response_id}-{request.leg}-{number}")
            taken.add(call_id)
            arguments, wrong = _read(part)
            yield ToolRequested(call_id=call_id, name=part.tool_name, arguments=arguments, wrong=wrong)


def _own(call_id: str, taken: Collection[str], *, other: str) -> str:
    fits = bool(call_id) and len(call_id) <= limits.TOOL_CALL_ID_CHARS and call_id not in taken
    return call_id if fits else other


def _read(part: ToolCallPart) -> tuple[str, str]:
    """A call's arguments as the text of a JSON object, and what is wrong with what the model wrote."""
    written = part.args or "{}"
    if not isinstance(written, str):
        return msgspec.json.encode(written).decode(), ""
    try:
        msgspec.json.decode(written, type=dict[str, object])
    except (ValueError, RecursionError) as error:
        # Only where it broke off: what was written stands in nobody's message.
        return "{}", f"the arguments are no JSON object ({error}): call it again with one"
    return written, ""
