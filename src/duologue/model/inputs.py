"""Inputs: what happened outside. Past facts; time comes beside them."""

from typing import Any, Literal, TypeAlias

from duologue.model.condition import ConditionChanged, ConditionState
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    ClientTool,
    ContextItem,
    Interrupt,
    Modality,
    Observation,
    Source,
    SpeechMetadata,
    Tier,
    ToolResult,
    Usage,
)
from duologue.model.errors import Code
from duologue.model.handoff import (
    AgentHandedOff,
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffFailed,
    HandoffInput,
    HandoffPlaced,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    SupervisorConsulted,
)
from duologue.model.kinds import Input
from duologue.model.memory import MemoriesRecalled, MemoryForgotten, MemoryInput, MemoryKept
from duologue.model.observations import ObservationAsked
from duologue.model.routing import ComplexityJudged, RoutingInput, RoutingRules, UpgradeAsked
from duologue.model.signals import SignalsEstimated
from duologue.model.tools import ApprovalDecided, ToolInput, ToolReported, ToolSpec
from duologue.model.voice_inputs import (
    AnswerReleased,
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnInput,
    AudioTurnStarted,
    CallEnded,
    CallInput,
    CallStarted,
    EndJudged,
    PlaybackEnded,
    Played,
    SpeechFailed,
    SpeechMade,
    SpeechStarted,
    SpeechStopped,
    TranscriptHeard,
)

Trigger = Literal[
    "user_activates_mic",
    "user_sends_text",
    "speech_end",
    "stt_complete",
    "first_token",
    "tts_complete",
    "auto_resume",
    "barge_in",
    "cancel",
    "error",
]
"""What moves the six-state machine. Source: Ghost AG-UI 1.0, `stateModel`."""

IfBusy = Literal["interrupt", "refuse"]
IfAsked = Literal["cancel", "refuse"]


class SessionOpened(Input, kw_only=True):
    """Somebody opened a session that did not exist. Always a session's first input.

    Attributes:
        subject: the person that it belongs to, as authenticated.
        agent: the configured agent's name.
        tier: which tier the first agent is.
        language: BCP 47 tag to begin with.
        silence_ms: how long a run may say nothing.
        response_ms: how long a run may last.
        routing: how turns are routed between tiers.
        memory_items: how much is remembered of the person.
        condition: how much of the machine there is.
        loaded: the tiers whose models are loaded; empty for that of the first agent.
        opened_ms: when, ms since 1970: it makes the ids of approvals unlike those of a removed session of this id. 0 is
            of journals that do not have it.
    """

    session_id: str
    subject: str
    agent: str
    tier: Tier = "workhorse"
    language: str = "en"
    silence_ms: int
    response_ms: int
    routing: RoutingRules = RoutingRules()
    memory_items: int = 0
    condition: ConditionState = "full_power"
    loaded: tuple[Tier, ...] = ()
    opened_ms: int = 0


class CapabilitiesDeclared(Input, kw_only=True):
    """A client said what it can be asked to do."""

    modalities: tuple[Modality, ...]


class UserTurn(Input, kw_only=True):
    """The person said or showed something, or answered what the last run asked for.

    Attributes:
        turn: the client's number for it; `None` takes the next.
        request_id: the client's id for it; `None` makes `turn-N`.
        idempotency_key: a repeat is recognised by it; `None` takes the request id.
        language: BCP 47, as declared by the client, or else told by the text before the engine takes it; `None` keeps
            the conversation's.
        if_busy: what becomes of an answer that is still running.
        message_id: the client's id of the message; `None` takes the request id. Where the turn brings answers or
            results, a message that is already part of the conversation does not count again.
        tools: what the client offers to run.
        tool_results: what its tools returned.
        resume: answers to the open interrupts: to each of them, or none.
        if_asked: what becomes of open interrupts where `resume` is empty.
        state: the state that the client keeps, as JSON.
        forwarded_props: values that the client passes through, as JSON.
        protocol: the name of the one through which it came; empty where that is not known.
        granted: scopes that the person has for tools; `None` for all of them, where nobody is asked who they are.
    """

    text: str
    turn: int | None = None
    request_id: str | None = None
    idempotency_key: str | None = None
    source: Source = "typed"
    language: str | None = None
    context: tuple[ContextItem, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    observation: Observation | None = None
    interaction_id: str | None = None
    speech: SpeechMetadata | None = None
    if_busy: IfBusy = "interrupt"
    message_id: str | None = None
    tools: tuple[ClientTool, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    resume: tuple[Answer, ...] = ()
    if_asked: IfAsked = "cancel"
    # JSON of the client's own design: no narrower type exists.
    state: Any = None
    # JSON of the client's own design: no narrower type exists.
    forwarded_props: Any = None
    protocol: str = ""
    granted: tuple[str, ...] | None = None


class CancelRequested(Input, kw_only=True):
    """The person stopped the answer. `response_id` of another answer than the running one changes nothing."""

    response_id: str | None = None


class EndRequested(Input, kw_only=True):
    """Somebody ended the session."""

    reason: str = "user"


class VoiceTriggered(Input, kw_only=True):
    """A client's own microphone, recogniser or player moved the state machine."""

    trigger: Trigger


class AgentSpoke(Input, kw_only=True):
    """A piece of the answer."""

    response_id: str
    text: str


class AgentCited(Input, kw_only=True):
    """A source of the answer."""

    response_id: str
    title: str
    url: str
    snippet: str | None = None


class AgentSuggested(Input, kw_only=True):
    """What the person may say next."""

    response_id: str
    chips: tuple[Chip, ...]


class AgentShowed(Input, kw_only=True):
    """Something that is not text."""

    response_id: str
    payload_type: str
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]
    version: int = 1


class AgentNoted(Input, kw_only=True):
    """A diagnostic."""

    response_id: str
    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


class AgentCalled(Input, kw_only=True):
    """The agent runs a tool of its own, or asks whether it may."""

    response_id: str
    call_id: str
    name: str
    arguments: str
    repeatable: bool = False


class AgentReturned(Input, kw_only=True):
    """A tool of the agent's own has run; `name` and `arguments` are of a call that was not told before."""

    response_id: str
    call_id: str
    result: str
    is_error: bool = False
    name: str = ""
    arguments: str = ""


class AgentRequested(Input, kw_only=True):
    """The agent asks that a tool is run: by the client that offers it, or by the server that has it.

    Attributes:
        spec: as the server's registry declares it; `None` where it has none of that name.
        wrong: what is wrong with the arguments by the tool's schema; empty where nothing is.
        waits: the run goes on meanwhile, and waits for the result.
        in_turns: its client carries it out once it may, and brings the result with a turn, not while the answer waits.
    """

    response_id: str
    call_id: str
    name: str
    arguments: str
    spec: ToolSpec | None = None
    wrong: str = ""
    waits: bool = False
    in_turns: bool = False


class AgentAsked(Input, kw_only=True):
    """The run stopped until somebody has answered."""

    response_id: str
    interrupts: tuple[Interrupt, ...]
    usage: tuple[Usage, ...] = ()


class AgentCancelled(Input, kw_only=True):
    """Who runs the agent stopped the run."""

    response_id: str
    usage: tuple[Usage, ...] = ()


class AgentFinished(Input, kw_only=True):
    """The answer is whole."""

    response_id: str
    total_tokens: int | None = None
    confident: bool = True
    usage: tuple[Usage, ...] = ()


class AgentFailed(Input, kw_only=True):
    """The run ended without an answer."""

    response_id: str
    code: Code
    message: str
    retryable: bool
    usage: tuple[Usage, ...] = ()


class DeadlinePassed(Input, kw_only=True):
    """The deadline that the engine reported has come."""


class ServerRestarted(Input, kw_only=True):
    """The process that held the run is gone; whatever it was doing is lost."""


class HistoryDropped(Input, kw_only=True):
    """Retention removed the records before this one; the snapshot beside it stands for them."""


AgentInput: TypeAlias = (
    AgentSpoke
    | AgentCited
    | AgentSuggested
    | AgentShowed
    | AgentNoted
    | AgentCalled
    | AgentReturned
    | AgentRequested
    | AgentAsked
    | AgentCancelled
    | AgentFinished
    | AgentFailed
    | ObservationAsked
    | AgentHandedOff
    | UpgradeAsked
)
"""What a run says; each names its response, and one of another response is ignored."""

AnyInput: TypeAlias = (
    SessionOpened
    | CapabilitiesDeclared
    | UserTurn
    | CancelRequested
    | EndRequested
    | VoiceTriggered
    | AgentInput
    | DeadlinePassed
    | ServerRestarted
    | HistoryDropped
    | ToolInput
    | HandoffInput
    | SignalsEstimated
    | MemoryInput
    | ComplexityJudged
    | ConditionChanged
    | CallInput
    | AudioTurnInput
)
"""Everything that the engine can be told."""

__all__ = [
    "AgentAsked",
    "AgentCalled",
    "AgentCancelled",
    "AgentCited",
    "AgentFailed",
    "AgentFinished",
    "AgentHandedOff",
    "AgentInput",
    "AgentNoted",
    "AgentRequested",
    "AgentReturned",
    "AgentShowed",
    "AgentSpoke",
    "AgentSuggested",
    "AnswerReleased",
    "AnyInput",
    "ApprovalDecided",
    "AudioTurnCancelled",
    "AudioTurnCommitted",
    "AudioTurnInput",
    "AudioTurnStarted",
    "CallEnded",
    "CallInput",
    "CallStarted",
    "CancelRequested",
    "CapabilitiesDeclared",
    "ComplexityJudged",
    "ConditionChanged",
    "DeadlinePassed",
    "EndJudged",
    "EndRequested",
    "HandedBack",
    "HandoffCancelled",
    "HandoffConnecting",
    "HandoffFailed",
    "HandoffInput",
    "HandoffPlaced",
    "HandoffRequested",
    "HandoffResolved",
    "HandoffTransferred",
    "HistoryDropped",
    "IfAsked",
    "IfBusy",
    "Input",
    "MemoriesRecalled",
    "MemoryForgotten",
    "MemoryInput",
    "MemoryKept",
    "ObservationAsked",
    "OperatorHeld",
    "OperatorJoined",
    "OperatorReturned",
    "OperatorSaid",
    "PlaybackEnded",
    "Played",
    "RoutingInput",
    "ServerRestarted",
    "SessionOpened",
    "SignalsEstimated",
    "SpeechFailed",
    "SpeechMade",
    "SpeechStarted",
    "SpeechStopped",
    "SupervisorConsulted",
    "ToolInput",
    "ToolReported",
    "TranscriptHeard",
    "Trigger",
    "UpgradeAsked",
    "UserTurn",
    "VoiceTriggered",
]
