"""Where text may be cut without parting what a person sees as one character.

Source: Unicode Standard Annex 29, grapheme cluster boundaries, kept on the safe side: a cut that is allowed here is one
there; a few that are allowed there are not taken.
"""

import unicodedata
from typing import Final

_ZERO_WIDTH_JOINER: Final = "\u200d"

_EXTENDING: Final = frozenset("\u200c\u200d\u0e33\u0eb3\uff9e\uff9f")
"""Belong to what comes before, though their category does not say so."""

_PREPENDED: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)
"""Belong to what comes after."""

_VIRAMA: Final = 9
"""The combining class of signs that join the consonants around them."""


def may_cut(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` surely leaves whole characters on both sides."""
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return not (before == "\r" and after == "\n")
    if _extends(after) or before == _ZERO_WIDTH_JOINER or before in _PREPENDED:
        return False
    if _is_flag(before) and _is_flag(after):
        return _flags_before(text, at) % 2 == 0
    return not (_is_one_hangul(before, after) or _is_joined(text, at))


def cut_before(text: str, at: int) -> int:
    """The last place up to `at`, and after 0, where the text may be cut; `at` where there is none."""
    for place in range(at, 0, -1):
        if may_cut(text, place):
            return place
    return at


def _extends(char: str) -> bool:
    """Whether a code point belongs to the one before."""
    return (
        unicodedata.category(char)[0] == "M"
        or char in _EXTENDING
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag(char: str) -> bool:
    """Whether it is a regional indicator; two of them are a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    """How many regional indicators stand in a row before a place."""
    begin = at
    while begin > 0 and _is_flag(text[begin - 1]):
        begin -= 1
    return at - begin


def _is_one_hangul(before: str, after: str) -> bool:
    """Whether two code points may be parts of one Korean syllable."""
    leads = "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    follows = "\u1160" <= after <= "\u11ff" or "\ud7b0" <= after <= "\ud7fb"
    return follows or (leads and ("\u1100" <= after <= "\u11ff" or "\ua960" <= after <= "\ua97c" or _syllable(after)))


def _syllable(char: str) -> bool:
    """Whether it is a whole Korean syllable, or the begin of one."""
    return "\uac00" <= char <= "\ud7a3"


def _is_joined(text: str, at: int) -> bool:
    """Whether a virama stands among the signs right before a place."""
    place = at - 1
    while place >= 0 and _extends(text[place]):
        if unicodedata.combining(text[place]) == _VIRAMA:
            return True
        place -= 1
    return False
