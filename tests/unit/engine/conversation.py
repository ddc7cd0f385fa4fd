"""A session of the engine alone, at arm's length: what every engine test talks to."""

from collections.abc import Iterable
from typing import TypeVar

from duologue.engine.replay import snapshot
from duologue.engine.state import OpenTurn, SessionState
from duologue.engine.step import Stepped, step
from duologue.model.agent import AgentRequest
from duologue.model.effects import Effect, RunAgent, StopAgent
from duologue.model.errors import Problem
from duologue.model.events import AnyEvent
from duologue.model.inputs import (
    AgentFinished,
    AgentSpoke,
    AnyInput,
    IfBusy,
    SessionOpened,
    Trigger,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.records import Record
from duologue.model.replies import Rejected, Reply

START_MS = 1_800_000_000_000
SILENCE_MS = 30_000
RESPONSE_MS = 100_000
OPENED = SessionOpened(session_id="s-1", subject="ada", agent="guide", silence_ms=SILENCE_MS, response_ms=RESPONSE_MS)

Kind = TypeVar("Kind")


class Conversation:
    """Steps one session, keeps what came of it, and checks the first law at every step.

    Attributes:
        state: the session's.
        now_ms: the virtual clock.
        records: what a store would hold.
        effects: all that was ordered.
    """

    def __init__(self, opened: SessionOpened = OPENED) -> None:
        self.state = SessionState()
        self.now_ms = START_MS
        self.records: list[Record] = []
        self.effects: list[Effect] = []
        self.give(opened)

    def give(self, happened: AnyInput, *, after_ms: int = 0) -> Stepped:
        """Let time pass, then step; an input without events must have changed nothing."""
        self.now_ms += after_ms
        before = snapshot(self.state)
        stepped = step(self.state, happened, now_ms=self.now_ms)
        if stepped.events:
            self.records.append(Record(at_ms=self.state.at_ms, input=happened, events=stepped.events))
        else:
            assert snapshot(self.state) == before
            assert not stepped.effects
        self.effects.extend(stepped.effects)
        return stepped

    def say(
        self,
        text: str = "hello",
        *,
        turn: int | None = None,
        request_id: str | None = None,
        key: str | None = None,
        if_busy: IfBusy = "interrupt",
        after_ms: int = 0,
    ) -> Reply:
        """Type a turn."""
        said = UserTurn(text=text, turn=turn, request_id=request_id, idempotency_key=key, if_busy=if_busy)
        return self.give(said, after_ms=after_ms).reply

    def speak(self, *words: str, after_ms: int = 0) -> list[AnyEvent]:
        """Let the open run say something, each word after that time."""
        response_id = self.response_id
        return [
            event
            for word in words
            for event in self.give(AgentSpoke(response_id=response_id, text=word), after_ms=after_ms).events
        ]

    def finish(self, *, total_tokens: int | None = None, confident: bool = True, after_ms: int = 0) -> Stepped:
        """Let the open run finish."""
        finished = AgentFinished(response_id=self.response_id, total_tokens=total_tokens, confident=confident)
        return self.give(finished, after_ms=after_ms)

    def exchange(self, text: str, *words: str) -> None:
        """One whole turn."""
        self.say(text)
        self.speak(*words)
        self.finish()

    def pull(self, *triggers: Trigger) -> Stepped:
        """Pull voice triggers, all of which must be taken; the last one's outcome is given."""
        stepped = [self.give(VoiceTriggered(trigger=trigger)) for trigger in triggers]
        assert all(one.events for one in stepped)
        return stepped[-1]

    @property
    def open_turn(self) -> OpenTurn:
        """The turn that is open."""
        assert self.state.open is not None
        return self.state.open

    @property
    def response_id(self) -> str:
        """The run that is open."""
        return self.open_turn.response.response_id

    @property
    def events(self) -> list[AnyEvent]:
        """All events so far."""
        return [event for record in self.records for event in record.events]

    @property
    def requests(self) -> list[AgentRequest]:
        """What the agent was asked, run by run."""
        return [effect.request for effect in self.effects if isinstance(effect, RunAgent)]

    @property
    def stopped(self) -> list[str]:
        """The runs that were stopped."""
        return [effect.response_id for effect in self.effects if isinstance(effect, StopAgent)]


def kinds(happenings: Iterable[AnyEvent | Effect]) -> list[str]:
    """The class names of events or effects."""
    return [type(one).__name__ for one in happenings]


def of(events: Iterable[AnyEvent | Effect], kind: type[Kind]) -> list[Kind]:
    """The events or effects of one class."""
    return [event for event in events if isinstance(event, kind)]


def only(events: Iterable[AnyEvent | Effect], kind: type[Kind]) -> Kind:
    """The one event or effect of a class."""
    (event,) = of(events, kind)
    return event


def refusal(reply: Reply) -> Problem:
    """The problem of a refused input."""
    assert isinstance(reply, Rejected)
    return reply.problem
