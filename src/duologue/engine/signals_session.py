"""What a session's signals come to: what its turns add up to, the latest ones counting most, and the newest ones."""

from collections.abc import Sequence
from typing import Final

from duologue.engine.signals_state import RANKS, Signals
from duologue.model import limits
from duologue.model.signals import Intent, IntentAlternate, Polarity, Sentiment, SentimentCategory, Signal

_FADES: Final = 0.6
"""What of a turn's weight is left a turn later: after five turns a thirteenth."""

_MIXED: Final = 0.25
"""Where both sides have such a share, the mood is mixed."""


def so_far(kept: Signals) -> tuple[Signal, ...]:
    """The mood and the intent of the session; none where nothing was estimated.

    Of each turn counts the estimate of the best source, and of the turn as a whole rather than of its message. It
    weighs by its age and by how sure it is.
    """
    turns = sorted({one.of_turn for one in kept.standing if one.scope != "session"}, reverse=True)
    moods = [one for one in (_of(kept, turn, Sentiment) for turn in turns) if isinstance(one, Sentiment)]
    intents = [one for one in (_of(kept, turn, Intent) for turn in turns) if isinstance(one, Intent)]
    found: list[Signal] = []
    if moods:
        found.append(_mood(moods))
    if intents:
        found.append(_intent(intents))
    return tuple(found)


def latest(kept: Signals | None) -> tuple[Signal, ...]:
    """What holds of the newest turn of which something was estimated: its mood, and the newest intent."""
    if kept is None:
        return ()
    turns = sorted({one.of_turn for one in kept.standing if one.scope != "session"}, reverse=True)
    found: list[Signal] = []
    for kind in (Sentiment, Intent):
        newest = next((one for turn in turns if (one := _of(kept, turn, kind)) is not None), None)
        if newest is not None:
            found.append(newest)
    return tuple(found)


def _of(kept: Signals, turn: int, kind: type[Signal]) -> Signal | None:
    """What holds of a turn."""
    fits = [
        one for one in kept.standing if one.of_turn == turn and one.scope != "session" and isinstance(one.signal, kind)
    ]
    best = max(fits, key=lambda one: (RANKS[one.source], one.scope == "turn"), default=None)
    return best.signal if best is not None else None


def _mood(moods: Sequence[Sentiment]) -> Sentiment:
    """Weigh moods, the newest first."""
    weights: dict[SentimentCategory, float] = {}
    scores: dict[SentimentCategory, float] = {}
    sides: dict[Polarity, float] = {}
    whole = sure = 0.0
    for age, mood in enumerate(moods):
        faded = _FADES**age
        weight = faded * mood.confidence
        weights[mood.category] = weights.get(mood.category, 0.0) + weight
        scores[mood.category] = scores.get(mood.category, 0.0) + weight * mood.score
        side = mood.polarity or "neutral"
        sides[side] = sides.get(side, 0.0) + weight
        whole, sure = whole + faded, sure + weight
    category = max(weights, key=lambda one: (weights[one], one))
    return Sentiment(
        category=category,
        score=round(scores[category] / weights[category] if weights[category] else 0.0, 3),
        confidence=round(weights[category] / whole, 3),
        polarity=_side(sides, sure),
    )


def _side(sides: dict[Polarity, float], whole: float) -> Polarity:
    positive, negative = sides.get("positive", 0.0), sides.get("negative", 0.0)
    least = _MIXED * whole
    if "mixed" in sides and sides["mixed"] >= max(positive, negative):
        return "mixed"
    if positive >= least and negative >= least and whole:
        return "mixed"
    if max(positive, negative) < least or not whole:
        return "neutral"
    return "positive" if positive > negative else "negative"


def _intent(intents: Sequence[Intent]) -> Intent:
    """Weigh intents, the newest first."""
    weights: dict[str, float] = {}
    whole = 0.0
    for age, intent in enumerate(intents):
        weights[intent.intent] = weights.get(intent.intent, 0.0) + _FADES**age * intent.score
        whole += _FADES**age
    ranked = sorted(weights, key=lambda name: (-weights[name], name))
    newest = {one.intent: one.confidence for one in reversed(intents)}
    return Intent(
        intent=ranked[0],
        score=round(weights[ranked[0]] / whole, 3),
        confidence=round(newest[ranked[0]] * weights[ranked[0]] / (sum(weights.values()) or 1.0), 3),
        alternates=tuple(
            IntentAlternate(intent=name, score=round(weights[name] / whole, 3))
            for name in ranked[1 : 1 + limits.SIGNAL_ALTERNATES]
        ),
    )
