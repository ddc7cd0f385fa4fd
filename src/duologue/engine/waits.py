"""How long somebody waits, in their words."""

from typing import Final

MINUTE_MS: Final = 60_000

_WORDS: Final[dict[str, tuple[str, str, str]]] = {
    "en": ("less than a minute", "about a minute", "about {} minutes"),
    "de": ("weniger als eine Minute", "etwa eine Minute", "etwa {} Minuten"),
    "fr": ("moins d'une minute", "environ une minute", "environ {} minutes"),
    "es": ("menos de un minuto", "alrededor de un minuto", "unos {} minutos"),
    "it": ("meno di un minuto", "circa un minuto", "circa {} minuti"),
    "pt": ("menos de um minuto", "cerca de um minuto", "cerca de {} minutos"),
    "nl": ("minder dan een minuut", "ongeveer een minuut", "ongeveer {} minuten"),
    "pl": ("mniej niż minutę", "około minuty", "około {} min"),
}
"""By language: less than a minute, one, more."""


def wait_text(wait_ms: int | None, language: str) -> str:
    """Say an estimate in a conversation's language, or in English; empty where there is none."""
    if wait_ms is None:
        return ""
    less, one, more = _WORDS.get(language.partition("-")[0].lower(), _WORDS["en"])
    minutes = (wait_ms + MINUTE_MS // 2) // MINUTE_MS
    if minutes < 1:
        return less
    return one if minutes == 1 else more.format(minutes)
