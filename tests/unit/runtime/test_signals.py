"""The companion that has signals estimated: who is asked when, and what becomes of what they say."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from duologue.adapters.signals_rule import RuleSignals
from duologue.model.agent import Finished
from duologue.model.commands import Join
from duologue.model.errors import SignalError
from duologue.model.events import SignalUpdated
from duologue.model.inputs import SignalsEstimated, UserTurn
from duologue.model.records import decode_events
from duologue.model.signals import EscalationRule, Sentiment, SentimentCategory, Signal, SignalScope, SignalSource
from duologue.ports.signal_adapter import Heard
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub
from duologue.runtime.session import LiveSession
from duologue.runtime.signals import SUM_NAME, Signals
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = pytest.mark.anyio

RULE = EscalationRule(name="angry", signal="anger")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Scripted:
    """An adapter that is let go by hand.

    Attributes:
        heard: what it was asked.
        go: lets all that wait, and that are still to come, have their answer.
    """

    def __init__(
        self,
        category: SentimentCategory = "anger",
        *,
        source: SignalSource = "model",
        fault: Exception | None = None,
        at_once: int = 8,
    ) -> None:
        self.source: SignalSource = source
        self.at_once, self.name = at_once, f"scripted-{source}"
        self.scopes: frozenset[SignalScope] = frozenset({"message"})
        self.heard: list[Heard] = []
        self.go = asyncio.Event()
        self.closed = self.cancelled = False
        self._category: SentimentCategory = category
        self._fault = fault

    async def estimate(self, heard: Heard) -> tuple[Signal, ...]:
        """Wait to be let go."""
        self.heard.append(heard)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        if self._fault is not None:
            raise self._fault
        return (Sentiment(category=self._category, score=0.9, confidence=0.9, polarity="negative"),)

    async def aclose(self) -> None:
        """Note it."""
        self.closed = True


class Room:
    """A hub with signals, and what it logged."""

    def __init__(self, hub: Hub, signals: Signals, log: list[dict[str, object]]) -> None:
        self.hub, self.signals, self.log = hub, signals, log

    async def say(self, text: str, session_id: str = "s") -> LiveSession:
        """Say something, and wait until the turn is over."""
        session = await self.hub.join(Join(session_id=session_id), subject="ann")
        await self.hub.submit(session, UserTurn(text=text))
        await self.until(lambda: session.state.open is None)
        await self.pause()
        return session

    async def pause(self) -> None:
        """Let what is about to happen at once happen."""
        for _ in range(20):
            await asyncio.sleep(0)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let others go on until something holds."""
        for _ in range(100_000):
            if holds():
                return
            await asyncio.sleep(0)
        raise AssertionError("it did not come to it")

    async def told(self, session_id: str = "s") -> list[SignalUpdated]:
        """The signals of a session so far."""
        lines = await self.hub.store.read(session_id, after=0, limit=1_000)
        return [event for event in decode_events(lines) if isinstance(event, SignalUpdated)]


@asynccontextmanager
async def room(signals: Signals) -> AsyncGenerator[Room]:
    log: list[dict[str, object]] = []

    def note(event: str, **fields: object) -> None:
        log.append({"event": event} | fields)

    agent = ScriptedAgent(["hello", Finished()])
    hub = Hub(store=MemoryStore(), agent=agent, clock=SystemClock(), log=note, companions=[signals])
    signals.join(hub)
    async with hub:
        yield Room(hub, signals, log)


def brief(told: Sequence[SignalUpdated]) -> list[tuple[str, str, str, bool]]:
    return [
        (one.source, one.scope, one.signal.category if isinstance(one.signal, Sentiment) else "", one.replaces)
        for one in told
    ]


async def test_message_turn_and_session_are_estimated_by_rules() -> None:
    async with room(Signals(RuleSignals())) as here:
        await here.say("This is outrageous, you thieves!")
        told = await here.told()
    assert brief(told) == [
        ("rule", "message", "anger", False),
        ("rule", "turn", "anger", False),
        ("rule", "session", "anger", False),
    ]
    message, turn, session = told
    assert message.adapter == turn.adapter == "duologue-words"
    assert session.adapter == SUM_NAME
    assert message.message_id == "turn-1" and not turn.message_id
    assert {one.response_id for one in told} == {"response-1"}
    assert all(one.latency_ms > 0 for one in told), "measured"


async def test_the_rules_are_asked_before_the_agent_has_begun() -> None:
    async with room(Signals(RuleSignals())) as here:
        await here.say("I am furious")
        events = list(decode_events(await here.hub.store.read("s", after=0, limit=100)))
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("SignalUpdated") < kinds.index("TextStarted")


async def test_a_better_estimate_replaces_an_earlier_one_also_when_the_turn_is_over() -> None:
    local, model = Scripted("confusion", source="local"), Scripted("urgency")
    async with room(Signals(RuleSignals(), [local, model])) as here:
        await here.say("I am furious")
        before = len(await here.told())
        local.go.set()
        await here.until(lambda: here.signals.asking == 1)
        await here.pause()
        model.go.set()
        await here.until(lambda: not here.signals.asking)
        await here.pause()
        told = (await here.told())[before:]
    assert brief(told) == [
        ("local", "message", "confusion", True),
        ("rule", "session", "confusion", True),
        ("model", "message", "urgency", True),
        ("rule", "session", "urgency", True),
    ]
    assert model.closed and local.closed


async def test_without_rules_the_session_is_what_others_say() -> None:
    local = Scripted("confusion", source="local")
    async with room(Signals(None, [local])) as here:
        await here.say("hello")
        local.go.set()
        await here.until(lambda: not here.signals.asking)
        await here.pause()
        assert brief(await here.told()) == [
            ("local", "message", "confusion", False),
            ("rule", "session", "confusion", False),
        ]


async def test_an_adapter_is_told_what_was_said_before() -> None:
    model = Scripted()
    async with room(Signals(None, [model])) as here:
        for text in ("one", "two", "three", "four", "five"):
            await here.say(text)
        assert [one.earlier for one in model.heard][-1] == ("two", "three", "four")
        assert {one.language for one in model.heard} == {"en"}


async def test_long_texts_are_cut_in_the_middle() -> None:
    model = Scripted()
    async with room(Signals(None, [model])) as here:
        await here.say("begin " + "x" * 5_000 + " end")
    (heard,) = model.heard
    assert len(heard.text) <= 400
    assert heard.text.startswith("begin ") and heard.text.endswith(" end")


async def test_one_that_is_asked_too_much_is_left_out() -> None:
    model = Scripted(at_once=2)
    async with room(Signals(None, [model])) as here:
        for text in ("one", "two", "three"):
            await here.say(text)
        assert len(model.heard) == 2
        assert here.signals.left_out == {"scripted-model": 1}
        model.go.set()
        await here.until(lambda: not here.signals.asking)
        await here.say("four")
        assert len(model.heard) == 3


@pytest.mark.parametrize("fault", [SignalError("the model did not estimate in time"), ValueError("secret of ann")])
async def test_one_that_fails_is_logged_and_the_others_go_on(fault: Exception) -> None:
    broken = Scripted(fault=fault)
    broken.go.set()
    async with room(Signals(RuleSignals(), [broken])) as here:
        await here.say("I am furious")
        await here.until(lambda: bool(here.log))
        assert len(await here.told()) == 3
    (entry,) = here.log
    assert entry["event"] == "signal_failed"
    assert "secret" not in str(entry["error"])


async def test_what_is_being_estimated_at_the_end_is_stopped() -> None:
    model = Scripted()
    async with room(Signals(None, [model])) as here:
        await here.say("one")
    assert model.cancelled and model.closed


async def test_an_estimate_of_a_session_that_is_gone_is_dropped() -> None:
    model = Scripted()
    async with room(Signals(None, [model])) as here:
        await here.say("one")
        await here.hub.delete("s", subject="ann")
        model.go.set()
        await here.until(lambda: not here.signals.asking)
        assert not here.log


async def test_the_rules_of_escalation_go_with_each_estimate() -> None:
    async with room(Signals(RuleSignals(), rules=[RULE])) as here:
        await here.say("hello")
        lines = await here.hub.store.read("s", after=0, limit=100)
    assert b'"rules":[{"name":"angry","signal":"anger"' in lines


async def test_signals_of_a_backend_add_up_too() -> None:
    async with room(Signals(RuleSignals())) as here:
        session = await here.say("hello")
        given = Sentiment(category="anger", score=0.9, confidence=0.9, polarity="negative")
        estimate = SignalsEstimated(
            of_turn=1, source="server", adapter="crm", scope="turn", signals=(given,), latency_ms=3
        )
        await session.submit(estimate)
        await here.pause()
        assert brief(await here.told())[-2:] == [
            ("server", "turn", "anger", True),
            ("rule", "session", "anger", True),
        ]
