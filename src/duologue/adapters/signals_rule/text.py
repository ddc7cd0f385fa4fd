"""A text as the words that the lists know: without case and accents."""

import re
import unicodedata
from typing import Final

from duologue.model.base import Value

END: Final = "."
"""Stands among the words where a clause ends."""

_WORD: Final = re.compile(
    # What French and Italian write before an apostrophe is a word of its own.
    r"\b(?:qu|[jnldmtsc]|un|dell|nell|all|dall|sull)'(?=\w\w|$)"
    r"|\w+(?:'\w+)*"
    r"|[.,;:!?\n()]+"
)
_DRAWN: Final = re.compile(r"([^\W\d_])\1{2,}")
_DRAWN_WORD: Final = re.compile(r"\w*?([^\W\d_])\1{2}\w*")
_CAPITALS: Final = re.compile(r"\b(?:(?![a-z\d_])\w){3,}\b")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_LETTERS: Final = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "’": "'", "ʼ": "'"})


class Said(Value, kw_only=True):
    """The words of a text.

    Attributes:
        words: folded, in order, with `END` where a clause ends.
        stressed: those that were written in capitals, or drawn out.
    """

    words: list[str]
    stressed: frozenset[str]


def fold(text: str) -> str:
    """Write a text without capitals and accents, and each apostrophe alike."""
    text = text.lower()
    if text.isascii():
        return text
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_LETTERS)))


def read(text: str) -> Said:
    """Read a text: its words, and which of them are stressed."""
    folded = fold(text)
    stressed = [fold(word) for word in _CAPITALS.findall(text) if word.isupper()]
    if _DRAWN.search(folded):
        stressed.extend(_DRAWN.sub(r"\1", found[0]) for found in _DRAWN_WORD.finditer(folded))
        folded = _DRAWN.sub(r"\1", folded)
    found = _WORD.findall(folded)
    words = [word if word[0] == "_" or word[0].isalnum() else END for word in found]
    return Said(words=words, stressed=frozenset(stressed))


def plain_words(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order: how the entries of lists and the examples of intents are read."""
    return tuple(word for word in read(text).words if word is not END)
