"""Escalation: when a rule asks for a handoff."""

import pytest
from tests.unit.engine.conversation import Conversation

from duologue.engine.escalation import due
from duologue.engine.signals_state import Signals
from duologue.model.events import HandoffMoved
from duologue.model.inputs import HandoffCancelled, SignalsEstimated
from duologue.model.signals import EscalationRule, Intent, Sentiment, SentimentCategory, Signal, SignalScope

TWICE = EscalationRule(name="frustrated", signal="frustration", above=0.7, turns=2, within=3)
ONCE = EscalationRule(name="angry", signal="anger", above=0.6)
WANTED = EscalationRule(name="wants a person", signal="person", above=0.5)


def mood(category: SentimentCategory = "frustration", score: float = 0.8, confidence: float = 0.7) -> Sentiment:
    return Sentiment(category=category, score=score, confidence=confidence)


def talk(*turns: Signal | None, scope: SignalScope = "message") -> Conversation:
    """A conversation of which each turn had this estimate, or none."""
    talk = Conversation()
    for number, signal in enumerate(turns, 1):
        talk.say("hello", turn=number)
        if signal is not None:
            estimate = SignalsEstimated(
                of_turn=number, source="rule", adapter="words", scope=scope, signals=(signal,), latency_ms=0.1
            )
            talk.give(estimate)
    return talk


def fires(talk: Conversation, rule: EscalationRule) -> tuple[int, ...] | None:
    assert talk.state.signals is not None
    return due(talk.state, talk.state.signals, rule)


@pytest.mark.parametrize(
    ("turns", "rule", "expected"),
    [
        ((mood(),), TWICE, None),
        ((mood(), mood()), TWICE, (1, 2)),
        ((mood(), None, mood()), TWICE, (1, 3)),
        ((mood(), None, None, mood()), TWICE, None),
        ((mood(), mood(score=0.69)), TWICE, None),
        ((mood(), mood("anger")), TWICE, None),
        ((mood("anger"),), ONCE, (1,)),
        ((mood("anger", confidence=0.1),), EscalationRule(name="sure", signal="anger", confidence=0.5), None),
        ((Intent(intent="person", score=0.6, confidence=0.5),), WANTED, (1,)),
        ((Intent(intent="cancel", score=0.9, confidence=0.9),), WANTED, None),
    ],
)
def test_rules_count_turns(turns: tuple[Signal | None, ...], rule: EscalationRule, expected: tuple[int, ...]) -> None:
    assert fires(talk(*turns), rule) == expected


def test_a_message_and_its_turn_count_once_and_the_session_not() -> None:
    both = talk(mood())
    both.give(SignalsEstimated(of_turn=1, source="rule", adapter="w", scope="turn", signals=(mood(),), latency_ms=0.1))
    assert fires(both, TWICE) is None
    assert fires(talk(mood("anger"), scope="session"), ONCE) is None


def test_after_a_handoff_a_rule_is_silent_for_a_while_and_begins_anew() -> None:
    rule = EscalationRule(name="angry", signal="anger", above=0.6, cooldown_turns=2)
    angry = mood("anger")
    asked = Signals(escalated={"angry": 1})

    def later(turns: int) -> tuple[int, ...] | None:
        known = talk(*[angry] * turns)
        assert known.state.signals is not None
        return due(known.state, Signals(standing=known.state.signals.standing, escalated=asked.escalated), rule)

    assert [later(1), later(2), later(3)] == [None, None, None]
    assert later(4) == (2, 3, 4), "and what was said before the handoff is not counted again"


def test_a_rule_asks_for_a_handoff_once_and_again_when_that_is_over() -> None:
    talk = Conversation()
    rule = EscalationRule(
        name="angry", signal="anger", queue="complaints", skills=("retention",), priority=5, cooldown_turns=1
    )

    def angry(turn: int) -> list[HandoffMoved]:
        talk.say("I am furious", turn=turn)
        estimate = SignalsEstimated(
            of_turn=turn,
            source="rule",
            adapter="words",
            scope="message",
            signals=(mood("anger"),),
            latency_ms=0.1,
            rules=(TWICE, rule),
        )
        return [event for event in talk.give(estimate).events if isinstance(event, HandoffMoved)]

    (moved,) = angry(1)
    assert (moved.status, moved.cause, moved.transfer) == ("requested", "rule", "bot_to_human")
    assert (moved.target, moved.skills, moved.priority) == ("complaints", ("retention",), 5)
    assert moved.reason == "angry: anger in 1 of the latest 5 turns"
    assert angry(2) == [], "one is on its way"
    talk.give(HandoffCancelled(handoff_id=moved.handoff_id, by="ann"))
    assert angry(3) != [], "the rule was silent for one turn after the first"
    assert angry(4) == []


def test_a_rule_whose_handoff_cannot_be_leaves_it_to_the_next() -> None:
    talk = Conversation()
    talk.say("I am furious")
    wrong = EscalationRule(name="wrong", signal="anger", priority=10_000)
    estimate = SignalsEstimated(
        of_turn=1,
        source="rule",
        adapter="words",
        scope="message",
        signals=(mood("anger"),),
        latency_ms=0.1,
        rules=(wrong, ONCE),
    )
    (moved,) = [event for event in talk.give(estimate).events if isinstance(event, HandoffMoved)]
    assert moved.reason.startswith("angry:")
