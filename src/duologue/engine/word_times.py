"""Which words a spoken text has, and about when each is heard where the voice does not say."""

import re
from typing import Final

from duologue.model.speech import WordTime

_WIDE: Final = r"\u2e80-\u303e\u3041-\u9fff\uf900-\ufaff\uff01-\uff9f\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"[{_WIDE}](?:[^\w\s]|[\u3099\u309a\ufe00-\ufe0f])*|[^\s{_WIDE}]+")
"""A run without spaces; in Chinese and Japanese, one character with the signs after it."""

_WORD_LETTERS: Final = 2
"""What a word takes besides its letters, as letters: the gap between words."""

_WIDE_LETTERS: Final = 3
"""A Chinese or Japanese character takes as long as three letters."""

_PAUSES: Final = {**dict.fromkeys(".!?…。！？", 6), **dict.fromkeys(",;:、，；：", 3)}
"""How long is paused after a sign, in letters: about 0.4 and 0.2 s."""


def word_ranges(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand: first code point, and after the last one with its punctuation."""
    found = ((match.start(), match.end()) for match in _WORD.finditer(text))
    return [(begin, end) for begin, end in found if any(map(str.isalnum, text[begin:end]))]


def estimated(text: str, duration_ms: int) -> tuple[WordTime, ...]:
    """Share the duration of a text's audio among its words, by their letters and the pauses after them.

    The error against Piper's own times is in `docs/voice.md`.
    """
    ranges = word_ranges(text)
    weights = [_weight(text[begin:end]) for begin, end in ranges]
    pauses = [_PAUSES.get(text[end - 1], 0) for _, end in ranges]
    whole = sum(weights) + sum(pauses[:-1])
    words: list[WordTime] = []
    at = 0
    for (begin, end), weight, pause in zip(ranges, weights, pauses, strict=True):
        begin_ms, end_ms = at * duration_ms // whole, (at + weight) * duration_ms // whole
        words.append(WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=end_ms))
        at += weight + pause
    return tuple(words)


def _weight(word: str) -> int:
    wide = sum(char >= "\u2e80" for char in word)
    return _WORD_LETTERS * (wide == 0) + sum(map(str.isalnum, word)) + (_WIDE_LETTERS - 1) * wide
