"""What people say to show that they listen, in the conversation's language."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from duologue.model.voice import BACKCHANNELS

_WORDS: Final[Mapping[str, str]] = {
    "de": "achso|ach so|aha|genau|gut|hm|ja|jaja|jep|klar|mhm|na klar|okay|richtig|schon klar|stimmt|verstehe",
    "es": "ajá|bien|bueno|claro|de acuerdo|entiendo|exacto|mhm|sí|vale|ya|ya veo",
    "fr": "ah|ah bon|ah oui|bien|bien sûr|d'accord|exact|hum|je vois|mhm|oui|ouais|tout à fait",
    "it": "ah|bene|capisco|certo|d'accordo|ecco|esatto|ho capito|mhm|sì|va bene",
    "nl": "aha|duidelijk|goed|ik snap het|inderdaad|ja|jaja|juist|klopt|mhm|oké|precies|snap ik",
    "pl": "aha|dobra|dobrze|jasne|mhm|no|no tak|rozumiem|tak|właśnie",
    "pt": "ah|certo|claro|compreendo|entendi|exato|isso|mhm|pois|pois é|sim|tá|tá bom",
    "sv": "aha|bra|ja|ja just det|jaha|jo|just det|mhm|precis|visst",
}


@lru_cache(maxsize=64)
def in_language(given: tuple[str, ...], language: str) -> tuple[str, ...]:
    """What shows that somebody listens.

    Args:
        given: as the call's rules say; the usual ones are added to by the language's own, others stand alone.
        language: BCP 47 tag of the conversation.
    """
    if given != BACKCHANNELS:
        return given
    own = _WORDS.get(language.replace("_", "-").partition("-")[0].lower(), "")
    return (*given, *own.split("|")) if own else given
