"""Signals by a language model: the shape that is asked for, and what is made of an answer."""

from typing import Any

import jsonschema_rs
import pytest

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")

from duologue.adapters.signals_model.answer import schema, signals
from duologue.model.errors import SignalError
from duologue.model.signals import Intent, Sentiment

NAMES = ("cancel", "invoice", "person")
ANSWER: dict[str, Any] = {
    "mood": "anger",
    "strength": 90,
    "sure": 80,
    "polarity": "negative",
    "intent": "cancel",
    "fit": 70,
    "others": [{"intent": "person", "fit": 20}, {"intent": "invoice", "fit": 40}, {"intent": "cancel", "fit": 10}],
}


def test_the_shape_is_a_schema_that_the_answer_meets() -> None:
    asked = schema(NAMES)
    assert jsonschema_rs.meta.is_valid(asked)
    assert jsonschema_rs.is_valid(asked, ANSWER)
    assert not jsonschema_rs.is_valid(asked, ANSWER | {"intent": "something else"})
    assert not jsonschema_rs.is_valid(asked, ANSWER | {"strength": 101})
    assert set(asked["required"]) == set(asked["properties"]), "a provider's strict mode wants all of them"


def test_an_answer_becomes_a_mood_and_an_intent_with_others() -> None:
    sentiment, intent = signals(ANSWER, NAMES)
    assert sentiment == Sentiment(category="anger", score=0.9, confidence=0.8, polarity="negative")
    assert isinstance(intent, Intent)
    assert (intent.intent, intent.score, intent.confidence) == ("cancel", 0.7, 0.7)
    assert [(one.intent, one.score) for one in intent.alternates] == [("invoice", 0.4), ("person", 0.2)]


def test_without_intents_none_is_asked_for_or_told() -> None:
    assert "intent" not in schema(())["properties"]
    plain = {key: ANSWER[key] for key in ("mood", "strength", "sure", "polarity")}
    assert len(signals(plain, ())) == 1
    assert len(signals(ANSWER | {"intent": "none"}, NAMES)) == 1


def test_figures_beyond_their_bounds_count_as_the_bound() -> None:
    (sentiment,) = signals(ANSWER | {"strength": 400, "sure": -3, "intent": "none"}, NAMES)
    assert (sentiment.score, sentiment.confidence) == (1.0, 0.0)


@pytest.mark.parametrize("answer", [{}, ANSWER | {"mood": "boredom"}, ANSWER | {"sure": "very"}, [], "angry"])
def test_another_shape_is_an_error(answer: object) -> None:
    with pytest.raises(SignalError, match="not of the shape"):
        signals(answer, NAMES)
