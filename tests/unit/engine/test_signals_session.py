"""A session's own signals: what its turns add up to."""

from duologue.engine.signals_session import so_far
from duologue.engine.signals_state import Signals, Standing
from duologue.model.signals import Intent, Polarity, Sentiment, SentimentCategory, Signal, SignalScope


def stands(signal: Signal, turn: int, scope: SignalScope = "message") -> Standing:
    return Standing(of_turn=turn, scope=scope, signal=signal, source="rule", adapter="words")


def mood(category: SentimentCategory, polarity: Polarity, *, score: float = 0.8, sure: float = 0.8) -> Sentiment:
    return Sentiment(category=category, score=score, confidence=sure, polarity=polarity)


def intent(name: str, score: float = 0.8) -> Intent:
    return Intent(intent=name, score=score, confidence=0.6)


def test_nothing_adds_up_to_nothing() -> None:
    assert so_far(Signals()) == ()
    assert so_far(Signals(standing=[stands(mood("anger", "negative"), 1, "session")])) == ()


def test_one_turn_is_the_session() -> None:
    (found,) = so_far(Signals(standing=[stands(mood("anger", "negative", score=0.9, sure=0.7), 1)]))
    assert found == Sentiment(category="anger", score=0.9, confidence=0.7, polarity="negative")


def test_later_turns_count_more() -> None:
    angry, glad = mood("anger", "negative"), mood("satisfaction", "positive")
    kept = Signals(standing=[stands(angry, 1), stands(glad, 2), stands(glad, 3)])
    (found,) = so_far(kept)
    assert isinstance(found, Sentiment)
    assert (found.category, found.polarity) == ("satisfaction", "positive")
    assert found.confidence < 0.8, "not every turn was so"


def test_both_sides_are_mixed() -> None:
    kept = Signals(standing=[stands(mood("anger", "negative"), 1), stands(mood("delight", "positive"), 2)])
    (found,) = so_far(kept)
    assert isinstance(found, Sentiment)
    assert found.polarity == "mixed"


def test_a_turn_as_a_whole_stands_for_its_message() -> None:
    message, whole = mood("neutral", "neutral"), mood("frustration", "negative")
    (found,) = so_far(Signals(standing=[stands(message, 1), stands(whole, 1, "turn")]))
    assert isinstance(found, Sentiment)
    assert found.category == "frustration"


def test_who_is_unsure_counts_less() -> None:
    sure, unsure = mood("satisfaction", "positive", sure=0.9), mood("anger", "negative", sure=0.1)
    (found,) = so_far(Signals(standing=[stands(sure, 1), stands(unsure, 2)]))
    assert isinstance(found, Sentiment)
    assert found.category == "satisfaction"


def test_the_other_intents_are_alternates() -> None:
    kept = Signals(standing=[stands(intent("invoice"), 1), stands(intent("cancel"), 2), stands(intent("cancel"), 3)])
    (found,) = so_far(kept)
    assert isinstance(found, Intent)
    assert found.intent == "cancel"
    assert [one.intent for one in found.alternates] == ["invoice"]
    assert 0 < found.alternates[0].score < found.score <= 1


def test_what_is_sure_of_nothing_has_no_side() -> None:
    (found,) = so_far(Signals(standing=[stands(mood("anger", "negative", sure=0.0), 1)]))
    assert found == Sentiment(category="anger", score=0.0, confidence=0.0, polarity="neutral")
