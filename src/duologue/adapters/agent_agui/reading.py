"""What the events of a run say: a machine without I/O that takes them one by one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, assert_never
from urllib.parse import urljoin

import msgspec

from duologue.adapters.agent_agui import wire
from duologue.adapters.agent_agui.calls import Calls
from duologue.adapters.agent_agui.request import offered, open_calls
from duologue.adapters.agent_agui.trouble import broken, plain
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
    Text,
)
from duologue.model.content import Chip, Interrupt, Usage

TEXT_CHARS: Final = limits.AGENT_ITEM_BYTES // 4
"""Most text in one item; longer deltas are cut."""

OWN: Final = "duologue."
"""Begins the names of custom events that a Duologue server sends."""


class Reading:
    """Follows one run, from its first event to its last.

    What has to be the end is kept in `end` and not given before the stream is over: what follows it takes it back.

    Args:
        request: the turn that the run answers.
        url: the agent's address; what it cites relative to itself becomes absolute.
    """

    def __init__(self, request: AgentRequest, *, url: str) -> None:
        self._url: Final = url
        self._asked: Final = request
        self._calls: Final = Calls(offered=frozenset(offered(request)), waiting=frozenset(open_calls(request)))
        self._open: dict[str, bool] = {}
        self._chunk: str | None = None
        self._call_chunk: str | None = None
        self._started = self._said = self._between = False
        self._snapshot: list[wire.SnapshotMessage] = []
        self._notes = 0
        self.end: Finished | Failure | Asked | Cancelled | None = None

    def feed(self, data: bytes) -> Iterable[AgentItem]:
        """Take an event; give what it says.

        Raises:
            AguiTrouble: it is malformed, or may not come here.
        """
        try:
            event = wire.decode(data)
        except (ValueError, RecursionError) as error:
            raise broken("an event is malformed") from error
        if self.end is not None:
            raise broken("it went on after the end of the run")
        if not (self._started or isinstance(event, wire.RunStarted | wire.RunError)):
            raise broken("the first event is not RUN_STARTED")
        return self._take(event)

    def _take(self, event: wire.AguiEvent | wire.Passed) -> Iterable[AgentItem]:
        match event:
            case wire.TextContent():
                return self._text(event.message_id, event.delta)
            case wire.TextStart() | wire.TextEnd() | wire.TextChunk():
                return self._message(event)
            case wire.ToolStart() | wire.ToolArgs() | wire.ToolEnd() | wire.ToolChunk() | wire.ToolResult():
                return self._tool(event)
            case wire.RunStarted():
                if self._started:
                    raise broken("the run was started twice")
                self._started = True
                return ()
            case wire.RunFinished():
                return self._finish(event)
            case wire.RunError():
                code = f" ({plain(event.code)})" if event.code else ""
                self.end = Failure(
                    message=f"the agent says that it failed{code}", retryable=True, usage=_usage(event.usage)
                )
                return ()
            case wire.Custom():
                return self._custom(event)
            case wire.MessagesSnapshot():
                self._snapshot = event.messages
                return ()
            case _:
                return self._aside(event)

    def _message(self, event: wire.TextStart | wire.TextEnd | wire.TextChunk) -> Iterable[AgentItem]:
        match event:
            case wire.TextStart():
                self._begin(event.message_id, shown=_is_answer(event))
                return ()
            case wire.TextEnd():
                if event.message_id not in self._open or event.message_id == self._chunk:
                    raise broken("the end of a message that is not open")
                del self._open[event.message_id]
                return ()
            case wire.TextChunk():
                return self._text_chunk(event)

    def _begin(self, message_id: str, *, shown: bool) -> None:
        if message_id in self._open:
            raise broken("a message was started twice")
        self._open[message_id] = shown
        self._between = shown and self._said

    def _text_chunk(self, event: wire.TextChunk) -> Iterable[AgentItem]:
        """A chunk of another message than the one before opens it; the one before is over."""
        if event.message_id is not None and event.message_id != self._chunk:
            self._close_chunk()
            self._begin(event.message_id, shown=_is_answer(event))
            self._chunk = event.message_id
        if self._chunk is None:
            raise broken("a chunk of a message that was never opened")
        return self._text(self._chunk, event.delta or "")

    def _close_chunk(self) -> None:
        if self._chunk is not None:
            del self._open[self._chunk]
            self._chunk = None

    def _text(self, message_id: str, delta: str) -> Iterable[AgentItem]:
        shown = self._open.get(message_id)
        if shown is None:
            raise broken("text for a message that was never opened")
        if not (shown and delta):
            return ()
        # One message after another would otherwise run together where clients show one text.
        text = f"\n\n{delta}" if self._between else delta
        self._said, self._between = True, False
        return _pieces(text)

    def _tool(
        self, event: wire.ToolStart | wire.ToolArgs | wire.ToolEnd | wire.ToolChunk | wire.ToolResult
    ) -> Iterable[AgentItem]:
        match event:
            case wire.ToolStart():
                self._calls.start(event.tool_call_id, event.tool_call_name)
                return ()
            case wire.ToolArgs():
                self._calls.add(event.tool_call_id, event.delta)
                return ()
            case wire.ToolEnd():
                return self._calls.end(event.tool_call_id)
            case wire.ToolChunk():
                return self._tool_chunk(event)
            case wire.ToolResult():
                closed = self._close_call() if event.tool_call_id == self._call_chunk else []
                return [*closed, *self._calls.result(event.tool_call_id, _content(event))]
            case _:
                assert_never(event)

    def _tool_chunk(self, event: wire.ToolChunk) -> Iterable[AgentItem]:
        closed: list[AgentItem] = []
        if event.tool_call_id is not None and event.tool_call_id != self._call_chunk:
            closed = self._close_call()
            if event.tool_call_name is None:
                raise broken("a chunk of a tool call that was never opened")
            self._calls.start(event.tool_call_id, event.tool_call_name)
            self._call_chunk = event.tool_call_id
        if self._call_chunk is None:
            raise broken("a chunk of a tool call that was never opened")
        if event.delta:
            self._calls.add(self._call_chunk, event.delta)
        return closed

    def _close_call(self) -> list[AgentItem]:
        call_id, self._call_chunk = self._call_chunk, None
        return self._calls.end(call_id) if call_id is not None else []

    def _finish(self, event: wire.RunFinished) -> Iterable[AgentItem]:
        usage = _usage(event.usage)
        if isinstance(event.outcome, wire.Cancelled):
            self.end = Cancelled(usage=usage)
            return ()
        self._close_chunk()
        closed = self._close_call()
        if self._open:
            raise broken("the run ended within a message")
        if isinstance(event.outcome, wire.Interrupted):
            asked = self._calls.requested(pending=None, may_wait=True)
            self.end = Asked(interrupts=_interrupts(event.outcome.interrupts), usage=usage)
        else:
            pending = event.outcome.pending_tool_call_ids if event.outcome else None
            asked = self._calls.requested(pending=pending, may_wait=False)
            self.end = Finished(usage=usage)
        unsaid = () if self._said else _pieces(_only_in(self._snapshot, self._asked))
        return [*closed, *unsaid, *asked]

    def _custom(self, event: wire.Custom) -> Iterable[AgentItem]:
        try:
            match event.name:
                case "duologue.citation":
                    cited = _value(event, wire.Citation)
                    address = urljoin(self._url, cited.url)
                    return (Citation(title=cited.title, url=address, snippet=cited.snippet),)
                case "duologue.suggestions":
                    chips = _value(event, wire.Suggestions).chips
                    return (Chips(chips=tuple(Chip(label=chip.label, text=chip.text) for chip in chips)),)
                case "duologue.rich":
                    rich = _value(event, wire.Rich)
                    return (Rich(payload_type=rich.payload_type, data=rich.data, version=rich.version),)
                case "duologue.diagnostic":
                    noted = _value(event, wire.Diagnostic)
                    return self._note(noted.category, noted.message, noted.details)
                case _ if event.name.startswith(OWN):
                    return ()
                case _:
                    return self._note("agui.custom", event.name, {"value": event.value})
        except msgspec.ValidationError as error:
            raise broken("a custom event's value is malformed") from error

    def _aside(self, event: wire.AguiEvent | wire.Passed) -> Iterable[AgentItem]:
        """What developers may want to know, and what says nothing to a conversation."""
        match event:
            case wire.StepStarted():
                return self._note("agui.step", event.step_name)
            case wire.ReasoningStart():
                return self._note("agui.reasoning", "the agent thinks")
            case wire.SubagentStarted():
                return self._note("agui.subagent", f"{event.name} began")
            case wire.SubagentError():
                return self._note("agui.subagent", "a subagent failed")
            case wire.Passed(known=False):
                return self._note("agui.unknown_event", plain(event.type))
            case _:
                return ()

    def _note(self, category: str, message: str, details: dict[str, Any] | None = None) -> Iterator[AgentItem]:
        """Note something; beyond a number of notes nothing, and details only as far as they are small."""
        self._notes += 1
        if self._notes > limits.AGUI_NOTES:
            return
        small = details is not None and len(msgspec.json.encode(details)) <= limits.AGENT_ITEM_BYTES // 2
        yield Note(category=category, message=message[:TEXT_CHARS], details=details if small else None)


def _pieces(text: str) -> Sequence[AgentItem]:
    if len(text) <= TEXT_CHARS:
        return (Text(text=text),) if text else ()
    return [Text(text=text[place : place + TEXT_CHARS]) for place in range(0, len(text), TEXT_CHARS)]


def _only_in(snapshot: list[wire.SnapshotMessage], request: AgentRequest) -> str:
    """What the agent said last according to a snapshot, where it streamed no word of it, as nodes of graphs may.

    Where a run goes on after a question, what was said before the question is left out.
    """
    known = {message.text for message in request.history[-1:] if request.resume and message.role == "assistant"}
    said: list[str] = []
    for message in reversed(snapshot):
        if message.role == "user":
            break
        if message.role == "assistant" and isinstance(message.content, str) and message.content not in known:
            said.append(message.content)
    return "\n\n".join(text for text in reversed(said) if text)


def _is_answer(event: wire.TextStart | wire.TextChunk) -> bool:
    """Whether a message is the agent's own to the person; others are of its making, or a subagent's."""
    return event.role in (None, "assistant") and event.subagent_run_id is None


def _content(event: wire.ToolResult) -> str:
    if isinstance(event.content, str):
        return event.content
    return "\n".join(part.text if part.type == "text" else f"[{plain(part.type)}]" for part in event.content)


def _usage(entries: list[wire.TokenUsage] | None) -> tuple[Usage, ...]:
    return tuple(
        Usage(
            model=entry.model,
            provider=entry.provider,
            input_tokens=entry.input_tokens,
            output_tokens=entry.output_tokens,
            cached_tokens=entry.cached_input_tokens,
            reasoning_tokens=entry.reasoning_tokens,
        )
        for entry in entries or ()
    )


def _interrupts(asked: list[wire.Interrupt]) -> tuple[Interrupt, ...]:
    if not asked or len({one.id for one in asked}) < len(asked) or len(asked) > limits.INTERRUPTS:
        raise broken("it asks for nothing, twice under one id, or for too much")
    return tuple(
        Interrupt(
            interrupt_id=one.id,
            reason=one.reason,
            message=one.message,
            tool_call_id=one.tool_call_id,
            response_schema=one.response_schema,
            expires_at=one.expires_at,
            metadata=one.metadata,
        )
        for one in asked
    )


def _value(event: wire.Custom, kind: type[wire.Shown]) -> wire.Shown:
    return msgspec.convert(event.value, kind)
