"""How much of what was said was understood: the word error rate."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from duologue.engine.word_times import word_ranges

_SIGNS: Final = re.compile(r"[^\w']+")

_NUMBERS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_SAID: Final = {str(number): word for number, word in enumerate(_NUMBERS.split())}
"""How English says small numbers: a recogniser may write either."""


def word_errors(expected: str, heard: str) -> tuple[int, int]:
    """Compare two texts word by word, without case, signs and the spelling of small numbers.

    Returns:
        How many words were left out, put in or replaced, at the least, and how many there should be. The rate is the
        one by the other, also over several texts, each summed.
    Source: the usual definition, Levenshtein's distance between the words.
    """
    wanted, found = _words(expected), _words(heard)
    return _distance(wanted, found), len(wanted)


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = (_SIGNS.sub("", plain[begin:end]) for begin, end in word_ranges(plain.replace("-", " ")))
    return [_SAID.get(word, word) for word in words if word]


def _distance(wanted: Sequence[str], found: Sequence[str]) -> int:
    row = list(range(len(found) + 1))
    for number, word in enumerate(wanted, 1):
        above, row = row, [number]
        for place, other in enumerate(found, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (word != other)))
    return row[-1]
