"""Sentences of our own, from which the classifier of moods is trained, language by language."""

from collections.abc import Iterator
from typing import Final

from duologue.adapters.signals_local.examples.dutch import DUTCH
from duologue.adapters.signals_local.examples.english import ENGLISH
from duologue.adapters.signals_local.examples.french import FRENCH
from duologue.adapters.signals_local.examples.german import GERMAN
from duologue.adapters.signals_local.examples.italian import ITALIAN
from duologue.adapters.signals_local.examples.polish import POLISH
from duologue.adapters.signals_local.examples.portuguese import PORTUGUESE
from duologue.adapters.signals_local.examples.shape import Examples
from duologue.adapters.signals_local.examples.spanish import SPANISH
from duologue.model.base import Value
from duologue.model.signals import SentimentCategory

ALL: Final = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
    "nl": DUTCH,
    "pl": POLISH,
}
"""By BCP 47 primary subtag."""


class Example(Value, kw_only=True):
    """A sentence, its language and its mood."""

    text: str
    language: str
    category: SentimentCategory


def sentences() -> Iterator[Example]:
    """All sentences, in an order that stays."""
    for language, examples in ALL.items():
        for category, lines in _moods(examples):
            for line in lines.strip().splitlines():
                yield Example(text=line.strip(), language=language, category=category)


def _moods(examples: Examples) -> Iterator[tuple[SentimentCategory, str]]:
    yield "frustration", examples.frustration
    yield "anger", examples.anger
    yield "confusion", examples.confusion
    yield "urgency", examples.urgency
    yield "satisfaction", examples.satisfaction
    yield "delight", examples.delight
    yield "neutral", examples.neutral
