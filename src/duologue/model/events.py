"""Events: what a participant may see, or what must survive. Numbered per session from 1, without a gap.

An event holds all that any projection of it needs, so that a resume from any number needs no earlier one.
"""

from typing import Any, Literal, TypeAlias

from duologue.model.condition import AgentDegraded, ConditionState
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    Figures,
    Interrupt,
    Message,
    Modality,
    Observation,
    Runner,
    Source,
    SpeechMetadata,
    Tier,
)
from duologue.model.errors import Code
from duologue.model.handoff import AnyHandoffEvent, HandoffMoved, SupervisorNoted
from duologue.model.inputs import Trigger
from duologue.model.kinds import ActingEvent, Event, State
from duologue.model.memory import AnyMemoryEvent, MemoryErased, MemoryRecalled, MemoryStored
from duologue.model.resuming import TurnResumed
from duologue.model.routing import AnswerUpgraded, AnyRoutingEvent, TurnRouted
from duologue.model.signals import SignalUpdated
from duologue.model.tools import ApprovalPolicy, Disposition, LegEnded, ToolMoved, ToolStatus
from duologue.model.voice import Latency
from duologue.model.voice_events import (
    AnswerCompleted,
    AnswerRevealed,
    AnyVoiceEvent,
    BargedIn,
    CallBegan,
    CallFinished,
    ListeningBegan,
    NobodySpoke,
    NothingHeard,
    PauseJudged,
    SpeakingFinished,
    SpeakingPaused,
    SpeakingResumed,
    SpeechBegan,
    SpeechIgnored,
    SpeechPaused,
    SpeechPrepared,
    Transcribed,
    TurnExtended,
    VoiceEvent,
    VoiceFailed,
    WordSpoken,
)

Ending = Literal["completed", "asked", "cancelled", "interrupted", "passed", "replaced"]
"""How a response ends that did not fail: whole, with open interrupts, stopped by the person, written over, left to a
person who has the conversation, or replaced by a better answer."""

TurnEnding = Literal["completed", "asked", "cancelled", "interrupted", "passed"]
"""How a turn's last response ends that did not fail; after one that is replaced another follows."""

Outcome = Literal["completed", "asked", "cancelled", "interrupted", "passed", "failed"]


class SessionStarted(Event, kw_only=True):
    """The session exists; always number 1.

    Attributes:
        tiers: those whose models are loaded, the smallest first; empty in journals of earlier versions: `tier` alone.
        memory_items: how much is remembered of the person.
        condition: how much of the machine there is.
    """

    session_id: str
    agent: str
    tier: Tier
    language: str
    tiers: tuple[Tier, ...] = ()
    memory_items: int = 0
    condition: ConditionState = "full_power"


class CapabilitiesChanged(Event, kw_only=True):
    """What the clients can be asked to observe has changed."""

    modalities: tuple[Modality, ...]


class TurnAccepted(Event, kw_only=True):
    """The person's turn is stored and will be answered; `answers` says what became of each open interrupt.

    `protocol` names the one through which it came; empty where that is not known. `message_id` is the client's id of
    the message, where it is another than the request's.
    """

    text: str
    source: Source
    language: str
    attachments: tuple[Attachment, ...] = ()
    observation: Observation | None = None
    speech: SpeechMetadata | None = None
    answers: tuple[Answer, ...] = ()
    protocol: str = ""
    message_id: str = ""


class ResponseStarted(Event, kw_only=True):
    """A run begins.

    Attributes:
        attempt: above 1 where an earlier one was lost.
        author: who answers in the agent's place, by name; empty for the agent.
        agent: which agent of the settings; empty for the first one.
        replaces: the response whose place it takes.
    """

    session_id: str
    response_id: str
    tier: Tier
    attempt: int = 1
    author: str = ""
    agent: str = ""
    replaces: str = ""


class TextStarted(Event, kw_only=True):
    """The first words of the answer follow; `author` is who says them in the agent's place, empty for the agent."""

    response_id: str
    message_id: str
    tier: Tier
    author: str = ""


class TextDelta(Event, kw_only=True, gc=False):
    """Some more of the answer; `length` is the answer's length in code points after it.

    There is one per token, and it holds nothing that could lead back to it, so the collector need not look at it.
    """

    response_id: str
    message_id: str
    text: str
    length: int


class TextCompleted(Event, kw_only=True):
    """No more text comes under this message id; `text` is all of the answer's, as far as it came.

    After a tool was called, more of the answer may follow under another message id. `whole`: the agent said that it
    is finished.
    """

    response_id: str
    message_id: str
    text: str
    whole: bool = True


class Cited(Event, kw_only=True):
    """A source of the answer."""

    response_id: str
    title: str
    url: str
    snippet: str | None = None


class Suggested(Event, kw_only=True):
    """What the person may say next."""

    response_id: str
    chips: tuple[Chip, ...]


class Showed(Event, kw_only=True):
    """Something that is not text."""

    response_id: str
    payload_type: str
    # JSON of the agent's own design: no narrower type exists.
    data: dict[str, Any]
    version: int = 1


class Noted(Event, kw_only=True):
    """A diagnostic. `response_id` is empty where it belongs to none."""

    response_id: str
    category: str
    message: str
    # JSON of the agent's own design: no narrower type exists.
    details: dict[str, Any] | None = None


class ToolCalled(Event, kw_only=True):
    """A tool was called. A client's runs once the response has completed.

    Attributes:
        arguments: a JSON object, as text.
        message_id: the message whose words it follows; empty where it follows none.
        redact: JSON pointers of arguments that others than the person do not see; see `model.hiding`.
    """

    response_id: str
    call_id: str
    name: str
    arguments: str
    runs_on: Runner
    message_id: str = ""
    redact: tuple[str, ...] = ()


class ToolReturned(Event, kw_only=True):
    """A tool has run; the event repeats what was called, which may have been in an earlier response.

    Attributes:
        result: what it returned, as text.
        is_error: `result` says why it failed.
        earlier: it was called in an earlier response.
        duration_ms: from the call to here; from the run's start where the agent had asked about it before.
        status: of a call of the registry's: its last step.
        key: its idempotency key, where the tool has one.
        disposition: what became of a duplicate.
        policy: who had to let it run.
        error_code: for programs, of a failure.
        redact: JSON pointers of arguments and result that others than the person do not see; see `model.hiding`.
    """

    response_id: str
    call_id: str
    name: str
    arguments: str
    runs_on: Runner
    result: str
    is_error: bool = False
    earlier: bool = False
    duration_ms: int = 0
    status: ToolStatus | None = None
    key: str = ""
    disposition: Disposition | None = None
    policy: ApprovalPolicy | None = None
    error_code: str = ""
    redact: tuple[str, ...] = ()


class ResponseEnded(Event, kw_only=True):
    """The run is over without a failure.

    Attributes:
        interrupts: what is asked for; only where the outcome is `asked`, and then at least one.
        pending_calls: the calls that wait for a client to run them.
        text: the whole answer, where its last words came before a tool was called, so that no `TextCompleted` has it.
        heard: how many characters of the answer the person heard, where it was spoken in a call and cut short.
        superseded: the turn goes on: the person said more before they were answered. Nothing had been shown of it.
        made: an `AnswerCompleted` has told that it was whole; this tells that it has been heard, or is no more.
        resumed: its turn had ended before, and went on by itself.
        latency: what the turn waited for, in a call, where it ends with this.
    """

    session_id: str
    response_id: str
    outcome: Ending
    tier: Tier
    figures: Figures
    interrupts: tuple[Interrupt, ...] = ()
    pending_calls: tuple[str, ...] = ()
    text: str = ""
    heard: int | None = None
    superseded: bool = False
    made: bool = False
    resumed: bool = False
    latency: Latency | None = None


class ResponseFailed(Event, kw_only=True):
    """The run failed.

    Attributes:
        will_retry: another response to the same turn follows at once.
        open_message: id of the message whose text breaks off here; empty where there is none.
        figures: what it cost.
        heard: how many characters of the answer the person heard, where it was spoken in a call.
        tier: which tier failed, where the turn was routed.
        latency: what the turn waited for, in a call, where it ends with this.
    """

    response_id: str
    code: Code
    message: str
    retryable: bool
    will_retry: bool = False
    open_message: str = ""
    figures: Figures | None = None
    heard: int | None = None
    tier: Tier | None = None
    latency: Latency | None = None


class TurnEnded(Event, kw_only=True):
    """The turn is over; exactly one for each accepted turn. `figures` and `answer` as of its last response.

    Attributes:
        text: what the person said.
        answer: what of the answer was delivered; of one that was spoken in a call and cut short, what was heard.
        heard: how many characters that is; absent where nothing was cut short in a call.
        heard_estimated: an estimate by length, as the voice does not tell when words are heard.
        latency: what the turn waited for, in a call.
        resumed: it had ended before, and went on by itself.
    """

    outcome: Outcome
    response_id: str
    figures: Figures
    text: str = ""
    answer: str = ""
    heard: int | None = None
    heard_estimated: bool = False
    latency: Latency | None = None
    resumed: bool = False


class StateChanged(Event, kw_only=True):
    """The state machine moved by a client's voice trigger alone."""

    trigger: Trigger
    previous: State


class SessionEnded(Event, kw_only=True):
    """Nothing follows."""

    reason: str


AnyActingEvent: TypeAlias = (
    ToolMoved
    | LegEnded
    | TurnResumed
    | AnyHandoffEvent
    | SignalUpdated
    | AnyMemoryEvent
    | AnyRoutingEvent
    | AgentDegraded
)
"""What happens beside the answers: tools, approvals, handoffs, signals, memory, tiers, the machine's condition."""


class HistoryTrimmed(Event, kw_only=True):
    """Stands in the place of everything up to its own number, which retention removed.

    Attributes:
        epoch: how often this session has been trimmed.
        messages: the conversation up to here, as far as the agent still has it.
        interrupts: those that were open here.
    """

    epoch: int
    messages: tuple[Message, ...]
    interrupts: tuple[Interrupt, ...] = ()


AnyEvent: TypeAlias = (
    SessionStarted
    | CapabilitiesChanged
    | TurnAccepted
    | ResponseStarted
    | TextStarted
    | TextDelta
    | TextCompleted
    | Cited
    | Suggested
    | Showed
    | Noted
    | ToolCalled
    | ToolReturned
    | ResponseEnded
    | ResponseFailed
    | TurnEnded
    | StateChanged
    | SessionEnded
    | HistoryTrimmed
    | AnyActingEvent
    | AnyVoiceEvent
)
"""Everything that a subscriber can be shown."""

__all__ = [
    "ActingEvent",
    "AgentDegraded",
    "AnswerCompleted",
    "AnswerRevealed",
    "AnswerUpgraded",
    "AnyActingEvent",
    "AnyEvent",
    "AnyHandoffEvent",
    "AnyMemoryEvent",
    "AnyRoutingEvent",
    "AnyVoiceEvent",
    "BargedIn",
    "CallBegan",
    "CallFinished",
    "CapabilitiesChanged",
    "Cited",
    "Ending",
    "Event",
    "HandoffMoved",
    "HistoryTrimmed",
    "LegEnded",
    "ListeningBegan",
    "MemoryErased",
    "MemoryRecalled",
    "MemoryStored",
    "NobodySpoke",
    "Noted",
    "NothingHeard",
    "Outcome",
    "PauseJudged",
    "ResponseEnded",
    "ResponseFailed",
    "ResponseStarted",
    "SessionEnded",
    "SessionStarted",
    "Showed",
    "SignalUpdated",
    "SpeakingFinished",
    "SpeakingPaused",
    "SpeakingResumed",
    "SpeechBegan",
    "SpeechIgnored",
    "SpeechPaused",
    "SpeechPrepared",
    "State",
    "StateChanged",
    "Suggested",
    "SupervisorNoted",
    "TextCompleted",
    "TextDelta",
    "TextStarted",
    "ToolCalled",
    "ToolMoved",
    "ToolReturned",
    "Transcribed",
    "TurnAccepted",
    "TurnEnded",
    "TurnEnding",
    "TurnExtended",
    "TurnResumed",
    "TurnRouted",
    "VoiceEvent",
    "VoiceFailed",
    "WordSpoken",
]
