"""The AG-UI events that are sent, and the values of the CUSTOM ones. Source: AG-UI 1.0, events.

Member order is as written here: the same event gives the same bytes for ever.
"""

from typing import Any, Final, Literal, TypeAlias

import msgspec

from duologue.model.content import Modality, Role, Tier
from duologue.model.errors import Code
from duologue.model.events import Ending
from duologue.model.kinds import State
from duologue.model.tools import ApprovalPolicy, Disposition, ToolStatus
from duologue.protocols.acting_values import ActingValue
from duologue.protocols.call_values import VoiceValue
from duologue.protocols.measures import Figures, Latency

AGUI_VERSION: Final = "1.0"
"""The version whose events are sent."""


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A part of an event; a member that is `None` or empty by default is left out."""


class Event(Part, frozen=True, kw_only=True, tag_field="type"):
    """The base of all events; `timestamp` in ms since 1970."""

    timestamp: int


# --- metadata: AG-UI's place for what it has no member for; ours is under one key --------------------


class RunDetails(Part, frozen=True, kw_only=True):
    """Of RUN_STARTED."""

    turn: int
    response_id: str
    tier: Tier
    author: str = ""
    agent: str = ""


class FollowDetails(Part, frozen=True, kw_only=True):
    """Of the RUN_STARTED of a run that follows a thread: the state machine's state, and whether a call is on."""

    state: State
    in_call: bool


class EndDetails(Part, frozen=True, kw_only=True):
    """Of RUN_FINISHED.

    `heard` is how many characters of the answer were, where it was spoken and cut short; `latency` is of a call.
    """

    outcome: Ending
    response_id: str
    tier: Tier
    figures: Figures
    heard: int | None = None
    latency: Latency | None = None


class ErrorDetails(Part, frozen=True, kw_only=True):
    """Of RUN_ERROR; a run that was not begun has only what is wrong with it."""

    retryable: bool
    response_id: str = ""
    figures: Figures | None = None
    heard: int | None = None
    latency: Latency | None = None
    path: str = ""
    limit: int | None = None
    turn: int | None = None
    retry_after_ms: int | None = None


class LostDetails(Part, frozen=True, kw_only=True):
    """Of the TEXT_MESSAGE_END of a run that is made again: its words are void."""

    code: Code
    will_retry: bool


class ResultDetails(Part, frozen=True, kw_only=True):
    """Of TOOL_CALL_RESULT."""

    is_error: bool
    duration_ms: int
    status: ToolStatus | None = None
    key: str = ""
    disposition: Disposition | None = None
    policy: ApprovalPolicy | None = None
    error_code: str = ""


class MessageDetails(Part, frozen=True, kw_only=True):
    """Of a message in MESSAGES_SNAPSHOT."""

    turn: int
    interrupted: bool
    author: str = ""


Details: TypeAlias = RunDetails | FollowDetails | EndDetails | LostDetails | ResultDetails | MessageDetails


class Metadata(Part, frozen=True, kw_only=True):
    """Beside what AG-UI defines."""

    duologue: Details


class ErrorMetadata(Part, frozen=True, kw_only=True):
    """Beside what AG-UI defines, of an error."""

    duologue: ErrorDetails


# --- events -----------------------------------------------------------------------------------------


class RunStarted(Event, frozen=True, kw_only=True, tag="RUN_STARTED"):
    """The run begins."""

    thread_id: str
    run_id: str
    protocol_version: str
    metadata: Metadata | None = None


class Success(Part, frozen=True, kw_only=True, tag_field="type", tag="success"):
    """The run is whole; the calls that it names wait for the client."""

    pending_tool_call_ids: tuple[str, ...] = ()


class Cancelled(Part, frozen=True, kw_only=True, tag_field="type", tag="cancelled"):
    """The run was stopped."""


class Interrupt(Part, frozen=True, kw_only=True):
    """What the run waits for."""

    id: str
    reason: str
    message: str | None = None
    tool_call_id: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    response_schema: dict[str, Any] | None = None
    expires_at: str | None = None
    # JSON of the agent's own design: no narrower type exists.
    metadata: dict[str, Any] | None = None


class Interrupted(Part, frozen=True, kw_only=True, tag_field="type", tag="interrupt"):
    """The run waits for answers."""

    interrupts: tuple[Interrupt, ...]


class TokenUsage(Part, frozen=True, kw_only=True):
    """Tokens of one model."""

    provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_input_tokens: int | None = None


class RunFinished(Event, frozen=True, kw_only=True, tag="RUN_FINISHED"):
    """The run is over without a failure."""

    thread_id: str
    run_id: str
    outcome: Success | Interrupted | Cancelled
    usage: tuple[TokenUsage, ...] = ()
    metadata: Metadata | None = None


class RunError(Event, frozen=True, kw_only=True, tag="RUN_ERROR"):
    """The run failed, or was not begun."""

    message: str
    code: Code
    usage: tuple[TokenUsage, ...] = ()
    metadata: ErrorMetadata


class TextMessageStart(Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_START"):
    """Words follow; `name` is who says them in the agent's place."""

    message_id: str
    role: Role
    name: str | None = None


class TextMessageContent(Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_CONTENT"):
    """Some words."""

    message_id: str
    delta: str


class TextMessageEnd(Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_END"):
    """No more words come."""

    message_id: str
    metadata: Metadata | None = None


class TextMessageChunk(Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_CHUNK"):
    """A whole message in one event: AG-UI's short form of start, content and end."""

    message_id: str
    role: Role
    delta: str


class ToolCallChunk(Event, frozen=True, kw_only=True, tag="TOOL_CALL_CHUNK"):
    """A whole call in one event: AG-UI's short form of start, arguments and end."""

    tool_call_id: str
    tool_call_name: str
    parent_message_id: str = ""
    delta: str


class ToolCallResult(Event, frozen=True, kw_only=True, tag="TOOL_CALL_RESULT"):
    """What a tool of the agent's own returned."""

    message_id: str
    tool_call_id: str
    content: str
    metadata: Metadata


class Custom(Event, frozen=True, kw_only=True, tag="CUSTOM"):
    """What AG-UI has no event for."""

    name: str
    value: "Value"


class MessagesSnapshot(Event, frozen=True, kw_only=True, tag="MESSAGES_SNAPSHOT"):
    """The conversation's messages; those of the client are as it wrote them."""

    messages: tuple[msgspec.Raw, ...]


AguiEvent: TypeAlias = (
    TextMessageContent
    | TextMessageStart
    | TextMessageEnd
    | TextMessageChunk
    | ToolCallChunk
    | ToolCallResult
    | RunStarted
    | RunFinished
    | RunError
    | Custom
)

# --- the values of the CUSTOM events ----------------------------------------------------------------


class Citation(Part, frozen=True, kw_only=True):
    """Of `duologue.citation`; a `url` that begins with `/` is a page of this server."""

    title: str
    url: str
    snippet: str | None = None


class Chip(Part, frozen=True, kw_only=True):
    """One suggestion: `label` is shown, `text` is sent."""

    label: str
    text: str


class Suggestions(Part, frozen=True, kw_only=True):
    """Of `duologue.suggestions`."""

    chips: tuple[Chip, ...]


class Rich(Part, frozen=True, kw_only=True):
    """Of `duologue.rich`."""

    payload_type: str
    version: int
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]


class Diagnostic(Part, frozen=True, kw_only=True):
    """Of `duologue.diagnostic`."""

    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


class Retry(Part, frozen=True, kw_only=True):
    """Of `duologue.retry`: the run is made again; what it said before is void."""

    attempt: int
    response_id: str


class Capabilities(Part, frozen=True, kw_only=True):
    """Of `duologue.capabilities`."""

    modalities: tuple[Modality, ...]


Value: TypeAlias = Citation | Suggestions | Rich | Diagnostic | Retry | Capabilities | ActingValue | VoiceValue

# --- messages of a snapshot -------------------------------------------------------------------------


class Function(Part, frozen=True, kw_only=True):
    """What was called, and with what."""

    name: str
    arguments: str


class Call(Part, frozen=True, kw_only=True):
    """A tool call of a message."""

    id: str
    type: Literal["function"]
    function: Function


class UserMessage(Part, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """What the person said."""

    id: str
    content: str
    metadata: Metadata


class AssistantMessage(Part, frozen=True, kw_only=True, tag_field="role", tag="assistant"):
    """What the agent said and called, or who answers in its place, whose name it then has."""

    id: str
    name: str | None = None
    content: str | None = None
    tool_calls: tuple[Call, ...] = ()
    metadata: Metadata


class ToolMessage(Part, frozen=True, kw_only=True, tag_field="role", tag="tool"):
    """What a tool returned; `error` where it failed."""

    id: str
    tool_call_id: str
    content: str
    error: str | None = None


SnapshotMessage: TypeAlias = UserMessage | AssistantMessage | ToolMessage
