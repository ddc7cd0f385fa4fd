"""AG-UI: what a run opens and has to close."""

import json
from dataclasses import dataclass, field

from duologue.check.findings import Frame, JsonObject, shown
from duologue.check.notes import Notes


@dataclass(slots=True)
class Call:
    """A tool call whose arguments are on their way."""

    frame: Frame
    arguments: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Parts:
    """What is open and what was closed, by id.

    Attributes:
        lenient: the stream began inside this run, so what was opened before is not known.
        text_chunk, call_chunk, reasoning_chunk: the ids of what chunks have opened; other events close it.
        calls_before: tool calls of earlier runs and of message snapshots, which may have a result here.
    """

    lenient: bool = False
    texts: dict[str, Frame] = field(default_factory=dict[str, Frame])
    texts_over: set[str] = field(default_factory=set[str])
    calls: dict[str, Call] = field(default_factory=dict[str, Call])
    calls_over: set[str] = field(default_factory=set[str])
    calls_before: set[str] = field(default_factory=set[str])
    steps: dict[str, list[Frame]] = field(default_factory=dict[str, "list[Frame]"])
    blocks: dict[str, Frame] = field(default_factory=dict[str, Frame])
    reasonings: dict[str, Frame] = field(default_factory=dict[str, Frame])
    subagents: dict[str, Frame] = field(default_factory=dict[str, Frame])
    subagents_over: set[str] = field(default_factory=set[str])
    text_chunk: str | None = None
    call_chunk: str | None = None
    reasoning_chunk: str | None = None

    def inherit(self, earlier: "Parts") -> None:
        """Remember the tool calls of the run before: a later run may bring their results."""
        self.calls_before = earlier.calls_before | earlier.calls_over

    def close_chunks(self, notes: Notes, kind: str) -> None:
        """Close what chunks have opened and another event now ends."""
        if self.text_chunk is not None and kind != "TEXT_MESSAGE_CHUNK":
            self.texts_over.add(self.text_chunk)
            self.text_chunk = None
        if self.call_chunk is not None and kind != "TOOL_CALL_CHUNK":
            self.close_call(notes, self.call_chunk)
            self.call_chunk = None
        if not kind.startswith("REASONING"):
            self.reasoning_chunk = None

    def close_call(self, notes: Notes, call_id: str) -> None:
        """Close a tool call; its arguments are whole now, and have to be JSON."""
        call = self.calls.pop(call_id)
        self.calls_over.add(call_id)
        text = "".join(call.arguments)
        if not text:
            return
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            problem = f"{shown(text)} as the arguments of {shown(call_id)}: {error}"
            notes.tell("agui-tool-args", found=problem, expected="the pieces of `delta` together to be JSON")

    def finish(self, notes: Notes) -> None:
        """Tell what a run that ends well has left open."""
        for name, frame in self.texts.items():
            _left_open(notes, "agui-text-open", f"message {shown(name)}", "TEXT_MESSAGE_END", frame)
        for name, call in self.calls.items():
            _left_open(notes, "agui-tool-open", f"tool call {shown(name)}", "TOOL_CALL_END", call.frame)
        for name, frames in self.steps.items():
            _left_open(notes, "agui-step-open", f"step {shown(name)}", "STEP_FINISHED", frames[0])
        for name, frame in self.blocks.items():
            _left_open(notes, "agui-reasoning-open", f"reasoning {shown(name)}", "REASONING_END", frame)
        for name, frame in self.reasonings.items():
            _left_open(notes, "agui-reasoning-open", f"reasoning message {shown(name)}", "REASONING_MESSAGE_END", frame)
        for name, frame in self.subagents.items():
            expected = "SUBAGENT_FINISHED or SUBAGENT_ERROR"
            _left_open(notes, "agui-subagent-open", f"subagent {shown(name)}", expected, frame)


def _left_open(notes: Notes, rule: str, what: str, missing: str, begun: Frame) -> None:
    notes.tell(
        rule, found=f"{what}, opened by frame {begun.number}, still open", expected=f"{missing} before the run's end"
    )


def _id(event: JsonObject, member: str) -> str | None:
    value = event.get(member)
    return value if isinstance(value, str) else None


def text_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a message."""
    name = _id(event, "messageId")
    if name is None:
        return
    if name in parts.texts or name in parts.texts_over:
        notes.tell("agui-text-twice", "messageId", found=f"{shown(name)} again", expected="an id of its own")
        return
    parts.texts[name] = notes.here


def text_content(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Add to a message."""
    name = _id(event, "messageId")
    if name is None:
        return
    if name not in parts.texts:
        if parts.lenient and name not in parts.texts_over:
            parts.texts[name] = notes.here
            return
        notes.tell(
            "agui-text-unopened",
            "messageId",
            found=f"text for {shown(name)}, which is not open",
            expected="TEXT_MESSAGE_START with this id before it",
        )
    elif event.get("delta") == "":
        notes.tell("agui-text-empty", "delta", found='""', expected="some text")


def text_end(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Close a message."""
    name = _id(event, "messageId")
    if name is None:
        return
    if parts.texts.pop(name, None) is None and not (parts.lenient and name not in parts.texts_over):
        notes.tell(
            "agui-text-unopened",
            "messageId",
            found=f"the end of {shown(name)}, which is not open",
            expected="TEXT_MESSAGE_START with this id before it",
        )
        return
    parts.texts_over.add(name)


def text_chunk(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a message, or add to it, or both."""
    name = _id(event, "messageId")
    if name is None:
        if parts.text_chunk is None:
            _unnamed(parts, notes, "messageId")
        return
    if name == parts.text_chunk or name in parts.texts:
        return
    if parts.text_chunk is not None:
        parts.texts_over.add(parts.text_chunk)
    if name in parts.texts_over:
        notes.tell("agui-text-twice", "messageId", found=f"{shown(name)} again", expected="an id of its own")
        return
    parts.text_chunk = name


def tool_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a tool call."""
    name = _id(event, "toolCallId")
    if name is None:
        return
    if name in parts.calls or name in parts.calls_over:
        notes.tell("agui-tool-twice", "toolCallId", found=f"{shown(name)} again", expected="an id of its own")
        return
    parts.calls[name] = Call(notes.here)


def tool_args(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Add to a call's arguments."""
    name = _id(event, "toolCallId")
    if name is None:
        return
    call = parts.calls.get(name)
    if call is None:
        _no_call(parts, notes, name, "arguments")
        return
    delta = _id(event, "delta")
    call.arguments.append(delta or "")


def tool_end(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Close a tool call."""
    name = _id(event, "toolCallId")
    if name is None:
        return
    if name in parts.calls:
        parts.close_call(notes, name)
    else:
        _no_call(parts, notes, name, "the end")


def tool_chunk(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a tool call, or add to it, or both."""
    name, delta = _id(event, "toolCallId") or parts.call_chunk, _id(event, "delta")
    if name is None:
        _unnamed(parts, notes, "toolCallId")
        return
    if name not in parts.calls:
        if parts.call_chunk is not None:
            parts.close_call(notes, parts.call_chunk)
            parts.call_chunk = None
        if name in parts.calls_over:
            notes.tell("agui-tool-twice", "toolCallId", found=f"{shown(name)} again", expected="an id of its own")
            return
        if _id(event, "toolCallName") is None:
            _unnamed(parts, notes, "toolCallName")
        parts.calls[name] = Call(notes.here)
        parts.call_chunk = name
    parts.calls[name].arguments.append(delta or "")


def tool_result(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Bring what a tool gave."""
    name = _id(event, "toolCallId")
    if name is None or name in parts.calls_over or name in parts.calls_before:
        return
    if name in parts.calls:
        notes.tell(
            "agui-tool-early",
            "toolCallId",
            found=f"the result of {shown(name)} while its arguments still come",
            expected="TOOL_CALL_END before it",
        )
    elif not parts.lenient:
        notes.tell(
            "agui-tool-unknown",
            "toolCallId",
            found=f"the result of {shown(name)}, which nobody has called",
            expected="the id of a call of this stream or of a MESSAGES_SNAPSHOT",
        )


def snapshot(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Learn the tool calls of the history."""
    del notes
    messages = event.get("messages")
    for message in messages if isinstance(messages, list) else []:
        calls = message.get("toolCalls") if isinstance(message, dict) else None
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict) and isinstance(name := call.get("id"), str):
                parts.calls_before.add(name)


def step_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a step; one of the same name inside it is let pass."""
    if (name := _id(event, "stepName")) is not None:
        parts.steps.setdefault(name, []).append(notes.here)


def step_finish(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Close a step."""
    name = _id(event, "stepName")
    if name is None:
        return
    frames = parts.steps.get(name)
    if frames is None:
        if not parts.lenient:
            found = f"the end of step {shown(name)}, which is not open"
            notes.tell("agui-step-unopened", "stepName", found=found, expected="STEP_STARTED with this name before it")
        return
    frames.pop()
    if not frames:
        del parts.steps[name]


def block_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a stretch of reasoning."""
    if (name := _id(event, "messageId")) is not None:
        parts.blocks[name] = notes.here


def block_end(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Close a stretch of reasoning."""
    del notes
    if (name := _id(event, "messageId")) is not None:
        parts.blocks.pop(name, None)


def reasoning_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a message of reasoning."""
    if (name := _id(event, "messageId")) is not None:
        parts.reasonings[name] = notes.here


def reasoning_content(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Add to a message of reasoning."""
    name = _id(event, "messageId")
    if name is None or name in parts.reasonings or name == parts.reasoning_chunk or parts.lenient:
        return
    notes.tell(
        "agui-reasoning-unopened",
        "messageId",
        found=f"reasoning for {shown(name)}, which is not open",
        expected="REASONING_MESSAGE_START with this id before it",
    )


def reasoning_end(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Close a message of reasoning."""
    del notes
    if (name := _id(event, "messageId")) is not None:
        parts.reasonings.pop(name, None)


def reasoning_chunk(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Open a message of reasoning, add to it, or close it with an empty piece."""
    name = _id(event, "messageId")
    if name is None and parts.reasoning_chunk is None:
        _unnamed(parts, notes, "messageId")
        return
    parts.reasoning_chunk = None if event.get("delta") == "" else name or parts.reasoning_chunk


def subagent_start(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """Begin a subagent's work; one that was suspended may begin again."""
    name = _id(event, "subagentRunId")
    if name is None:
        return
    if name in parts.subagents or name in parts.subagents_over:
        found = f"subagent {shown(name)} a second time"
        notes.tell("agui-subagent-twice", "subagentRunId", found=found, expected="an id of its own")
        return
    parts.subagents[name] = notes.here


def subagent_end(parts: Parts, notes: Notes, event: JsonObject) -> None:
    """End a subagent's work."""
    name = _id(event, "subagentRunId")
    if name is None:
        return
    if parts.subagents.pop(name, None) is None:
        if not parts.lenient:
            found = f"the end of subagent {shown(name)}, which is not at work"
            expected = "SUBAGENT_STARTED with this id before it"
            notes.tell("agui-subagent-unopened", "subagentRunId", found=found, expected=expected)
        return
    match event.get("outcome"):
        case {"type": "suspended"}:
            pass
        case _:
            parts.subagents_over.add(name)


def _unnamed(parts: Parts, notes: Notes, member: str) -> None:
    if not parts.lenient:
        notes.tell("agui-chunk", found="a first chunk without it", expected=f"`{member}`, which says what it opens")


def _no_call(parts: Parts, notes: Notes, name: str, what: str) -> None:
    if parts.lenient and name not in parts.calls_over:
        return
    found = f"{what} of {shown(name)}, which is not open"
    notes.tell("agui-tool-unopened", "toolCallId", found=found, expected="TOOL_CALL_START with this id before it")
