"""The words with which a person asks for a human."""

import re
from collections.abc import Iterable
from typing import Final

LOOKED_AT_CHARS: Final = 400
"""How much of a message is looked at: who wants a human says so soon, and the cost stays the same for long ones."""

PHRASES: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "talk to a human",
        "talk to a person",
        "talk to a real person",
        "talk to someone",
        "talk to somebody",
        "talk to an agent",
        "talk to an operator",
        "talk to your manager",
        "speak to a human",
        "speak to a person",
        "speak to a real person",
        "speak to someone",
        "speak to somebody",
        "speak to an agent",
        "speak to an operator",
        "speak to a manager",
        "speak with a human",
        "speak with a person",
        "speak with someone",
        "speak with an agent",
        "chat with a human",
        "chat with a person",
        "connect me to a human",
        "connect me to a person",
        "connect me to an agent",
        "transfer me to a human",
        "transfer me to an agent",
        "a human please",
        "a real person please",
        "human agent",
        "real human",
        "customer service representative",
    ),
    "de": (
        "mit einem menschen sprechen",
        "mit einem menschen reden",
        "mit einer person sprechen",
        "mit jemandem sprechen",
        "mit jemandem reden",
        "mit einem mitarbeiter sprechen",
        "mit einer mitarbeiterin sprechen",
        "mit einem echten menschen",
        "mit einer echten person",
        "mit einem menschen verbinden",
        "mit einem mitarbeiter verbinden",
        "einen menschen bitte",
        "menschlichen mitarbeiter",
        "echten mitarbeiter",
    ),
    "fr": (
        "parler à un humain",
        "parler à une personne",
        "parler à quelqu'un",
        "parler avec un humain",
        "parler avec une personne",
        "parler avec quelqu'un",
        "parler à un conseiller",
        "parler avec un conseiller",
        "parler à un agent",
        "une vraie personne",
        "un conseiller s'il vous plaît",
    ),
    "es": (
        "hablar con un humano",
        "hablar con una persona",
        "hablar con alguien",
        "hablar con un agente",
        "hablar con un operador",
        "hablar con un asesor",
        "una persona real",
        "un agente humano",
    ),
    "it": (
        "parlare con un umano",
        "parlare con una persona",
        "parlare con qualcuno",
        "parlare con un operatore",
        "parlare con un operatrice",
        "una persona vera",
        "un operatore umano",
    ),
    "pt": (
        "falar com um humano",
        "falar com uma pessoa",
        "falar com alguém",
        "falar com um atendente",
        "falar com um operador",
        "uma pessoa real",
        "um atendente humano",
    ),
    "nl": (
        "met een mens praten",
        "met een mens spreken",
        "met een persoon spreken",
        "met iemand spreken",
        "met iemand praten",
        "met een medewerker spreken",
        "met een medewerker praten",
        "een echt persoon",
        "een echte medewerker",
    ),
    "pl": (
        "rozmawiać z człowiekiem",
        "porozmawiać z człowiekiem",
        "rozmawiać z konsultantem",
        "porozmawiać z konsultantem",
        "porozmawiać z kimś",
        "połącz mnie z konsultantem",
        "prawdziwym człowiekiem",
    ),
}
"""By language, in lower case; which language somebody writes in does not matter."""

_NOT: Final = re.compile(
    r"\b(?:not|don't|dont|never|no need|without|nicht|kein|keinen|keine|ne|pas|non|no|não|nao|niet|geen|nie)\b"
    r"(?:\W+\w+){0,4}\W*$"
)
"""A denial shortly before the words."""

_WORD: Final = re.compile(r"\w+")


class Asking:
    """Tells whether somebody asks for a human; one pass over the begin of a text.

    Args:
        phrases: besides the built-in ones.
        built_in: whether those are heard.
    """

    def __init__(self, phrases: Iterable[str] = (), *, built_in: bool = True) -> None:
        built = [one for language in PHRASES.values() for one in language] if built_in else []
        self._phrases = {*built, *(_plain(one) for one in phrases if one.strip())}
        self._telling = {max(_WORD.findall(one), key=len, default="") for one in self._phrases}
        self._pattern: re.Pattern[str] | None = None

    def heard(self, text: str) -> str | None:
        """The words with which a human is asked for; `None` where none is."""
        plain = _plain(text[:LOOKED_AT_CHARS])
        # Most messages have no word that matters, and looking for words costs a tenth of looking for phrases.
        if self._telling.isdisjoint(_WORD.findall(plain)):
            return None
        if self._pattern is None:
            # Not at the start of a server: it takes some ms.
            ways = "|".join(re.escape(one) for one in sorted(self._phrases, key=len, reverse=True))
            self._pattern = re.compile(rf"\b(?:{ways})\b")
        for found in self._pattern.finditer(plain):
            if _NOT.search(plain[: found.start()].rpartition(".")[2]) is None:
                return found[0]
        return None


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("’", "'").replace(",", " ").split())
