"""Signals: what is estimated of the person's mood and intent. Source: TransportEvent, `signal.update`."""

from typing import Literal, TypeAlias

from duologue.model.base import Value
from duologue.model.kinds import ActingEvent, Input

SentimentCategory = Literal["frustration", "anger", "confusion", "urgency", "satisfaction", "delight", "neutral"]
Polarity = Literal["positive", "neutral", "negative", "mixed"]
SignalSource = Literal["model", "local", "server", "rule"]
SignalScope = Literal["message", "turn", "session"]


class Sentiment(Value, kw_only=True, tag_field="kind", tag="sentiment"):
    """A mood; `score` is how strong, `confidence` how sure, both 0 to 1."""

    category: SentimentCategory
    score: float
    confidence: float
    polarity: Polarity | None = None


class IntentAlternate(Value, kw_only=True):
    """Another intent that it may be; `score` 0 to 1."""

    intent: str
    score: float


class Intent(Value, kw_only=True, tag_field="kind", tag="intent"):
    """What the person wants; `score` and `confidence` 0 to 1."""

    intent: str
    score: float
    confidence: float
    alternates: tuple[IntentAlternate, ...] = ()


Signal: TypeAlias = Sentiment | Intent


class EscalationRule(Value, kw_only=True):
    """When a conversation passes to a person, as data.

    Attributes:
        signal: a sentiment's category, or an intent's name.
        above: the least score.
        confidence: how sure the estimate has to be.
        turns: in how many turns.
        within: of how many latest turns.
        queue: where it goes; empty leaves it to the rules of handoffs.
        skills: what who takes it should be able to do.
        cooldown_turns: turns after a handoff in which the rule is silent. What was said before it does not count again.
    """

    name: str
    signal: str
    above: float = 0.7
    turns: int = 1
    within: int = 5
    queue: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    cooldown_turns: int = 5
    confidence: float = 0.0


class SignalsEstimated(Input, kw_only=True):
    """An adapter estimated something.

    Attributes:
        of_turn: the turn that it is about; of a session, the latest one.
        message_id: the message that it is about; empty for a turn or session.
        adapter: its name.
        latency_ms: from when the adapter was asked to its answer.
        rules: of escalation, as set now.
        of_seq: the event whose text was read, so that an estimate of a turn that has grown since is known as one; 0
            where that is not known.
    """

    of_turn: int
    source: SignalSource
    adapter: str
    scope: SignalScope
    signals: tuple[Signal, ...]
    latency_ms: float
    message_id: str = ""
    rules: tuple[EscalationRule, ...] = ()
    of_seq: int = 0


class SignalUpdated(ActingEvent, kw_only=True):
    """An estimate; `replaces` an earlier one of the same kind about the same message, turn or session.

    It is told once the estimate is there, which may be after the turn has ended, or while a later one is open: `turn`
    and `request_id` are those of the turn that it is about. `response_id` is of the first answer to that turn.
    """

    response_id: str
    signal: Signal
    source: SignalSource
    adapter: str
    scope: SignalScope
    message_id: str = ""
    latency_ms: float = 0.0
    replaces: bool = False
    of_turn: int = 0
