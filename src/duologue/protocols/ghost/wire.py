"""Frames of the ghost dialect. Source: Ghost AG-UI 1.0; `schemas/` holds both directions.

The contract names the events and their payloads, not the frame around them: that is ours, and so are the
types that begin with `ghost.` and the client's messages.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from duologue.model import limits
from duologue.model.content import Role, Source, Tier
from duologue.model.events import State
from duologue.model.inputs import Trigger
from duologue.model.voice import SpeechPart, VoiceMode
from duologue.model.voice_events import WhyIgnored, WhyNothing

STT_MS_MAX: Final = 86_400_000
"""Longest recognition time in ms that is believed: a day."""

LANGUAGE_CHARS: Final = 35
"""Longest language tag. Source: RFC 5646, section 4.4.1."""

SessionId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.SESSION_ID_CHARS)]
TurnId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.REQUEST_ID_CHARS)]
Language: TypeAlias = Annotated[str, Meta(max_length=LANGUAGE_CHARS, pattern=r"^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=limits.TURN_TEXT_CHARS)]
Sequence: TypeAlias = Annotated[int, Meta(ge=0, le=limits.INTEGER_MAX)]

MovedBy = Literal["user_activates_mic", "speech_end", "first_token", "tts_complete", "auto_resume", "barge_in", "error"]
"""The triggers that carry nothing but their name."""

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


# --- client to server -------------------------------------------------------------------------------


class Context(Wire, frozen=True, kw_only=True):
    """A `{description, value}` pair for the agent: data, never an instruction."""

    description: Annotated[str, Meta(min_length=1, max_length=limits.CONTEXT_DESCRIPTION_CHARS)]
    value: Annotated[str, Meta(max_length=limits.CONTEXT_VALUE_CHARS)]


Contexts: TypeAlias = Annotated[tuple[Context, ...], Meta(max_length=limits.CONTEXT_ITEMS)]


class SessionOpen(Wire, frozen=True, kw_only=True, tag="session.open"):
    """Open or join a session; `after` is the last sequence that the client has."""

    session_id: SessionId | UnsetType = UNSET
    after: Sequence = 0
    language: Language | UnsetType = UNSET


class UserSendsText(Wire, frozen=True, kw_only=True, tag="user_sends_text"):
    """The person wrote."""

    text: Text
    turn_id: TurnId | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    context: Contexts = ()


class SttComplete(Wire, frozen=True, kw_only=True, tag="stt_complete"):
    """The client's recogniser is done: the person said this."""

    text: Text
    turn_id: TurnId | UnsetType = UNSET
    confidence: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    stt_ms: Annotated[int, Meta(ge=0, le=STT_MS_MAX)] | UnsetType = UNSET
    context: Contexts = ()


class Cancel(Wire, frozen=True, kw_only=True, tag="cancel"):
    """The person stopped the answer."""


class SessionEnd(Wire, frozen=True, kw_only=True, tag="session.end"):
    """End the session."""


class Moved(Wire, frozen=True, kw_only=True):
    """The client's microphone, recogniser or player moved the state machine."""

    type: MovedBy


ClientFrame: TypeAlias = SessionOpen | UserSendsText | SttComplete | Cancel | SessionEnd | Moved


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


class TurnThinking(Wire, frozen=True):
    """Payload of `turn.thinking`."""

    tier: Tier
    is_thinking: bool


class TurnToken(Wire, frozen=True):
    """Payload of `turn.token`; `cumulative_length` in code points."""

    token: str
    cumulative_length: int


class InterruptPart(Wire, frozen=True, kw_only=True):
    """Something that the agent waits for."""

    interrupt_id: str
    reason: str
    message: str | UnsetType = UNSET


class TurnComplete(Wire, frozen=True, kw_only=True):
    """Payload of `turn.complete`. Ours: `interrupts`, what the agent waits for before it goes on."""

    tier_used: Tier
    total_tokens: int
    ttft_ms: int
    tps: float
    quality_pass: bool
    language: str
    interrupts: tuple[InterruptPart, ...] = ()


class ToolInvoked(Wire, frozen=True, kw_only=True):
    """Payload of `tool.invoked`."""

    tool_name: str
    # The tool's own arguments: no narrower type exists.
    arguments: dict[str, Any]


class ToolResult(Wire, frozen=True, kw_only=True):
    """Payload of `tool.result`."""

    tool_name: str
    # JSON of the tool's own design: no narrower type exists.
    result: dict[str, Any]
    duration_ms: int


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


class GhostHistory(Wire, frozen=True, kw_only=True):
    """Payload of `ghost.history`: stands for the events that retention removed."""

    epoch: int
    messages: tuple[MessagePart, ...]


class GhostSessionEnded(Wire, frozen=True):
    """Payload of `ghost.session_ended`."""

    reason: str


Payload: TypeAlias = (
    AgentReady
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
