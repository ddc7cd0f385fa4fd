"""What was said, as words alone: whether two transcripts say the same, and whether it is only a sign of listening."""

import unicodedata
from functools import lru_cache
from typing import Final

_APOSTROPHES: Final = dict.fromkeys(map(ord, "'’ʼ"))


def plain(text: str) -> str:
    """The words, without case and punctuation: recognisers change their mind about both."""
    kept = (
        char if char.isalnum() or unicodedata.category(char)[0] == "M" else " "
        for char in text.translate(_APOSTROPHES).casefold()
    )
    return " ".join("".join(kept).split())


@lru_cache(maxsize=64)
def _longest_first(backchannels: tuple[str, ...]) -> tuple[str, ...]:
    """The words of each, the longest first. Calls share their rules, and a partial comes several times a second."""
    return tuple(sorted(filter(None, map(plain, backchannels)), key=len, reverse=True))


def only_backchannels(text: str, backchannels: tuple[str, ...]) -> bool:
    """Whether words were said, and only such as people say to show that they listen."""
    rest = f" {plain(text)} "
    if not rest.strip():
        return False
    for known in _longest_first(backchannels):
        while f" {known} " in rest:
            rest = rest.replace(f" {known} ", " ")
    return not rest.strip()
