"""What the model is asked for: the schema of its answer, and how that becomes signals."""

from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.errors import SignalError
from duologue.model.signals import Intent, IntentAlternate, Polarity, Sentiment, SentimentCategory, Signal

NO_INTENT: Final = "none"
"""What a message has that fits no intent."""

_WHOLE: Final = 100
"""Figures are whole numbers up to this: grammars of local models keep bounds of integers, and of no other numbers."""

_ALTERNATES: Final = 3


class Other(Value, kw_only=True):
    """Another intent that it may be."""

    intent: str
    fit: int


class Judged(Value, kw_only=True):
    """What the model said."""

    mood: SentimentCategory
    strength: int
    sure: int
    polarity: Polarity
    intent: str = NO_INTENT
    fit: int = 0
    others: tuple[Other, ...] = ()


# JSON Schema: JSON of many shapes.
def schema(intents: Sequence[str]) -> dict[str, Any]:
    """The JSON Schema of an answer; with intents where there are any."""
    part = {"type": "integer", "minimum": 0, "maximum": _WHOLE}
    properties: dict[str, Any] = {
        "mood": {"type": "string", "enum": list(get_args(SentimentCategory)), "description": "the strongest one"},
        "strength": part | {"description": "of the mood, in percent"},
        "sure": part | {"description": "how sure that is, in percent"},
        "polarity": {"type": "string", "enum": list(get_args(Polarity))},
    }
    if intents:
        names = {"type": "string", "enum": [*intents, NO_INTENT]}
        other = {
            "type": "object",
            "properties": {"intent": {"type": "string", "enum": list(intents)}, "fit": part},
            "required": ["intent", "fit"],
            "additionalProperties": False,
        }
        properties["intent"] = names | {"description": "what the person wants"}
        properties["fit"] = part | {"description": "how well it fits, in percent"}
        properties["others"] = {"type": "array", "items": other, "maxItems": _ALTERNATES}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


# JSON of the model's: its shape is checked here.
def signals(answer: Any, intents: Sequence[str]) -> tuple[Signal, ...]:
    """Read an answer; figures beyond their bounds count as the bound.

    Raises:
        SignalError: it is not of the shape that was asked for.
    """
    try:
        judged = msgspec.convert(answer, Judged)
    except msgspec.ValidationError as error:
        raise SignalError(f"the model's estimate is not of the shape that was asked for: {error}") from error
    sentiment = Sentiment(
        category=judged.mood, score=_part(judged.strength), confidence=_part(judged.sure), polarity=judged.polarity
    )
    if judged.intent not in intents:
        return (sentiment,)
    others = {one.intent: _part(one.fit) for one in judged.others if one.intent in intents}
    others.pop(judged.intent, None)
    intent = Intent(
        intent=judged.intent,
        score=_part(judged.fit),
        confidence=min(_part(judged.sure), _part(judged.fit)),
        alternates=tuple(
            IntentAlternate(intent=name, score=score)
            for name, score in sorted(others.items(), key=lambda item: -item[1])[: limits.SIGNAL_ALTERNATES]
        ),
    )
    return (sentiment, intent)


def _part(percent: int) -> float:
    return min(_WHOLE, max(0, percent)) / _WHOLE
