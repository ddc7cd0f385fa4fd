"""Frames of the chat dialect. Source: TransportEvent (draft-07 contract); `schemas/` holds both directions.

Members that the contract does not list are ours: the contract lets an event carry more than it names.
"""

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model.content import Runner
from duologue.model.events import Outcome
from duologue.model.handoff import HandoffCause, HandoffStatus, TransferType
from duologue.model.signals import Polarity, SentimentCategory, SignalScope, SignalSource
from duologue.model.tools import ApprovalPolicy, DecidedBy, Disposition, ToolStatus


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A piece of a frame, its members in camel case."""


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
    """A response begins. Ours: all from `attempt` on.

    `attempt`: an earlier one was lost. `replaces`: the response whose text this one takes the place of. `author`: who
    answers in the agent's place. `agent`: which agent, where it is not the first one.
    """

    response_id: str
    attempt: int = 1
    replaces: str = ""
    author: str = ""
    agent: str = ""


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
    """A tool was called. Ours: `runs_on`; one of a client's is run by the client that offers it."""

    response_id: str
    tool_call_id: str
    tool_name: str
    # The tool's own arguments: no narrower type exists.
    input: dict[str, Any]
    runs_on: Runner


class ApprovalPart(Wire, frozen=True, kw_only=True):
    """A decision that a call waits for. Ours."""

    approval_id: str
    prompt: str
    digest: str
    expires_at: str


class ToolResultFrame(Stamped, frozen=True, tag="tool.result"):
    """A call took a step, or is done. Ours: all from `code` on.

    `code` is the SDK's word for a failure, `reason` the precise one; `earlier`: it was called in an earlier response.
    """

    response_id: str
    tool_call_id: str
    # JSON of the tool's own design: no narrower type exists.
    output: dict[str, Any]
    status: ToolStatus
    error: str | UnsetType = UNSET
    idempotency_key: str | UnsetType = UNSET
    duplicate_disposition: Disposition | UnsetType = UNSET
    approval_policy: ApprovalPolicy | UnsetType = UNSET
    code: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    approval: ApprovalPart | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    decided_via: DecidedBy | UnsetType = UNSET
    earlier: bool = False
    duration_ms: int | UnsetType = UNSET


class OperatorPart(Wire, frozen=True, kw_only=True):
    """Who has the conversation, by the name that the person sees. Ours."""

    name: str


class RoutePart(Wire, frozen=True, kw_only=True):
    """Where it goes, and the rule that said so."""

    target: str
    rule: str | UnsetType = UNSET
    reasons: tuple[str, ...] = ()


class HandoffStatusFrame(Stamped, frozen=True, tag="handoff.status"):
    """A handoff took a step. Ours: `handoff_id`, `operator`, `cause`."""

    response_id: str
    handoff_id: str
    status: HandoffStatus
    transfer_type: TransferType
    target_agent: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    queue_position: int | UnsetType = UNSET
    estimated_wait_time: str | UnsetType = UNSET
    estimated_wait_ms: int | UnsetType = UNSET
    failure_reason: str | UnsetType = UNSET
    # JSON of the bundle: told as it is.
    warm_context: dict[str, Any] | UnsetType = UNSET
    # JSON of what carries the call: told as it is.
    voice: dict[str, Any] | UnsetType = UNSET
    bundle_id: str | UnsetType = UNSET
    route_decision: RoutePart | UnsetType = UNSET
    graph_path: tuple[str, ...] = ()
    operator: OperatorPart | UnsetType = UNSET
    cause: HandoffCause | UnsetType = UNSET


class SentimentPart(Wire, frozen=True, kw_only=True, tag_field="kind", tag="sentiment"):
    """A mood."""

    category: SentimentCategory
    score: float
    confidence: float
    polarity: Polarity | UnsetType = UNSET


class AlternatePart(Wire, frozen=True, kw_only=True):
    """Another intent that it may be."""

    intent: str
    score: float


class IntentPart(Wire, frozen=True, kw_only=True, tag_field="kind", tag="intent"):
    """What the person wants."""

    intent: str
    score: float
    confidence: float
    alternates: tuple[AlternatePart, ...] = ()


class SignalUpdateFrame(Stamped, frozen=True, tag="signal.update"):
    """An estimate. Ours: `replaces`, an earlier one of the same kind and message; `turn`, which it is about."""

    response_id: str
    signal: SentimentPart | IntentPart
    source: SignalSource
    adapter: str
    scope: SignalScope
    attributed_message_id: str | UnsetType
    latency_ms: float
    replaces: bool = False
    turn: int | UnsetType = UNSET


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
    # JSON of the agent's own design: no narrower type exists.
    response_schema: dict[str, Any] | UnsetType = UNSET
    # JSON of the agent's own design: no narrower type exists.
    metadata: dict[str, Any] | UnsetType = UNSET


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
    | HandoffStatusFrame
    | SignalUpdateFrame
    | DiagnosticFrame
    | ResponseCompletedFrame
    | ErrorFrame
    | SessionEndedFrame
)
"""The events of the contract: all of them."""

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
    interrupts: tuple[InterruptPart, ...]
    pending_tool_calls: tuple[str, ...]
    error: ErrorPart | UnsetType = UNSET
    figures: FiguresPart | UnsetType = UNSET
    events: tuple[msgspec.Raw, ...]
