"""Finding one of some phrases in what was said, in any case and with any apostrophe, and not within words."""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

_QUOTED: Final = re.compile(r"```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」", re.DOTALL)
_QUOTES: Final = ("`", '"', "“", "„", "«", "「")


class Phrases:
    """Phrases of several languages as one pattern; each is in lower case, and `…` in it stands for up to 3 words."""

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        self._phrases = phrases

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Made when first needed: a long list takes 20 ms, which not every server has to wait for when it starts."""
        parted, unparted = list[str](), list[str]()
        for language, said in self._phrases.items():
            (unparted if language in _UNPARTED else parted).extend(map(_pattern, said))
        every = sorted(unparted, key=len, reverse=True)
        if parted:
            every.append(rf"(?<!\w)(?:{'|'.join(sorted(parted, key=len, reverse=True))})(?!\w)")
        return re.compile("|".join(every))

    def find(self, text: str) -> str | None:
        """The first phrase that stands in a text, as it stands there in lower case; `None` where none does."""
        found = self._pattern.search(plain(text))
        return found[0] if found is not None else None


_UNPARTED: Final = frozenset({"zh", "ja", "ko", "th"})
"""Languages that put no space between words, or put endings to them."""


def _pattern(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ …\ ", r"\s+(?:\w+\s+){0,3}?").replace(r"\ ", r"\s+")


def plain(text: str) -> str:
    """A text in lower case, with one kind of apostrophe, without what it quotes."""
    if any(quote in text for quote in _QUOTES):
        text = _QUOTED.sub(" ", text)
    return text.lower().replace("’", "'")
