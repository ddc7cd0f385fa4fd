"""What differs between two texts, word by word."""

import difflib
import re
from typing import Final, Literal, NamedTuple

WORDS: Final = 4_000
"""Most words that are compared one by one: beyond it the texts are shown as a whole."""

ALIKE: Final = 0.6
"""How much of two texts has to be the same, spaces too: below it single words that agree only confuse."""

_WORD: Final = re.compile(r"\s+|[^\s]+")


class Piece(NamedTuple):
    """Some of a text: in both, only in the recorded one, or only in the new one."""

    kind: Literal["same", "gone", "new"]
    text: str


def pieces(recorded: str, now: str) -> list[Piece]:
    """Take two texts apart into what is the same and what is not, in order."""
    old, new = _WORD.findall(recorded), _WORD.findall(now)
    if len(old) + len(new) > WORDS:
        return [Piece("same", recorded)] if recorded == now else [Piece("gone", recorded), Piece("new", now)]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [Piece("gone", recorded)] * bool(recorded) + [Piece("new", now)] * bool(now)
    found: list[Piece] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            found.append(Piece("same", "".join(old[a:b])))
            continue
        if a < b:
            found.append(Piece("gone", "".join(old[a:b])))
        if c < d:
            found.append(Piece("new", "".join(new[c:d])))
    return found
