"""The tool calls of one run: who runs each of them shows only when the run is over."""

from dataclasses import dataclass, field

from duologue.adapters.agent_agui.trouble import broken
from duologue.model import limits
from duologue.model.agent import AgentItem, ToolCalled, ToolRequested, ToolReturned


@dataclass(slots=True)
class _Call:
    name: str
    pieces: list[str] = field(default_factory=list[str])
    chars: int = 0
    whole: bool = False
    told: bool = False
    returned: bool = False

    @property
    def arguments(self) -> str:
        return "".join(self.pieces)


class Calls:
    """Follows the calls of one run.

    A tool that the client did not offer is the agent's own, and is told as soon as its arguments are whole. One
    that the client offered is asked of it when the run ends, unless the agent returned a result itself.

    Args:
        offered: names of the client's tools.
        waiting: ids of calls of an earlier run, about which somebody was asked.
    """

    def __init__(self, *, offered: frozenset[str], waiting: frozenset[str]) -> None:
        self._offered, self._waiting = offered, set(waiting)
        self._calls: dict[str, _Call] = {}

    def start(self, call_id: str, name: str) -> None:
        """Open a call."""
        if call_id in self._calls:
            raise broken("a tool call was started twice")
        if len(self._calls) >= limits.TOOL_CALLS:
            raise broken(f"more than {limits.TOOL_CALLS} tool calls in a run")
        self._calls[call_id] = _Call(name=name)

    def add(self, call_id: str, delta: str) -> None:
        """Take some more of the arguments."""
        call = self._calls.get(call_id)
        if call is None or call.whole:
            raise broken("arguments for a tool call that is not open")
        call.pieces.append(delta)
        call.chars += len(delta)
        if call.chars > limits.AGENT_ITEM_BYTES:
            raise broken("the arguments of a tool call are too large")

    def end(self, call_id: str) -> list[AgentItem]:
        """Close a call; tell it where it is the agent's own."""
        call = self._calls.get(call_id)
        if call is None or call.whole:
            raise broken("the end of a tool call that is not open")
        call.whole = True
        if call.name in self._offered:
            return []
        call.told = True
        return [ToolCalled(call_id=call_id, name=call.name, arguments=call.arguments)]

    def result(self, call_id: str, content: str) -> list[AgentItem]:
        """Take what a tool of the agent's returned."""
        if call_id in self._waiting:
            self._waiting.discard(call_id)
            return [ToolReturned(call_id=call_id, result=content)]
        call = self._calls.get(call_id)
        if call is None or not call.whole or call.returned:
            raise broken("the result of a tool call that is not running")
        call.returned = True
        if call.told:
            return [ToolReturned(call_id=call_id, result=content)]
        return [ToolReturned(call_id=call_id, result=content, name=call.name, arguments=call.arguments)]

    def requested(self, *, pending: list[str] | None, may_wait: bool) -> list[AgentItem]:
        """Say at the end of a run what the client is asked to run.

        Args:
            pending: the calls that the agent itself names as unanswered; `None` or empty: it names none.
            may_wait: calls of the agent's own may be left open, since somebody is asked about them.
        """
        if any(not call.whole for call in self._calls.values()):
            raise broken("the run ended within a tool call")
        left = {call_id: call for call_id, call in self._calls.items() if not call.returned}
        asked = {call_id: call for call_id, call in left.items() if not call.told}
        if pending and set(pending) != (set(left) if not may_wait else set(asked)):
            raise broken("the calls that it names as unanswered are not those of the run")
        if len(asked) < len(left) and not may_wait:
            raise broken("a tool was called that the client does not offer, and has no result")
        return [
            ToolRequested(call_id=call_id, name=call.name, arguments=call.arguments) for call_id, call in asked.items()
        ]
