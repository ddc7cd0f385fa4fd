"""What an AG-UI client sends. Source: AG-UI 1.0, `RunAgentInput`; bounds are ours where a comment says so.

Members that nobody here reads are kept out, but what AG-UI types is typed: what its own models refuse is refused.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from duologue.model import limits


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A piece of the input; members that it does not name are ignored."""


# --- content ----------------------------------------------------------------------------------------


class DataSource(Wire, frozen=True, kw_only=True, tag_field="type", tag="data"):
    """Bytes in base64."""

    value: str
    mime_type: str


class UrlSource(Wire, frozen=True, kw_only=True, tag_field="type", tag="url"):
    """An address, which this server does not fetch."""

    value: str
    mime_type: str | None = None


class FileSource(Wire, frozen=True, kw_only=True, tag_field="type", tag="file"):
    """A file that is here already: the value is the id of an upload."""

    value: str
    provider: str | None = None
    mime_type: str | None = None


Source: TypeAlias = DataSource | UrlSource | FileSource


class TextPart(Wire, frozen=True, kw_only=True, tag_field="type", tag="text"):
    """Some words."""

    id: str | None = None
    text: str


class ImagePart(Wire, frozen=True, kw_only=True, tag_field="type", tag="image"):
    """A picture."""

    id: str | None = None
    source: Source


class AudioPart(Wire, frozen=True, kw_only=True, tag_field="type", tag="audio"):
    """A recording."""

    id: str | None = None
    source: Source


class VideoPart(Wire, frozen=True, kw_only=True, tag_field="type", tag="video"):
    """A film."""

    id: str | None = None
    source: Source


class DocumentPart(Wire, frozen=True, kw_only=True, tag_field="type", tag="document"):
    """Another file."""

    id: str | None = None
    source: Source


MediaPart: TypeAlias = ImagePart | AudioPart | VideoPart | DocumentPart
Part: TypeAlias = TextPart | MediaPart
Content: TypeAlias = str | tuple[Part, ...]

# --- messages ---------------------------------------------------------------------------------------

# JSON of the client's own design: no narrower type exists.
Metadata: TypeAlias = dict[str, Any] | None


class FunctionCall(Wire, frozen=True, kw_only=True):
    """What was called, and with what."""

    name: str
    arguments: str


class ToolCall(Wire, frozen=True, kw_only=True):
    """A call of an earlier run."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall
    encrypted_value: str | None = None
    metadata: Metadata = None


class _Message(Wire, frozen=True, kw_only=True, tag_field="role"):
    id: str
    name: str | None = None
    encrypted_value: str | None = None
    subagent_run_id: str | None = None
    metadata: Metadata = None


class DeveloperMessage(_Message, frozen=True, kw_only=True, tag="developer"):
    """The application's own words to the agent; not taken as instructions here."""

    content: str


class SystemMessage(_Message, frozen=True, kw_only=True, tag="system"):
    """The application's own words to the agent; not taken as instructions here."""

    content: str


class AssistantMessage(_Message, frozen=True, kw_only=True, tag="assistant"):
    """What the agent said before."""

    content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None


class UserMessage(_Message, frozen=True, kw_only=True, tag="user"):
    """What the person says, or said before."""

    content: Content


class _Bare(Wire, frozen=True, kw_only=True, tag_field="role"):
    id: str
    subagent_run_id: str | None = None
    metadata: Metadata = None


class ToolMessage(_Bare, frozen=True, kw_only=True, tag="tool"):
    """What a tool returned; `error` says why it failed."""

    content: Content
    tool_call_id: str
    error: str | None = None
    encrypted_value: str | None = None


class ActivityMessage(_Bare, frozen=True, kw_only=True, tag="activity"):
    """Progress that was shown before."""

    activity_type: str
    # JSON of the agent's own design: no narrower type exists.
    content: dict[str, Any]


class ReasoningMessage(_Bare, frozen=True, kw_only=True, tag="reasoning"):
    """Reasoning that was shown before."""

    content: str
    encrypted_value: str | None = None


Message: TypeAlias = (
    DeveloperMessage | SystemMessage | AssistantMessage | UserMessage | ToolMessage | ActivityMessage | ReasoningMessage
)

# --- the input --------------------------------------------------------------------------------------


class Tool(Wire, frozen=True, kw_only=True):
    """A tool that the client offers to run. The bound of the name is ours."""

    name: Annotated[str, Meta(min_length=1, max_length=limits.TOOL_NAME_CHARS)]
    description: str
    # JSON Schema of the client's own design: no narrower type exists.
    parameters: Any = None
    metadata: Metadata = None


class Context(Wire, frozen=True, kw_only=True):
    """Data for the agent, never an instruction. The bounds are ours."""

    description: Annotated[str, Meta(max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


class ResumeEntry(Wire, frozen=True, kw_only=True):
    """The answer to one interrupt."""

    interrupt_id: str
    status: Literal["resolved", "cancelled"]
    # JSON as the interrupt asks for it: no narrower type exists.
    payload: Any = None
    metadata: Metadata = None


class RunAgentInput(Wire, frozen=True, kw_only=True):
    """The body of `POST /agui`. The bounds are ours."""

    thread_id: Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
    run_id: Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)]
    protocol_version: str | None = None
    parent_run_id: str | None = None
    # JSON of the client's own design: no narrower type exists.
    state: Any = None
    messages: tuple[Message, ...]
    tools: Annotated[tuple[Tool, ...], Meta(max_length=limits.CLIENT_TOOLS)] | None = None
    context: Annotated[tuple[Context, ...], Meta(max_length=limits.CONTEXT_ITEMS)] | None = None
    # JSON of the client's own design: no narrower type exists.
    forwarded_props: Any = None
    resume: Annotated[tuple[ResumeEntry, ...], Meta(max_length=limits.INTERRUPTS)] | None = None


class CancelBody(Wire, frozen=True, kw_only=True):
    """The body of `POST /agui/cancel`. Ours: AG-UI has no message for it."""

    thread_id: Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
    run_id: Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)] | None = None


class MessagesOnly(msgspec.Struct, frozen=True):
    """The messages of an input, each as it was written."""

    messages: tuple[msgspec.Raw, ...]


class MessageName(Wire, frozen=True, kw_only=True):
    """What tells one message from another."""

    id: str
    role: str
    # Any: looked at where it is text.
    content: Any = None
    tool_calls: tuple[ToolCall, ...] | None = None
