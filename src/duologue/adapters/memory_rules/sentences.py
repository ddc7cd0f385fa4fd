"""A text as sentences, without what others said in it; and what is never remembered."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

SENTENCES: Final = 64
"""Most sentences of one turn: more is a pasted document."""

SENTENCE_CHARS: Final = 300
"""How much of one sentence is looked at: nobody says more in one breath, and patterns never take long."""

_QUOTED: Final = re.compile(
    r"```.*?(?:```|\Z)|`[^`]*`|\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|^>[^\n]*|https?://\S+",
    re.DOTALL | re.MULTILINE,
)
_END: Final = re.compile(r"(?<=[.!?;。！？])\s+|\n+")

_SECRET: Final = re.compile(
    r"pass ?word|pass ?phrase|pass ?code|passwort|kennwort|mot de passe|contrase|senha|wachtwoord|parola d'ordine"
    r"|\b(?:pin|cvv|cvc|iban|api[- ]?key|token|ssn|social security|credit ?card|kreditkarte|carte bancaire|tarjeta)\b"
    r"|(?:\d[ -]?){9,}",
    re.IGNORECASE,
)
"""What secrets are called, and long numbers: of cards, accounts and telephones."""


class Sentence(NamedTuple):
    """One sentence; `asks` where it is a question."""

    text: str
    asks: bool


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, without quotations, code and addresses."""
    own = _QUOTED.sub(" ", text.replace("’", "'").replace("‘", "'"))
    for part in _END.split(own)[:SENTENCES]:
        said = part.strip()
        if said:
            yield Sentence(said[:SENTENCE_CHARS], said.endswith(("?", "？")))


def is_secret(text: str) -> bool:
    """Whether a text looks like something that nobody should keep."""
    return _SECRET.search(text) is not None
