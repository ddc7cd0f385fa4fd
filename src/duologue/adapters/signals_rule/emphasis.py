"""What is felt beside the words: capitals, exclamation marks, emoji, the same thing said again."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from duologue.adapters.signals_rule.lexicon import Feeling
from duologue.adapters.signals_rule.text import END, plain_words

_LOUD_LETTERS: Final = 8
"""So many letters at least tell that somebody shouts: OK and USB are in capitals too."""

_LOUD_SHARE: Final = 0.7

_SAME_SHARE: Final = 0.75
"""So much of the words in common makes two messages the same question."""

_SAME_WORDS: Final = 3
"""A shorter message is often said twice: yes, thanks."""

_LONGER: Final = 1.7
"""So much longer or shorter at most is nearly the same message."""

_EMOJI: Final[Mapping[Feeling, str]] = {
    "frustration": "😤 😩 😫 😒 🙄 😞 😔 🤦 😣 😖 👎 😑 😓",
    "anger": "😠 😡 🤬 💢 🖕 👿",
    "confusion": "😕 🤔 😵 🤷 ❓ 🤨 😟 🫤",
    "urgency": "🚨 ⏰ ⏳ 🆘 ⚠ 🏃 ⌛",
    "satisfaction": "🙂 😊 👍 🙏 👌 😌 ☺ 😉 ✅ 😀",
    "delight": "😍 🥰 🎉 🤩 😁 😃 😄 ❤ 💖 🥳 👏 🙌 💯 ⭐ 🚀 😂",
}
_EMOTICONS: Final[Mapping[str, Feeling]] = {
    ":)": "satisfaction",
    ":-)": "satisfaction",
    ";)": "satisfaction",
    ":D": "delight",
    ":-D": "delight",
    "<3": "delight",
    ":(": "frustration",
    ":-(": "frustration",
    ":/": "frustration",
    ":-/": "frustration",
    ">:(": "anger",
    "o_O": "confusion",
    "O_o": "confusion",
}
_FACES: Final[Mapping[str, Feeling]] = {
    **{one: feeling for feeling, row in _EMOJI.items() for one in row.split()},
    **_EMOTICONS,
}
_FACE: Final = re.compile("|".join(re.escape(one) for one in sorted(_FACES, key=len, reverse=True)))
_DOUBTS: Final = re.compile(r"\?\s?[?!]|!\?")
_EXCLAIMED: Final = re.compile(r"!{2,}")
_FACES_MOST: Final = 3
"""Further faces of one kind say no more."""


def faces(text: str) -> dict[Feeling, float]:
    """What its emoji and emoticons say, as evidence."""
    if text.isascii() and not any(mark in text for mark in (":", "<", ";", "_")):
        return {}
    found: dict[Feeling, float] = {}
    for one in _FACE.findall(text):
        feeling = _FACES[one]
        found[feeling] = min(_FACES_MOST, found.get(feeling, 0.0) + 1.0)
    return found


def shouted(text: str) -> bool:
    """Whether most of it is in capitals."""
    letters = sum(map(str.isalpha, text))
    return letters >= _LOUD_LETTERS and sum(map(str.isupper, text)) >= _LOUD_SHARE * letters


def exclaimed(text: str) -> float:
    """By how much exclamation marks make everything count more."""
    return 1.3 if _EXCLAIMED.search(text) else 1.1 if "!" in text else 1.0


def doubted(text: str) -> bool:
    """Whether it is asked in disbelief: ??, ?!"""
    return _DOUBTS.search(text) is not None


def stammered(words: Sequence[str]) -> bool:
    """Whether a word stands three times in a row."""
    return any(one == two == three != END for one, two, three in zip(words, words[1:], words[2:], strict=False))


def said_before(words: Sequence[str], earlier: Sequence[str]) -> int:
    """How often nearly the same was said before."""
    if not earlier:
        return 0
    now, length = frozenset(words) - {END}, sum(map(len, words)) + len(words)
    if len(now) < _SAME_WORDS:
        return 0
    count = 0
    for one in earlier:
        # What has another length is another message: most are told apart by that alone.
        if not length / _LONGER <= len(one) <= length * _LONGER:
            continue
        then = frozenset(plain_words(one))
        if len(now & then) >= _SAME_SHARE * len(now | then):
            count += 1
    return count
