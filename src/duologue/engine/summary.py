"""Summing a conversation up without a model: its most telling sentences, in their order.

A sentence tells much where its words come up again and again (after Luhn, "The automatic creation of literature
abstracts", 1958). What the person asked first and last is in it whatever it scores, as it says what they want.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from duologue.model import limits
from duologue.model.content import Message

WORD_CHARS: Final = 4
"""Shorter words are mostly of the language and not of the matter."""

SENTENCE_CHARS: Final = 200
"""How much of a sentence is told."""

_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_WORD: Final = re.compile(r"\w+")


class _Sentence(NamedTuple):
    place: int
    who: str
    text: str
    score: float


def summarise(history: Sequence[Message], *, chars: int = limits.HANDOFF_SUMMARY_CHARS) -> str:
    """Sum a conversation up in at most so many characters; empty where nothing was said."""
    sentences = _sentences(history)
    if not sentences:
        return ""
    asked = [one for one in sentences if one.who == "Customer"]
    chosen = {one.place for one in (*asked[:1], *asked[-1:])}
    told = sum(len(_line(one)) + 1 for one in sentences if one.place in chosen)
    for one in sorted(sentences, key=lambda found: (-found.score, found.place)):
        length = len(_line(one)) + 1
        if one.place not in chosen and told + length <= chars:
            chosen.add(one.place)
            told += length
    return "\n".join(_line(one) for one in sentences if one.place in chosen)[:chars]


def _line(sentence: _Sentence) -> str:
    text = sentence.text
    return f"{sentence.who}: {text if len(text) <= SENTENCE_CHARS else text[: SENTENCE_CHARS - 1] + '…'}"


def _sentences(history: Sequence[Message]) -> list[_Sentence]:
    said = [(_who(message), found) for message in history for found in _split(message.text)]
    counts = Counter(word for _, text in said for word in _words(text))
    return [_Sentence(place, who, text, _score(text, counts, who)) for place, (who, text) in enumerate(said)]


def _who(message: Message) -> str:
    return "Customer" if message.role == "user" else message.author or "Agent"


def _split(text: str) -> list[str]:
    return [one for found in _SENTENCE.findall(text) if (one := " ".join(found.split())) and _WORD.search(one)]


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) >= WORD_CHARS or word.isdigit()}


def _score(text: str, counts: Counter[str], who: str) -> float:
    """How often a sentence's words come up, each; what the customer says counts twice."""
    words = _words(text)
    if not words:
        return 0.0
    weight = 2.0 if who == "Customer" else 1.0
    return weight * sum(counts[word] for word in words) / len(words) ** 0.5
