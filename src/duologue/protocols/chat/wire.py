"""Frames of the chat dialect. Source: TransportEvent (draft-07 contract); `schemas/` holds both directions.

Members that the contract does not list are ours: the contract lets an event carry more than it names.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.events import Outcome

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


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A piece of a frame, its members in camel case."""


# --- client to server -------------------------------------------------------------------------------


class Context(Wire, frozen=True, kw_only=True):
    """A `{description, value}` pair for the agent: data, never an instruction."""

    description: Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


TurnNumber: TypeAlias = Annotated[int, Meta(ge=1, le=limits.TURN_NUMBER_MAX)]
Contexts: TypeAlias = Annotated[tuple[Context, ...], Meta(max_length=limits.CONTEXT_ITEMS)]
UploadIds: TypeAlias = Annotated[tuple[UploadId, ...], Meta(max_length=limits.TURN_ATTACHMENTS)]


class SessionStart(Wire, frozen=True, kw_only=True, tag="session.start"):
    """Open or join a session; `cursor` is the last sequence that the client has."""

    session_id: SessionId | UnsetType = UNSET
    cursor: Cursor = 0
    language: Language | UnsetType = UNSET


class Message(Wire, frozen=True, kw_only=True):
    """What the person says, however it travels."""

    text: Text
    attachments: UploadIds = ()
    context: Contexts = ()
    language: Language | UnsetType = UNSET


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


AudioTurn: TypeAlias = AudioTurnStart | AudioTurnCommit | AudioTurnCancel
ClientFrame: TypeAlias = SessionStart | MessageSend | ResponseCancel | SessionEnd | AudioTurn


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


# --- server to client -------------------------------------------------------------------------------
# The members of `Stamped` come first and all are given by position: by keyword costs 0.1 µs per token more.


class Stamped(Wire, frozen=True):
    """What all events have. Source: TransportEvent, `Base`.

    `correlation_id` names the turn, which all channels count alike; without one, and on each token, it is left out.
    """

    request_id: str
    timestamp: str
    sequence: int
    # Always given; what is UNSET is not written.
    correlation_id: str | UnsetType


class ResponseStartedFrame(Stamped, frozen=True, tag="response.started"):
    """A response begins. Ours: `attempt`, where an earlier one was lost."""

    response_id: str
    attempt: int = 1


class TextDeltaFrame(Stamped, frozen=True, tag="text.delta"):
    """Some more of the answer."""

    response_id: str
    delta: str


class TextCompletedFrame(Stamped, frozen=True, tag="text.completed"):
    """All of the answer's text."""

    response_id: str
    text: str


class RichPayloadFrame(Stamped, frozen=True, tag="rich.payload"):
    """Something that is not text."""

    response_id: str
    payload_type: str
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]
    payload_version: int | UnsetType = UNSET


class ToolCallFrame(Stamped, frozen=True, tag="tool.call"):
    """A tool that runs on the agent's side."""

    response_id: str
    tool_call_id: str
    tool_name: str
    # The tool's own arguments: no narrower type exists.
    input: dict[str, Any]


class ToolResultFrame(Stamped, frozen=True, tag="tool.result"):
    """A tool of the agent's side has run."""

    response_id: str
    tool_call_id: str
    # JSON of the tool's own design: no narrower type exists.
    output: dict[str, Any]
    status: Literal["completed", "failed"]
    error: str | UnsetType = UNSET


class CitationFrame(Stamped, frozen=True, tag="citation"):
    """A source of the answer; `url` is absolute."""

    response_id: str
    title: str
    url: str
    snippet: str | UnsetType = UNSET


class ChipFrame(Wire, frozen=True):
    """One suggestion: `label` is shown, `text` is sent."""

    label: str
    text: str


class SuggestionChipsFrame(Stamped, frozen=True, tag="suggestion.chips"):
    """What the person may say next."""

    response_id: str
    chips: tuple[ChipFrame, ...]


class DiagnosticFrame(Stamped, frozen=True, tag="diagnostic"):
    """A note for developers and other clients."""

    response_id: str
    category: str
    message: str
    # JSON whose members depend on the category.
    details: dict[str, Any] | UnsetType = UNSET


class UsagePart(Wire, frozen=True, kw_only=True):
    """Tokens of one model, as its provider counts them."""

    model: str | UnsetType = UNSET
    provider: str | UnsetType = UNSET
    input_tokens: int | UnsetType = UNSET
    output_tokens: int | UnsetType = UNSET
    cached_tokens: int | UnsetType = UNSET
    reasoning_tokens: int | UnsetType = UNSET


class FiguresPart(Wire, frozen=True, kw_only=True):
    """What the response cost, as the engine measured it; `ttftMs` is absent where there was no text."""

    ttft_ms: int | UnsetType = UNSET
    duration_ms: int
    total_tokens: int
    tps: float
    quality_pass: bool
    language: str
    usage: tuple[UsagePart, ...] = ()


class InterruptPart(Wire, frozen=True, kw_only=True):
    """Something that the agent waits for. Ours."""

    interrupt_id: str
    reason: str
    message: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    expires_at: str | UnsetType = UNSET


class ResponseCompletedFrame(Stamped, frozen=True, tag="response.completed"):
    """The response is over without a failure. Ours: all from `outcome` on.

    `heard`: how many characters of the answer were, where it was spoken in a call and cut short. `superseded`: the
    person said more before they were answered, and another response follows.
    """

    response_id: str
    outcome: str
    figures: FiguresPart
    interrupts: tuple[InterruptPart, ...] = ()
    pending_tool_calls: tuple[str, ...] = ()
    heard: int | UnsetType = UNSET
    superseded: bool = False


class ErrorFrame(Wire, frozen=True, kw_only=True, tag="error"):
    """A failed response (with `sequence`) or a refused message (without). Ours: all from `reason` on."""

    request_id: str
    timestamp: str
    sequence: int | UnsetType = UNSET
    correlation_id: str | UnsetType = UNSET
    code: str
    message: str
    retryable: bool
    response_id: str | UnsetType = UNSET
    reason: str
    will_retry: bool | UnsetType = UNSET
    path: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    retry_after_ms: int | UnsetType = UNSET


class SessionEndedFrame(Stamped, frozen=True, tag="session.ended"):
    """Nothing follows."""

    response_id: str
    reason: str


class SessionOpenedFrame(Wire, frozen=True, kw_only=True, tag="session.opened"):
    """The answer to `session.start`; not an event."""

    session_id: str
    cursor: int
    last_sequence: int


class MessageRepeatedFrame(Wire, frozen=True, kw_only=True, tag="message.repeated"):
    """The answer to a message that had been accepted before; not an event."""

    request_id: str
    turn: int
    accepted_sequence: int


EventFrame: TypeAlias = (
    ResponseStartedFrame
    | TextDeltaFrame
    | TextCompletedFrame
    | RichPayloadFrame
    | ToolCallFrame
    | ToolResultFrame
    | CitationFrame
    | SuggestionChipsFrame
    | DiagnosticFrame
    | ResponseCompletedFrame
    | ErrorFrame
    | SessionEndedFrame
)
"""The events of the contract that this server has a reason to send."""

# --- the plain JSON answer --------------------------------------------------------------------------


class CitationPart(Wire, frozen=True, kw_only=True):
    """A citation of a summary."""

    title: str
    url: str
    snippet: str | UnsetType = UNSET


class PayloadPart(Wire, frozen=True, kw_only=True):
    """A rich payload of a summary."""

    payload_type: str
    payload_version: int
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]


class ErrorPart(Wire, frozen=True, kw_only=True):
    """The failure of a summary."""

    code: str
    message: str
    retryable: bool
    reason: str


class SummaryBody(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """One turn as one JSON object, for a client that takes no stream."""

    session_id: str
    request_id: str
    turn: int
    response_id: str
    outcome: Outcome | Literal["unfinished"]
    text: str
    citations: tuple[CitationPart, ...]
    chips: tuple[ChipFrame, ...]
    payloads: tuple[PayloadPart, ...]
    error: ErrorPart | UnsetType = UNSET
    figures: FiguresPart | UnsetType = UNSET
    events: tuple[msgspec.Raw, ...]
