"""Cuts an answer, as it is written, into pieces that are spoken one after the other."""

from typing import Final

from duologue.engine.graphemes import cut_before
from duologue.engine.plain import Plain
from duologue.engine.sentence_ends import End, after_mark, end_at, next_mark
from duologue.model import limits
from duologue.model.base import Value

FIRST_CLAUSE_LETTERS: Final = 12
"""A clause of so many letters may be the first piece: two or three words, 0.7 s of sound, in which the next is made."""

NEXT_SENTENCE_LETTERS: Final = 24
"""A later piece has at least so many letters: one that is shorter than its own making would leave a gap."""

NEXT_CLAUSE_LETTERS: Final = 120
"""Of a later sentence so many letters are not waited for at its end: 8 s of sound."""

WIDE_LETTERS: Final = 3
"""A Chinese, Japanese or Korean character takes as long to say as three letters."""

_LOOKAHEAD: Final = 16
"""Code points after the longest piece that are waited for, so that all ends within it are known."""


class Piece(Value, kw_only=True):
    """Some of the answer, to be spoken at once.

    Attributes:
        begin: index of its first code point in the answer. The pieces of an answer lie side by side: this is where
            the one before ends, and the first begins at 0.
        end: index after its last one; that of the last piece is the answer's length.
        text: what to say, without marks of Markdown, at most `limits.PIECE_CHARS`; empty in the last piece only.
        places: for each code point of `text`, its index in the answer.
    """

    begin: int
    end: int
    text: str
    places: tuple[int, ...]

    def place(self, begin_char: int, end_char: int) -> tuple[int, int]:
        """Where in the answer a range of `text` stands, for instance a word that was spoken."""
        return self.places[begin_char], self.places[max(begin_char, end_char - 1)] + 1


class Speakable:
    """Cuts one answer. Any split of the answer into `feed`s gives the same pieces; a feed costs some microseconds.

    Pieces end at sentences; the first one already at a clause, for a low first sound, and so do very long ones. None
    ends inside a number, an abbreviation, an address or a grapheme, unless the answer has nothing else to cut at.
    """

    def __init__(self) -> None:
        self._plain = Plain()
        self._text = ""
        self._places: list[int] = []
        self._begin = 0
        self._from = 0
        self._clause = 0
        self._first = True

    def feed(self, text: str) -> list[Piece]:
        """Take some more of the answer in; give the pieces that are ready."""
        return self._take(*self._plain.feed(text), last=False)

    def hurry(self) -> list[Piece]:
        """Give what was said: the agent is doing something else, and silence would be odd.

        What follows begins with another word. After that, splits of the text do matter.
        """
        pieces = self._take("", [], last=True)
        return pieces + self._cut(len(self._text)) if self._text else pieces

    def finish(self) -> list[Piece]:
        """Give the rest: the answer is whole."""
        pieces = self._take(*self._plain.finish(), last=True)
        if self._begin < self._plain.length:
            pieces.append(self._last())
        return pieces

    def _take(self, text: str, places: list[int], *, last: bool) -> list[Piece]:
        self._text += text
        self._places += places
        pieces: list[Piece] = []
        while cut := self._next_cut(last=last):
            pieces += self._cut(cut)
        return pieces

    def _next_cut(self, *, last: bool) -> int:
        """Where the next piece ends; 0 where that is not known yet."""
        text = self._text
        while mark := next_mark(text, self._from):
            cut = after_mark(text, mark)
            end = end_at(text, mark, cut, last=last)
            if self._too_long(cut, last=last):
                return self._forced()
            if end is End.UNKNOWN:
                self._from = mark.start()
                return 0
            cut += cut < len(text) and text[cut] in " \n"
            if end is not End.NOTHING and self._is_enough(cut, end):
                return cut
            self._clause = cut if end is not End.NOTHING else self._clause
            self._from = mark.end()
        self._from = len(text)
        return self._forced() if self._too_long(len(text), last=last) else 0

    def _too_long(self, cut: int, *, last: bool) -> bool:
        """Whether a piece up to here would be too long, and all ends before that are known."""
        longest = limits.PIECE_CHARS
        return cut > longest and (last or len(self._text) >= longest + _LOOKAHEAD)

    def _is_enough(self, cut: int, end: End) -> bool:
        if end is End.SENTENCE:
            least = 1 if self._first else NEXT_SENTENCE_LETTERS
        else:
            least = FIRST_CLAUSE_LETTERS if self._first else NEXT_CLAUSE_LETTERS
        return _letters(self._text[:cut]) >= least

    def _forced(self) -> int:
        """Where to cut what has no end within the longest piece: at a clause, else a word, else a character."""
        if self._clause:
            return self._clause
        return _word_end(self._text, limits.PIECE_CHARS) or cut_before(self._text, limits.PIECE_CHARS)

    def _cut(self, cut: int) -> list[Piece]:
        """Take a piece off; none where there is nothing to say, which then counts to the next one."""
        pieces = [self._piece(cut, self._places[cut - 1] + 1)] if self._text[:cut].strip() else []
        self._text = self._text[cut:]
        del self._places[:cut]
        self._from = self._clause = 0
        self._first = self._first and not pieces
        return pieces

    def _last(self) -> Piece:
        piece = self._piece(len(self._text), self._plain.length)
        self._text, self._places = "", []
        return piece

    def _piece(self, cut: int, end: int) -> Piece:
        whole = self._text[:cut]
        text = whole.strip().replace("\n", " ")
        skipped = len(whole) - len(whole.lstrip())
        begin, self._begin = self._begin, end
        return Piece(begin=begin, end=end, text=text, places=tuple(self._places[skipped : skipped + len(text)]))


def _letters(text: str) -> int:
    """How long it takes to say a text, in letters; signs and spaces take none."""
    return sum((WIDE_LETTERS if char >= "\u2e80" else 1) for char in text if char.isalnum())


def _word_end(text: str, at: int) -> int:
    """After the last space up to `at` that is not inside a number or after an abbreviation; 0 where there is none."""
    while (at := text.rfind(" ", 0, at)) > 0:
        before, after = text[at - 1], text[at + 1 : at + 2]
        if before not in ".&+" and not (before.isdigit() and after.isdigit()):
            return at + 1
    return 0
