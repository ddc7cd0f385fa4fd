"""Events: what a participant may see, or what must survive. Numbered per session from 1, without a gap.

An event holds all that any projection of it needs, so that a resume from any number needs no earlier one.
"""

from typing import Any, Literal, TypeAlias

from duologue.model.base import Value, snake
from duologue.model.content import (
    Attachment,
    Chip,
    Figures,
    Message,
    Modality,
    Observation,
    Source,
    SpeechMetadata,
    Tier,
)
from duologue.model.errors import Code
from duologue.model.inputs import Trigger

State = Literal["idle", "listening", "transcribing", "thinking", "speaking", "error"]
"""The six states. Source: Ghost AG-UI 1.0, `stateModel`."""

Outcome = Literal["completed", "cancelled", "interrupted", "failed"]


class Event(Value, kw_only=True, tag_field="kind", tag=snake):
    """The base of all events.

    Attributes:
        seq: number in the session, from 1.
        at_ms: wall time in ms since 1970, never falling within a session.
        state: the state machine's state after it.
        turn: the turn that it belongs to; 0 where none.
        request_id: the client's id of that turn; empty where none.
    """

    seq: int
    at_ms: int
    state: State
    turn: int = 0
    request_id: str = ""


class SessionStarted(Event, kw_only=True):
    """The session exists; always number 1."""

    session_id: str
    agent: str
    tier: Tier
    language: str


class CapabilitiesChanged(Event, kw_only=True):
    """What the clients can be asked to observe has changed."""

    modalities: tuple[Modality, ...]


class TurnAccepted(Event, kw_only=True):
    """The person's turn is stored and will be answered."""

    text: str
    source: Source
    language: str
    attachments: tuple[Attachment, ...] = ()
    observation: Observation | None = None
    speech: SpeechMetadata | None = None


class ResponseStarted(Event, kw_only=True):
    """A run begins; `attempt` is above 1 where an earlier one was lost."""

    session_id: str
    response_id: str
    tier: Tier
    attempt: int = 1


class TextStarted(Event, kw_only=True):
    """The first words of the answer follow."""

    response_id: str
    message_id: str
    tier: Tier


class TextDelta(Event, kw_only=True):
    """Some more of the answer; `length` is the answer's length in code points after it."""

    response_id: str
    message_id: str
    text: str
    length: int


class TextCompleted(Event, kw_only=True):
    """No more text comes; `text` is all of it, as far as it came. `whole`: the agent said that it is finished."""

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


class ResponseEnded(Event, kw_only=True):
    """The run is over without a failure: whole, stopped by the person, or written over."""

    session_id: str
    response_id: str
    outcome: Literal["completed", "cancelled", "interrupted"]
    tier: Tier
    figures: Figures


class ResponseFailed(Event, kw_only=True):
    """The run failed. `will_retry`: another response to the same turn follows at once."""

    response_id: str
    code: Code
    message: str
    retryable: bool
    will_retry: bool = False


class TurnEnded(Event, kw_only=True):
    """The turn is over; exactly one for each accepted turn. `figures` and `answer` as of its last response.

    Attributes:
        text: what the person said.
        answer: what of the answer was delivered.
    """

    outcome: Outcome
    response_id: str
    figures: Figures
    text: str = ""
    answer: str = ""


class StateChanged(Event, kw_only=True):
    """The state machine moved by a client's voice trigger alone."""

    trigger: Trigger
    previous: State


class SessionEnded(Event, kw_only=True):
    """Nothing follows."""

    reason: str


class HistoryTrimmed(Event, kw_only=True):
    """Stands in the place of everything up to its own number, which retention removed.

    Attributes:
        epoch: how often this session has been trimmed.
        messages: the conversation up to here, as far as the agent still has it.
    """

    epoch: int
    messages: tuple[Message, ...]


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
    | ResponseEnded
    | ResponseFailed
    | TurnEnded
    | StateChanged
    | SessionEnded
    | HistoryTrimmed
)
"""Everything that a subscriber can be shown."""
