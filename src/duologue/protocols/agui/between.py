"""What lies between two runs, and in no stream: AG-UI has no event outside of a run."""

from collections.abc import Iterable
from typing import Final

import msgspec

from duologue.model import events as e
from duologue.model.content import Message
from duologue.protocols.agui import frames
from duologue.protocols.agui.project import project

_encode: Final = msgspec.json.Encoder().encode


def stands(event: e.AnyEvent) -> bool:
    """Whether an event tells of something that still holds when the next run begins.

    What was said and given stands in the conversation's messages; what is told of one answer alone went with it.
    """
    match event:
        case e.TurnResumed() | e.ToolMoved() | e.HandoffMoved() | e.SignalUpdated() | e.CapabilitiesChanged():
            return True
        case e.MemoryStored() | e.MemoryErased() | e.AgentDegraded():
            return True
        case _:
            return False


class KnownCalls:
    """The tool calls that a stream has told, or a snapshot on it: AG-UI has no result of another one.

    Args:
        history: the messages that its client shows.
    """

    def __init__(self, history: Iterable[Message]) -> None:
        self._known = {call.call_id for message in history for call in message.calls}

    def write(self, event: e.AnyEvent) -> list[bytes]:
        """Write an event, and before a result the call that the stream has not told: a result repeats it."""
        frame = project(event)
        if frame is None:
            return []
        match event:
            case e.ToolCalled(call_id=call_id):
                self._known.add(call_id)
            case e.ToolReturned(call_id=call_id) if call_id not in self._known:
                self._known.add(call_id)
                return [_encode(_again(event)), frame]
            case _:
                pass
        return [frame]


def _again(event: e.ToolReturned) -> frames.ToolCallChunk:
    return frames.ToolCallChunk(
        timestamp=event.at_ms, tool_call_id=event.call_id, tool_call_name=event.name, delta=event.arguments
    )
