"""What must hold of signals whatever is said and estimated."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.conversation import Conversation

from duologue.adapters.signals_rule import LANGUAGES, RuleSignals
from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.signals import replaces
from duologue.engine.signals_session import so_far
from duologue.engine.signals_state import Standing
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.events import Outcome, SignalUpdated
from duologue.model.inputs import SignalsEstimated
from duologue.model.signals import (
    EscalationRule,
    Intent,
    IntentAlternate,
    Polarity,
    Sentiment,
    SentimentCategory,
    SignalScope,
    SignalSource,
)
from duologue.ports.signal_adapter import Heard, IntentExamples

PART = st.floats(0, 1).map(lambda part: round(part, 3))
NAMES = st.sampled_from(["cancel", "invoice", "person"])
MOODS = st.builds(
    Sentiment,
    category=st.sampled_from(get_args(SentimentCategory)),
    score=PART,
    confidence=PART,
    polarity=st.sampled_from([None, *get_args(Polarity)]),
)
INTENTS = st.builds(
    Intent,
    intent=NAMES,
    score=PART,
    confidence=PART,
    alternates=st.lists(st.builds(IntentAlternate, intent=NAMES, score=PART), max_size=3).map(tuple),
)
ESTIMATES = st.builds(
    SignalsEstimated,
    of_turn=st.integers(1, 4),
    source=st.sampled_from(get_args(SignalSource)),
    adapter=st.just("a"),
    scope=st.sampled_from(get_args(SignalScope)),
    signals=st.lists(MOODS | INTENTS, max_size=3).map(tuple),
    latency_ms=st.just(1.0),
    of_seq=st.integers(0, 3),
    rules=st.just((EscalationRule(name="angry", signal="anger", turns=2),)),
)
RULES = RuleSignals([IntentExamples(name="cancel", examples=("I want to cancel",))])


@given(
    text=st.text(max_size=limits.SIGNAL_TEXT_CHARS) | st.text("!?.,' aeinotNOT😡👍ßłé", max_size=80),
    language=st.sampled_from([*LANGUAGES, "cs", "pt-BR", ""]),
    earlier=st.lists(st.text(max_size=40), max_size=3),
    outcome=st.none() | st.sampled_from(get_args(Outcome)),
)
def test_rules_give_figures_within_their_bounds_of_any_text(
    text: str, language: str, earlier: list[str], outcome: Outcome | None
) -> None:
    heard = Heard(
        text=text, language=language, earlier=tuple(earlier), outcome=outcome, scope="turn" if outcome else "message"
    )
    found = RULES.estimate(heard)
    assert found == RULES.estimate(heard)
    kinds = [type(one) for one in found]
    assert kinds in ([Sentiment], [Sentiment, Intent])
    for one in found:
        assert 0 <= one.score <= 1 and 0 <= one.confidence <= 1


@given(estimates=st.lists(ESTIMATES, max_size=20))
def test_one_estimate_of_a_kind_holds_and_the_journal_leads_to_it(estimates: list[SignalsEstimated]) -> None:
    talk = Conversation()
    holds: dict[tuple[object, ...], SignalUpdated] = {}
    for number, estimate in enumerate(estimates):
        if number % 5 == 0:
            talk.say("hello")
        for event in talk.give(estimate).events:
            if isinstance(event, SignalUpdated):
                about = () if event.scope == "session" else (event.of_turn,)
                key = (event.scope, type(event.signal), *about)
                assert event.replaces == (key in holds), "what replaces says so"
                assert event.turn == event.of_turn
                holds[key] = event
    kept = talk.state.signals
    standing = kept.standing if kept is not None else []
    assert sorted(repr(one.signal) for one in standing) == sorted(repr(one.signal) for one in holds.values())
    if kept is not None:
        for one in so_far(kept):
            assert 0 <= one.score <= 1 and 0 <= one.confidence <= 1
    again = SessionState()
    fold(again, talk.records)
    assert snapshot(again) == snapshot(talk.state)
    assert snapshot(restore(snapshot(talk.state))) == snapshot(talk.state)


STANDING = st.builds(
    Standing,
    of_turn=st.integers(1, 2),
    scope=st.just("session"),
    signal=MOODS,
    source=st.sampled_from(get_args(SignalSource)),
    adapter=st.just("a"),
    of_seq=st.integers(0, 2),
)


@given(one=STANDING, other=STANDING)
def test_of_two_sources_not_both_replace_each_other(one: Standing, other: Standing) -> None:
    if one.source == other.source and one.of_turn == other.of_turn and one.of_seq == other.of_seq:
        assert replaces(one, other) == (one.signal != other.signal), "the same source anew"
    elif one.of_seq and other.of_seq and one.source != other.source:
        assert replaces(one, other) != replaces(other, one), "one of them is the better"
