"""AG-UI events as another server sends them. Source: AG-UI 1.0, `schema.json`; unknown members are skipped."""

from typing import Any, Final, TypeAlias, TypeVar

import msgspec


class _Part(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of all parts."""


class _Event(_Part, frozen=True, kw_only=True, tag_field="type"):
    """The base of all events."""


class RunStarted(_Event, frozen=True, kw_only=True, tag="RUN_STARTED"):
    thread_id: str
    run_id: str


class Success(_Part, frozen=True, kw_only=True, tag_field="type", tag="success"):
    pending_tool_call_ids: list[str] | None = None


class Interrupt(_Part, frozen=True, kw_only=True):
    id: str
    reason: str
    message: str | None = None
    tool_call_id: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    response_schema: dict[str, Any] | None = None
    expires_at: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    metadata: dict[str, Any] | None = None


class Interrupted(_Part, frozen=True, kw_only=True, tag_field="type", tag="interrupt"):
    interrupts: list[Interrupt]


class Cancelled(_Part, frozen=True, kw_only=True, tag_field="type", tag="cancelled"):
    """Stopped by who runs the agent: neither a success nor a failure."""


class TokenUsage(_Part, frozen=True, kw_only=True):
    provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_input_tokens: int | None = None


class RunFinished(_Event, frozen=True, kw_only=True, tag="RUN_FINISHED"):
    outcome: Success | Interrupted | Cancelled | None = None
    usage: list[TokenUsage] | None = None


class RunError(_Event, frozen=True, kw_only=True, tag="RUN_ERROR"):
    message: str
    code: str | None = None
    usage: list[TokenUsage] | None = None


class TextStart(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_START"):
    message_id: str
    role: str | None = None
    subagent_run_id: str | None = None


class TextContent(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_CONTENT"):
    message_id: str
    delta: str


class TextEnd(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_END"):
    message_id: str


class TextChunk(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_CHUNK"):
    message_id: str | None = None
    role: str | None = None
    delta: str | None = None
    subagent_run_id: str | None = None


class ToolStart(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_START"):
    tool_call_id: str
    tool_call_name: str


class ToolArgs(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_ARGS"):
    tool_call_id: str
    delta: str


class ToolEnd(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_END"):
    tool_call_id: str


class ToolChunk(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_CHUNK"):
    tool_call_id: str | None = None
    tool_call_name: str | None = None
    delta: str | None = None


class ToolPart(_Part, frozen=True, kw_only=True):
    type: str
    text: str = ""


class ToolResult(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_RESULT"):
    message_id: str
    tool_call_id: str
    content: str | list[ToolPart]


class SnapshotMessage(_Part, frozen=True, kw_only=True):
    role: str
    # Text, parts or nothing, by the role.
    content: Any = None


class MessagesSnapshot(_Event, frozen=True, kw_only=True, tag="MESSAGES_SNAPSHOT"):
    messages: list[SnapshotMessage]


class Custom(_Event, frozen=True, kw_only=True, tag="CUSTOM"):
    name: str
    # JSON of the agent's own design: no narrower type exists.
    value: Any = None


class StepStarted(_Event, frozen=True, kw_only=True, tag="STEP_STARTED"):
    step_name: str


class ReasoningStart(_Event, frozen=True, kw_only=True, tag="REASONING_START"):
    message_id: str


class SubagentStarted(_Event, frozen=True, kw_only=True, tag="SUBAGENT_STARTED"):
    name: str


class SubagentError(_Event, frozen=True, kw_only=True, tag="SUBAGENT_ERROR"):
    code: str | None = None


class Passed(msgspec.Struct, frozen=True, kw_only=True):
    """An event that says nothing to a conversation: state, activities, raw events, steps' ends, thoughts.

    Attributes:
        type: its name.
        known: whether the protocol has it.
    """

    type: str
    known: bool


AguiEvent: TypeAlias = (
    RunStarted
    | RunFinished
    | RunError
    | TextStart
    | TextContent
    | TextEnd
    | TextChunk
    | ToolStart
    | ToolArgs
    | ToolEnd
    | ToolChunk
    | ToolResult
    | MessagesSnapshot
    | Custom
    | StepStarted
    | ReasoningStart
    | SubagentStarted
    | SubagentError
)
"""The events that say something to a conversation."""

PASSED: Final = frozenset(
    {
        "STATE_SNAPSHOT",
        "STATE_DELTA",
        "ACTIVITY_SNAPSHOT",
        "ACTIVITY_DELTA",
        "RAW",
        "STEP_FINISHED",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_MESSAGE_CHUNK",
        "REASONING_END",
        "REASONING_ENCRYPTED_VALUE",
        "SUBAGENT_FINISHED",
        # Before 1.0 thoughts had these names.
        "THINKING_START",
        "THINKING_END",
        "THINKING_TEXT_MESSAGE_START",
        "THINKING_TEXT_MESSAGE_CONTENT",
        "THINKING_TEXT_MESSAGE_END",
    }
)
"""Known events that say nothing to a conversation."""


class _Envelope(msgspec.Struct, frozen=True):
    type: str


_EVENT: Final = msgspec.json.Decoder(AguiEvent)
_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_NAMES: Final = frozenset(str(kind.__struct_config__.tag) for kind in AguiEvent.__args__)


def decode(data: bytes) -> AguiEvent | Passed:
    """Read one event.

    Raises:
        ValueError: it is no JSON, has no type, or a member is missing or wrong.
    """
    try:
        return _EVENT.decode(data)
    except msgspec.ValidationError:
        name = _ENVELOPE.decode(data).type
        if name in _NAMES:
            raise
        return Passed(type=name, known=name in PASSED)


class Citation(_Part, frozen=True, kw_only=True):
    """Value of the custom event `duologue.citation`."""

    title: str
    url: str
    snippet: str | None = None


class Chip(_Part, frozen=True, kw_only=True):
    label: str
    text: str


class Suggestions(_Part, frozen=True, kw_only=True):
    """Value of the custom event `duologue.suggestions`."""

    chips: list[Chip]


class Rich(_Part, frozen=True, kw_only=True):
    """Value of the custom event `duologue.rich`."""

    payload_type: str
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]
    version: int = 1


class Diagnostic(_Part, frozen=True, kw_only=True):
    """Value of the custom event `duologue.diagnostic`."""

    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


Shown = TypeVar("Shown", Citation, Suggestions, Rich, Diagnostic)
"""The value of a custom event that a Duologue server sends."""
