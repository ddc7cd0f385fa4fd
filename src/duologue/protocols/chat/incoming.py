"""What chat clients send: frames of the socket, and bodies of HTTP requests. The contract has none; these are ours.

Unknown members are ignored, as the contract's note says; known ones are strict.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.content import Modality
from duologue.model.tools import Decision
from duologue.protocols.observation import wire as seen

RESPONSE_ID_CHARS: Final = 256
"""Longest response id, as for request ids: ours are far shorter."""

LANGUAGE_CHARS: Final = 35
"""Longest language tag. Source: RFC 5646, section 4.4.1."""

SessionId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
RequestId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)]
ResponseId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=RESPONSE_ID_CHARS)]
UploadId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.UPLOAD_ID_CHARS)]
Language: TypeAlias = Annotated[str, Meta(max_length=LANGUAGE_CHARS, pattern=r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")]
Text: TypeAlias = Annotated[str, Meta(max_length=limits.TURN_TEXT_CHARS)]
Cursor: TypeAlias = Annotated[int, Meta(ge=0, le=limits.INTEGER_MAX)]
CallId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.TOOL_CALL_ID_CHARS)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A piece of a frame, its members in camel case."""


class Context(Wire, frozen=True, kw_only=True):
    """A `{description, value}` pair for the agent: data, never an instruction."""

    description: Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


TurnNumber: TypeAlias = Annotated[int, Meta(ge=1, le=limits.TURN_NUMBER_MAX)]
Contexts: TypeAlias = Annotated[tuple[Context, ...], Meta(max_length=limits.CONTEXT_ITEMS)]
UploadIds: TypeAlias = Annotated[tuple[UploadId, ...], Meta(max_length=limits.TURN_ATTACHMENTS)]


Modalities: TypeAlias = Annotated[tuple[Modality, ...], Meta(max_length=2)]


class SessionStart(Wire, frozen=True, kw_only=True, tag="session.start"):
    """Open or join a session; `cursor` is the last sequence that the client has.

    `modalities` is what the person can be asked to show; without it, what was said before holds.
    """

    session_id: SessionId | UnsetType = UNSET
    cursor: Cursor = 0
    language: Language | UnsetType = UNSET
    modalities: Modalities | UnsetType = UNSET


class OfferedTool(Wire, frozen=True, kw_only=True):
    """A tool that the client runs, should the agent ask for it; `parameters` is a JSON Schema of its input."""

    name: Annotated[str, Meta(min_length=1, max_length=limits.TOOL_NAME_CHARS)]
    description: str
    # JSON Schema of the client's own design: no narrower type exists.
    parameters: dict[str, Any] | UnsetType = UNSET


class Answer(Wire, frozen=True, kw_only=True):
    """What became of something that the agent waits for."""

    interrupt_id: Name
    status: Literal["resolved", "cancelled"]
    # JSON as the interrupt asks for it: no narrower type exists.
    payload: Any = None


Tools: TypeAlias = Annotated[tuple[OfferedTool, ...], Meta(max_length=limits.CLIENT_TOOLS)]
Answers: TypeAlias = Annotated[tuple[Answer, ...], Meta(max_length=limits.INTERRUPTS)]


class Message(Wire, frozen=True, kw_only=True):
    """What the person says or shows, however it travels.

    `observation` is a tag or a photo, in AgentCall's form; with `interaction_id` it answers what the agent asked for.
    `resume` answers what else the agent waits for, all of it. `tools` are those that this client runs.
    """

    text: Text
    attachments: UploadIds = ()
    context: Contexts = ()
    language: Language | UnsetType = UNSET
    observation: seen.Observation | UnsetType = UNSET
    interaction_id: Name | UnsetType = UNSET
    resume: Answers = ()
    tools: Tools = ()


class MessageSend(Message, frozen=True, kw_only=True, tag="message.send"):
    """A message over the socket."""

    request_id: RequestId


class ResponseCancel(Wire, frozen=True, kw_only=True, tag="response.cancel"):
    """Stop the answer."""

    response_id: ResponseId | UnsetType = UNSET


class SessionEnd(Wire, frozen=True, kw_only=True, tag="session.end"):
    """End the session."""


class AudioTurnStart(Wire, frozen=True, kw_only=True, tag="audio.turn.start"):
    """In a call with explicit turns: what is said from here on is a turn, and an answer that is spoken stops."""

    turn: TurnNumber


class AudioTurnCommit(Wire, frozen=True, kw_only=True, tag="audio.turn.commit"):
    """The audio turn is complete, and is answered at once."""

    turn: TurnNumber


class AudioTurnCancel(Wire, frozen=True, kw_only=True, tag="audio.turn.cancel"):
    """The audio turn never was."""

    turn: TurnNumber


class ToolOutput(Wire, frozen=True, kw_only=True):
    """What a tool of the client's gave, or why it could not."""

    tool_call_id: CallId
    # JSON of the tool's own design: no narrower type exists.
    output: Any = UNSET
    error: Annotated[str, Meta(min_length=1, max_length=limits.TOOL_RESULT_CHARS)] | UnsetType = UNSET


class ToolOutputFrame(ToolOutput, frozen=True, kw_only=True, tag="tool.output"):
    """The same over the socket."""


class Deciding(Wire, frozen=True, kw_only=True):
    """The person decides about a call that waits for them.

    It is named by its id or its approval's. `arguments` and `digest` bind the decision to what was shown.
    """

    decision: Decision
    approval_id: Name | UnsetType = UNSET
    tool_call_id: CallId | UnsetType = UNSET
    # The tool's own arguments: no narrower type exists.
    arguments: dict[str, Any] | UnsetType = UNSET
    digest: Name | UnsetType = UNSET
    reason: Annotated[str, Meta(max_length=limits.CONTEXT_DESCRIPTION_CHARS)] = ""


class ApprovalDecide(Deciding, frozen=True, kw_only=True, tag="approval.decide"):
    """The same over the socket."""


AudioTurn: TypeAlias = AudioTurnStart | AudioTurnCommit | AudioTurnCancel
ClientFrame: TypeAlias = (
    SessionStart | MessageSend | ResponseCancel | SessionEnd | ToolOutputFrame | ApprovalDecide | AudioTurn
)


class SendBody(Message, frozen=True, kw_only=True):
    """The body of `POST /chat/stream`; an `Idempotency-Key` may stand for `requestId`."""

    session_id: SessionId | UnsetType = UNSET
    request_id: RequestId | UnsetType = UNSET


class CancelBody(Wire, frozen=True, kw_only=True):
    """The body of `POST /chat/cancel`."""

    session_id: SessionId
    response_id: ResponseId | UnsetType = UNSET


class EndBody(Wire, frozen=True, kw_only=True):
    """The body of `POST /chat/end`."""

    session_id: SessionId


class ToolOutputBody(ToolOutput, frozen=True, kw_only=True):
    """A body of `POST /chat/tool-call`: what a client's tool gave."""

    session_id: SessionId


class DecisionBody(Deciding, frozen=True, kw_only=True):
    """A body of `POST /chat/tool-call`: a decision about a call that waits for the person."""

    session_id: SessionId


class ToolCallKind(msgspec.Struct, frozen=True):
    """What tells one body of `POST /chat/tool-call` from the other: only a decision has `decision`, and no result."""

    # Any: looked at, whatever it is.
    decision: Any = UNSET
    # Any: looked at, whatever it is.
    output: Any = UNSET
    # Any: looked at, whatever it is.
    error: Any = UNSET
