"""Signals: which estimates hold, how they are told, and when they ask for a handoff."""

import pytest
from tests.unit.engine.conversation import Conversation

from duologue.engine.signals_session import latest
from duologue.model import limits
from duologue.model.effects import RunAgent
from duologue.model.errors import Code
from duologue.model.events import AnyEvent, SignalUpdated
from duologue.model.inputs import EndRequested, SignalsEstimated
from duologue.model.replies import Accepted, Ignored, Rejected
from duologue.model.signals import (
    EscalationRule,
    Intent,
    Sentiment,
    SentimentCategory,
    Signal,
    SignalScope,
    SignalSource,
)


def mood(category: SentimentCategory = "frustration", score: float = 0.8, confidence: float = 0.7) -> Sentiment:
    return Sentiment(category=category, score=score, confidence=confidence, polarity="negative")


def intent(name: str = "cancel", score: float = 0.8) -> Intent:
    return Intent(intent=name, score=score, confidence=0.6)


def estimated(
    *signals: Signal,
    turn: int = 1,
    source: SignalSource = "rule",
    scope: SignalScope = "message",
    message_id: str = "",
    rules: tuple[EscalationRule, ...] = (),
    of_seq: int = 0,
) -> SignalsEstimated:
    return SignalsEstimated(
        of_turn=turn,
        source=source,
        adapter=f"a-{source}",
        scope=scope,
        signals=signals,
        latency_ms=0.4,
        message_id=message_id,
        rules=rules,
        of_seq=of_seq,
    )


def told(talk: Conversation, happened: SignalsEstimated) -> list[SignalUpdated]:
    events: tuple[AnyEvent, ...] = talk.give(happened).events
    return [event for event in events if isinstance(event, SignalUpdated)]


@pytest.fixture
def talk() -> Conversation:
    talk = Conversation()
    talk.say("It does not work", request_id="r-1")
    return talk


def test_an_estimate_is_told_with_all_that_it_is_about(talk: Conversation) -> None:
    (event,) = told(talk, estimated(mood(), of_seq=2))
    assert event.signal == mood()
    assert (event.source, event.adapter, event.scope) == ("rule", "a-rule", "message")
    assert (event.turn, event.of_turn, event.request_id, event.message_id) == (1, 1, "r-1", "r-1")
    assert event.response_id == "response-1"
    assert event.latency_ms == 0.4
    assert not event.replaces


def test_a_better_source_replaces_and_a_worse_one_is_not_told(talk: Conversation) -> None:
    assert [one.replaces for one in told(talk, estimated(mood(), intent()))] == [False, False]
    (better,) = told(talk, estimated(mood("anger"), source="model"))
    assert better.replaces
    assert talk.give(estimated(mood("delight"), source="local")).reply == Ignored()
    (own,) = told(talk, estimated(mood("neutral"), source="server"))
    assert own.replaces
    assert latest(talk.state.signals) == (mood("neutral"), intent())


def test_who_is_unsure_does_not_replace_who_is_sure(talk: Conversation) -> None:
    told(talk, estimated(mood(confidence=0.6)))
    assert talk.give(estimated(mood("delight", confidence=0.2), source="model")).reply == Ignored()
    unsure = Conversation()
    unsure.say()
    told(unsure, estimated(mood(confidence=0.1), source="model"))
    assert told(unsure, estimated(mood("urgency", confidence=0.5)))[0].replaces, "a rule that is sure"


def test_the_same_source_replaces_itself_but_not_by_the_same(talk: Conversation) -> None:
    told(talk, estimated(mood()))
    assert talk.give(estimated(mood())).reply == Ignored()
    assert told(talk, estimated(mood(score=0.9)))[0].replaces


def test_an_estimate_of_a_text_that_has_grown_replaces_any_of_less(talk: Conversation) -> None:
    told(talk, estimated(mood(), source="model", of_seq=2))
    assert told(talk, estimated(mood("urgency"), of_seq=9))[0].replaces
    assert talk.give(estimated(mood("delight"), source="model", of_seq=2)).reply == Ignored()


def test_message_turn_and_session_each_have_their_own(talk: Conversation) -> None:
    assert not told(talk, estimated(mood()))[0].replaces
    assert not told(talk, estimated(mood(), scope="turn"))[0].replaces
    (event,) = told(talk, estimated(mood(), scope="session", turn=0))
    assert not event.replaces
    assert (event.of_turn, event.message_id) == (1, "")
    talk.say("and again")
    assert told(talk, estimated(mood(), scope="session", turn=2))[0].replaces, "the session went on"


def test_an_estimate_that_comes_late_is_told_of_its_own_turn(talk: Conversation) -> None:
    talk.say("something else", request_id="r-2")
    (event,) = told(talk, estimated(mood(), source="model"))
    assert (event.turn, event.request_id, event.response_id) == (1, "r-1", "response-1")
    assert talk.state.open is not None
    assert talk.state.open.number == 2


def test_a_message_is_found_by_its_id(talk: Conversation) -> None:
    (event,) = told(talk, estimated(mood(), turn=0, message_id="r-1", source="server"))
    assert event.of_turn == 1


@pytest.mark.parametrize(
    "unknown",
    [estimated(mood(), turn=7), estimated(mood(), turn=0, message_id="r-9"), estimated(mood(), message_id="r-9")],
)
def test_what_is_about_nothing_is_refused(talk: Conversation, unknown: SignalsEstimated) -> None:
    reply = talk.give(unknown).reply
    assert isinstance(reply, Rejected)
    assert reply.problem.code is Code.BAD_MESSAGE


def test_an_ended_session_takes_none(talk: Conversation) -> None:
    talk.give(EndRequested())
    reply = talk.give(estimated(mood())).reply
    assert isinstance(reply, Rejected)
    assert reply.problem.code is Code.SESSION_ENDED


def test_no_signal_is_no_news(talk: Conversation) -> None:
    assert talk.give(estimated()).reply == Ignored()


def test_the_state_stays_small(talk: Conversation) -> None:
    for number in range(2, limits.SIGNALS_KEPT + 9):
        talk.say("more", turn=number)
        reply = talk.give(estimated(mood(), turn=number)).reply
        assert isinstance(reply, Accepted)
    assert talk.state.signals is not None
    assert len(talk.state.signals.standing) == limits.SIGNALS_KEPT


def test_the_agent_is_told_the_newest_of_the_turns_before(talk: Conversation) -> None:
    told(talk, estimated(mood("anger"), intent()))
    told(talk, estimated(mood("confusion"), source="model"))
    talk.say("and now?")
    request = [one.request for one in talk.effects if isinstance(one, RunAgent)][-1]
    assert request.signals == (mood("confusion"), intent())
