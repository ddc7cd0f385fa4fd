"""Frames of the ghost dialect. Source: Ghost AG-UI 1.0; `schemas/` holds both directions.

The contract names the events and their payloads, not the frame around them: that is ours, and so are the
types that begin with `ghost.`; what clients send is in `incoming.py`.
"""

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model.condition import ConditionReason, ConditionState
from duologue.model.content import Role, Runner, Source, Tier
from duologue.model.events import State
from duologue.model.inputs import Trigger
from duologue.model.memory import MemoryKind
from duologue.model.routing import UpgradeReason
from duologue.model.tools import Disposition, ToolStatus
from duologue.model.voice import SpeechPart, VoiceMode
from duologue.model.voice_events import WhyIgnored, WhyNothing
from duologue.protocols.ghost.acting_wire import ActingPayload

VoiceKind = Literal[
    "call_began",
    "call_ended",
    "speech_ended",
    "partial",
    "pause_judged",
    "nothing_heard",
    "turn_extended",
    "speaking_paused",
    "speaking_resumed",
    "speech_ignored",
    "early_answer",
    "nobody_spoke",
    "failed",
]
"""What happens in a call that the contract has no event for."""


class Wire(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A piece of a frame."""


# --- server to client -------------------------------------------------------------------------------


class AgentReady(Wire, frozen=True, kw_only=True):
    """Payload of `agent.ready`."""

    models_loaded: tuple[Tier, ...]
    # Not left out at 0: the contract lists it.
    memory_items: int
    language: str


class AttachmentPart(Wire, frozen=True, kw_only=True):
    """An upload that a turn refers to."""

    upload_id: str
    name: str
    media_type: str
    size_bytes: int


class TurnStart(Wire, frozen=True, kw_only=True):
    """Payload of `turn.start`. Ours: all from `text` on, so that other clients see what was said."""

    source: Source
    language_detected: str
    turn_id: str
    text: str
    attachments: tuple[AttachmentPart, ...] = ()
    observation: Literal["nfc", "photo"] | UnsetType = UNSET


class AgentDegraded(Wire, frozen=True, kw_only=True):
    """Payload of `agent.degraded`. Ours: what it was before, and the tiers that still answer."""

    state: ConditionState
    reason: ConditionReason
    previous: ConditionState
    tiers: tuple[Tier, ...] = ()


class TurnRouting(Wire, frozen=True, kw_only=True):
    """Payload of `turn.routing`. Ours: what made it so, for people, and what decided."""

    complexity_score: float
    tier_target: Tier
    workhorse_required: bool
    reasons: tuple[str, ...] = ()
    judged_by: Literal["rules", "gate"]


class TurnUpgrade(Wire, frozen=True, kw_only=True):
    """Payload of `turn.upgrade`. Ours: all from `tier_target` on.

    Where `replaced`, the text so far is void; else the answer of the turn before stays, and a better one follows.
    """

    reason: UpgradeReason
    tier_target: Tier
    replaced: bool
    why: str | UnsetType = UNSET
    heard: int | UnsetType = UNSET
    text: str | UnsetType = UNSET


class TurnThinking(Wire, frozen=True):
    """Payload of `turn.thinking`. Ours: who answers in the agent's place, and which agent."""

    tier: Tier
    is_thinking: bool
    author: str | UnsetType = UNSET
    agent: str | UnsetType = UNSET


class TurnToken(Wire, frozen=True):
    """Payload of `turn.token`; `cumulative_length` in code points."""

    token: str
    cumulative_length: int


class InterruptPart(Wire, frozen=True, kw_only=True):
    """Something that the agent waits for."""

    interrupt_id: str
    reason: str
    message: str | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET
    expires_at: str | UnsetType = UNSET
    # JSON of the agent's own design: no narrower type exists.
    metadata: dict[str, Any] | UnsetType = UNSET


class TurnComplete(Wire, frozen=True, kw_only=True):
    """Payload of `turn.complete`.

    Ours: `interrupts`, what the agent waits for before it goes on; `pending_tool_calls`, those that wait for a client;
    `passed`, a person has the conversation and has not answered yet.
    """

    tier_used: Tier
    total_tokens: int
    ttft_ms: int
    tps: float
    quality_pass: bool
    language: str
    interrupts: tuple[InterruptPart, ...] = ()
    pending_tool_calls: tuple[str, ...] = ()
    passed: bool = False


class ToolInvoked(Wire, frozen=True, kw_only=True):
    """Payload of `tool.invoked`. Ours: the call's id, and who runs it."""

    tool_name: str
    # The tool's own arguments: no narrower type exists.
    arguments: dict[str, Any]
    tool_call_id: str
    runs_on: Runner


class ToolResult(Wire, frozen=True, kw_only=True):
    """Payload of `tool.result`. Ours: all from `tool_call_id` on."""

    tool_name: str
    # JSON of the tool's own design: no narrower type exists.
    result: dict[str, Any]
    duration_ms: int
    tool_call_id: str
    status: ToolStatus
    disposition: Disposition | UnsetType = UNSET
    earlier: bool = False


class TurnError(Wire, frozen=True):
    """Payload of `turn.error`. Ours: `heard`, how many characters of an answer that was spoken in a call were heard."""

    error: str
    recoverable: bool
    heard: int | UnsetType = UNSET


class VoiceTranscribing(Wire, frozen=True):
    """Payload of `voice.transcribing`."""

    language_detected: str


class VoiceTranscript(Wire, frozen=True, kw_only=True):
    """Payload of `voice.transcript`."""

    text: str
    confidence: float
    language: str
    stt_ms: int


class VoiceSpeaking(Wire, frozen=True, kw_only=True):
    """Payload of `voice.speaking`. Ours: where the word stands in the answer, and that its moment is an estimate."""

    word: str
    language: str
    begin: int
    end: int
    estimated: bool = False


class GhostVoice(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.voice`: something in a call that the contract has no event for; members depend on `kind`."""

    kind: VoiceKind
    mode: VoiceMode | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    why: WhyNothing | WhyIgnored | UnsetType = UNSET
    part: SpeechPart | UnsetType = UNSET
    probability: float | UnsetType = UNSET
    finished: bool | UnsetType = UNSET
    tokens: int | UnsetType = UNSET
    waited_ms: int | UnsetType = UNSET
    times: int | UnsetType = UNSET


class MemoryRecalled(Wire, frozen=True, kw_only=True):
    """Payload of `memory.recalled`."""

    count: int
    retrieve_ms: int


class MemoryStored(Wire, frozen=True, kw_only=True):
    """Payload of `memory.stored`. Ours: its id, and those of what it takes the place of."""

    type: MemoryKind
    importance: float
    memory_id: str
    superseded: tuple[str, ...] = ()


class Nothing(Wire, frozen=True):
    """Payload of an event that the contract gives none."""


class GhostState(Wire, frozen=True):
    """Payload of `ghost.state`: the machine moved, and the contract has no event for it."""

    trigger: Trigger
    previous: State


class GhostDiagnostic(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.diagnostic`."""

    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | UnsetType = UNSET


class GhostCitation(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.citation`; `url` as the agent gave it, a path being one of this server."""

    title: str
    url: str
    snippet: str | UnsetType = UNSET


class ChipPart(Wire, frozen=True, kw_only=True):
    """One suggestion: `label` is shown, `text` is sent."""

    label: str
    text: str


class GhostSuggestions(Wire, frozen=True):
    """Payload of `ghost.suggestions`."""

    chips: tuple[ChipPart, ...]


class GhostRich(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.rich`."""

    payload_type: str
    version: int
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]


class MessagePart(Wire, frozen=True, kw_only=True):
    """One message of the conversation so far."""

    role: Role
    text: str
    turn: int
    interrupted: bool = False
    author: str | UnsetType = UNSET


class GhostHistory(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.history`: stands for the events that retention removed."""

    epoch: int
    messages: tuple[MessagePart, ...]


class GhostSessionEnded(Wire, frozen=True):
    """Payload of `ghost.session_ended`."""

    reason: str


Payload: TypeAlias = (
    AgentReady
    | AgentDegraded
    | TurnRouting
    | TurnUpgrade
    | MemoryRecalled
    | MemoryStored
    | ActingPayload
    | TurnStart
    | TurnThinking
    | TurnToken
    | TurnComplete
    | ToolInvoked
    | ToolResult
    | TurnError
    | VoiceTranscribing
    | VoiceTranscript
    | VoiceSpeaking
    | GhostVoice
    | Nothing
    | GhostState
    | GhostDiagnostic
    | GhostCitation
    | GhostSuggestions
    | GhostRich
    | GhostHistory
    | GhostSessionEnded
)


class Frame(Wire, frozen=True):
    """One event. `state` is the machine's after it, `timestamp` in ms since 1970."""

    type: str
    sequence: int
    timestamp: int
    state: State
    payload: Payload


class GhostError(Wire, frozen=True, kw_only=True, tag="ghost.error"):
    """A refused message, to the one who sent it; not an event. Ours."""

    code: str
    message: str
    recoverable: bool
    turn_id: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    limit: int | UnsetType = UNSET
    retry_after_ms: int | UnsetType = UNSET


class SessionOpenedFrame(Wire, frozen=True, kw_only=True, tag="session.opened"):
    """The answer to `session.open`; not an event. Ours."""

    session_id: str
    after: int
    last_sequence: int


class TurnRepeatedFrame(Wire, frozen=True, kw_only=True, tag="turn.repeated"):
    """The answer to a turn that had been accepted before; not an event. Ours."""

    turn_id: str
    sequence: int
