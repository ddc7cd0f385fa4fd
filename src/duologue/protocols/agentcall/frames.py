"""What the server sends: frames, the AG-UI events inside them, and the values of the CUSTOM ones.

`schemas/agentcall-server.schema.json` says the same as these structs; a test holds them together.
Member order is as written here: the same event gives the same bytes for ever.
"""

from typing import Any, Final, Literal, TypeAlias

import msgspec

from duologue.model.content import Modality, Role, Runner, Source, Tier
from duologue.model.errors import Code
from duologue.model.events import Ending, Outcome, State
from duologue.model.inputs import Trigger
from duologue.model.tools import ApprovalPolicy, Disposition, ToolStatus
from duologue.protocols.acting_values import ActingValue
from duologue.protocols.call_values import VoiceValue
from duologue.protocols.measures import Figures, Latency

AGUI_VERSION: Final = "1.0"
"""The AG-UI version whose events are sent; the first with the outcome `cancelled`."""


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A part of a frame; a member that is `None` or empty by default is left out."""


# --- The AG-UI events. Source: AG-UI 1.0, events.


class _Event(_Part, frozen=True, kw_only=True, tag_field="type"):
    timestamp: int


class RunMetadata(_Part, frozen=True, kw_only=True):
    tier: Tier
    attempt: int
    author: str = ""
    agent: str = ""
    replaces: str = ""


class EndMetadata(_Part, frozen=True, kw_only=True):
    outcome: Ending
    tier: Tier
    figures: Figures
    heard: int | None = None
    superseded: bool = False


class ErrorMetadata(_Part, frozen=True, kw_only=True):
    response_id: str
    retryable: bool
    will_retry: bool
    heard: int | None = None


class TierMetadata(_Part, frozen=True, kw_only=True):
    tier: Tier


class TrimMetadata(_Part, frozen=True, kw_only=True):
    epoch: int


class MessageMetadata(_Part, frozen=True, kw_only=True):
    turn: int
    interrupted: bool
    author: str = ""


class ResultMetadata(_Part, frozen=True, kw_only=True):
    is_error: bool
    duration_ms: int
    status: ToolStatus | None = None
    key: str = ""
    disposition: Disposition | None = None
    policy: ApprovalPolicy | None = None
    error_code: str = ""


Details: TypeAlias = (
    RunMetadata | EndMetadata | ErrorMetadata | TierMetadata | TrimMetadata | MessageMetadata | ResultMetadata
)


class Metadata(_Part, frozen=True, kw_only=True):
    """AG-UI's place for what it has no member for; ours is under one key."""

    duologue: Details


class RunStarted(_Event, frozen=True, kw_only=True, tag="RUN_STARTED"):
    thread_id: str
    run_id: str
    protocol_version: str
    metadata: Metadata


class Success(_Part, frozen=True, kw_only=True, tag_field="type", tag="success"):
    pass


class Cancelled(_Part, frozen=True, kw_only=True, tag_field="type", tag="cancelled"):
    pass


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
    interrupts: tuple[Interrupt, ...]


class TokenUsage(_Part, frozen=True, kw_only=True):
    provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_input_tokens: int | None = None


class RunFinished(_Event, frozen=True, kw_only=True, tag="RUN_FINISHED"):
    thread_id: str
    run_id: str
    outcome: Success | Interrupted | Cancelled
    usage: tuple[TokenUsage, ...] = ()
    metadata: Metadata


class RunError(_Event, frozen=True, kw_only=True, tag="RUN_ERROR"):
    message: str
    code: Code
    metadata: Metadata


class TextMessageStart(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_START"):
    message_id: str
    role: Role
    name: str | None = None
    metadata: Metadata


class TextMessageContent(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_CONTENT"):
    message_id: str
    delta: str


class TextMessageEnd(_Event, frozen=True, kw_only=True, tag="TEXT_MESSAGE_END"):
    message_id: str


class ToolCallChunk(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_CHUNK"):
    """A whole call in one event: AG-UI's short form of start, arguments and end."""

    tool_call_id: str
    tool_call_name: str
    delta: str


class ToolCallResult(_Event, frozen=True, kw_only=True, tag="TOOL_CALL_RESULT"):
    message_id: str
    tool_call_id: str
    content: str
    role: Literal["tool"]
    metadata: Metadata


class Message(_Part, frozen=True, kw_only=True):
    id: str
    role: Role
    content: str
    metadata: Metadata


class MessagesSnapshot(_Event, frozen=True, kw_only=True, tag="MESSAGES_SNAPSHOT"):
    messages: tuple[Message, ...]
    metadata: Metadata


class Custom(_Event, frozen=True, kw_only=True, tag="CUSTOM"):
    name: str
    value: "Value"


AguiEvent: TypeAlias = (
    TextMessageContent
    | TextMessageStart
    | TextMessageEnd
    | ToolCallChunk
    | ToolCallResult
    | RunStarted
    | RunFinished
    | RunError
    | MessagesSnapshot
    | Custom
)


# --- The values of the CUSTOM events.


class Attachment(_Part, frozen=True, kw_only=True):
    upload_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str


class Speech(_Part, frozen=True, kw_only=True):
    recognition_engine: str | None = None
    model: str | None = None
    locale_identifier: str | None = None
    actionable_revision_ms: int | None = None
    stable_final_ms: int | None = None
    thermal_state: str | None = None
    confidence: float | None = None
    stt_ms: int | None = None


class NdefPart(_Part, frozen=True, kw_only=True):
    tnf: int
    type: str
    id: str
    payload: str
    text: str | None = None
    uri: str | None = None
    language: str | None = None


class NdefRecord(NdefPart, frozen=True, kw_only=True):
    inside: tuple[NdefPart, ...] = ()


class Nfc(_Part, frozen=True, kw_only=True, tag_field="kind", tag="nfc"):
    tag_id: str
    technologies: tuple[str, ...]
    records: tuple[NdefRecord, ...]
    observed_at: str


class Photo(_Part, frozen=True, kw_only=True, tag_field="kind", tag="photo"):
    media_type: str
    width: int
    height: int
    sha256: str
    upload_id: str
    size_bytes: int
    observed_at: str


class SessionStarted(_Part, frozen=True, kw_only=True):
    session_id: str
    agent: str
    tier: Tier
    language: str
    state: State


class Capabilities(_Part, frozen=True, kw_only=True):
    modalities: tuple[Modality, ...]


class Answer(_Part, frozen=True, kw_only=True):
    interrupt_id: str
    status: Literal["resolved", "cancelled"]


class ToolCalled(_Part, frozen=True, kw_only=True):
    """A tool that another client is to run."""

    response_id: str
    tool_call_id: str
    tool_name: str


class ToolReturned(_Part, frozen=True, kw_only=True):
    """A tool that another client has run, or that the agent had asked about in an earlier run."""

    response_id: str
    tool_call_id: str
    tool_name: str
    runs_on: Runner
    result: str
    is_error: bool
    status: ToolStatus | None = None
    key: str = ""
    disposition: Disposition | None = None
    policy: ApprovalPolicy | None = None
    error_code: str = ""


class Untold(_Part, frozen=True, kw_only=True):
    """Nothing but a number: what operators say among themselves."""


class TurnAccepted(_Part, frozen=True, kw_only=True):
    request_id: str = ""
    text: str
    source: Source
    language: str
    attachments: tuple[Attachment, ...] = ()
    observation: Nfc | Photo | None = None
    speech: Speech | None = None
    answers: tuple[Answer, ...] = ()


class Citation(_Part, frozen=True, kw_only=True):
    response_id: str
    title: str
    url: str
    snippet: str | None = None


class Chip(_Part, frozen=True, kw_only=True):
    label: str
    text: str


class Suggestions(_Part, frozen=True, kw_only=True):
    response_id: str
    chips: tuple[Chip, ...]


class Rich(_Part, frozen=True, kw_only=True):
    response_id: str
    payload_type: str
    version: int
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]


class Diagnostic(_Part, frozen=True, kw_only=True):
    response_id: str = ""
    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


class TurnEnded(_Part, frozen=True, kw_only=True):
    outcome: Outcome
    response_id: str
    figures: Figures
    heard: int | None = None
    heard_estimated: bool = False
    latency: Latency | None = None


class StateChanged(_Part, frozen=True, kw_only=True):
    state: State
    previous: State
    trigger: Trigger


class SessionEnded(_Part, frozen=True, kw_only=True):
    reason: str


Value: TypeAlias = (
    SessionStarted
    | Capabilities
    | TurnAccepted
    | ToolCalled
    | ToolReturned
    | Citation
    | Suggestions
    | Rich
    | Diagnostic
    | TurnEnded
    | StateChanged
    | SessionEnded
    | Untold
    | ActingValue
    | VoiceValue
)


# --- The frames.


class EventFrame(_Part, frozen=True, kw_only=True, tag_field="type", tag="agui.event"):
    """One event; `turn` is absent where it belongs to none."""

    sequence: int
    turn: int = 0
    event: AguiEvent


class ErrorFrame(_Part, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """The answer to one bad message; takes no sequence."""

    code: Code
    message: str
    retryable: bool
    path: str = ""
    limit: int | None = None
    turn: int | None = None
    retry_after_ms: int | None = None


class SessionOpened(_Part, frozen=True, kw_only=True, tag_field="type", tag="session.opened"):
    session_id: str
    resumed_from: int
    last_sequence: int
    resume: bool


class TurnRepeated(_Part, frozen=True, kw_only=True, tag_field="type", tag="turn.repeated"):
    turn: int
    accepted_sequence: int
