"""How feelings are said, language by language; the lists are our own."""

from typing import Final

from duologue.adapters.signals_rule.words.dutch import DUTCH
from duologue.adapters.signals_rule.words.english import ENGLISH
from duologue.adapters.signals_rule.words.french import FRENCH
from duologue.adapters.signals_rule.words.german import GERMAN
from duologue.adapters.signals_rule.words.italian import ITALIAN
from duologue.adapters.signals_rule.words.polish import POLISH
from duologue.adapters.signals_rule.words.portuguese import PORTUGUESE
from duologue.adapters.signals_rule.words.shape import Words
from duologue.adapters.signals_rule.words.spanish import SPANISH

LISTS: Final[dict[str, Words]] = {
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

__all__ = ["LISTS", "Words"]
