"""How much of a piece of text has become sound: which characters, and when each word is heard."""

from typing import Final, NamedTuple

from duologue.engine.speakable import Piece
from duologue.model.audio import BYTES_PER_MS
from duologue.model.speech import Spoken, WordTime

TOLD_MS: Final = 1_000
"""Sound that may be made before it is told: what is told is stored, and a voice may stream every few ms."""

CHAR_MS: Final = 67
"""How long a character takes, of a voice that gives no times, until its piece is made: 15 a second are usual."""


class Made(NamedTuple):
    """Some of an answer that has become sound: places in the answer, times in its sound."""

    begin: int
    end: int
    begin_ms: int
    duration_ms: int
    words: tuple[WordTime, ...]


class Making:
    """One piece that is being made.

    Args:
        piece: of the answer.
        begin_ms: where its sound begins in the answer's.
    """

    def __init__(self, piece: Piece, begin_ms: int) -> None:
        self._piece, self._base_ms = piece, begin_ms
        self._begin, self._told_ms, self._bytes = piece.begin, 0, 0
        self._words: list[WordTime] = []
        self._timed = False

    def take(self, part: Spoken, *, played_ms: int) -> Made | None:
        """Take in what was made.

        Args:
            part: some more of the piece.
            played_ms: how much of the answer's sound has been heard.
        Returns:
            What is to be told now: at once where it is heard soon, else once there is enough of it.
        """
        self._bytes += len(part.pcm)
        if part.words:
            self._timed = True
            self._words += part.words
        made_ms = self._bytes // BYTES_PER_MS
        soon = self._timed and self._base_ms + self._told_ms - played_ms < TOLD_MS
        if made_ms == self._told_ms or not (soon or made_ms - self._told_ms >= TOLD_MS):
            return None
        count = sum(1 for word in self._words if word.begin_ms < made_ms)
        if self._timed and count:
            end = self._end(self._words[count - 1])
        elif self._timed:
            return None
        else:
            end = self._guess(made_ms)
        return self._tell(end, made_ms, count) if end > self._begin else None

    def rest(self) -> Made | None:
        """What is left to be told once all of the piece has been made; `None` where nothing is."""
        made_ms = self._bytes // BYTES_PER_MS
        if self._begin == self._piece.end and made_ms == self._told_ms:
            return None
        return self._tell(self._piece.end, made_ms, len(self._words))

    def _tell(self, end: int, made_ms: int, count: int) -> Made:
        words = tuple(self._moved(word) for word in self._words[:count])
        del self._words[:count]
        made = Made(self._begin, end, self._base_ms + self._told_ms, made_ms - self._told_ms, words)
        self._begin, self._told_ms = end, made_ms
        return made

    def _moved(self, word: WordTime) -> WordTime:
        begin, end = self._place(word)
        return WordTime(
            begin_char=begin,
            end_char=end,
            begin_ms=self._base_ms + word.begin_ms,
            end_ms=self._base_ms + word.end_ms,
        )

    def _place(self, word: WordTime) -> tuple[int, int]:
        last = len(self._piece.places)
        begin = min(max(word.begin_char, 0), last - 1)
        return self._piece.place(begin, min(max(word.end_char, begin + 1), last))

    def _end(self, word: WordTime) -> int:
        """Where a word ends; after the last one, the piece: what is left of it, such as a space, is not said."""
        rest = self._piece.text[word.end_char :]
        return self._place(word)[1] if any(map(str.isalnum, rest)) else self._piece.end

    def _guess(self, made_ms: int) -> int:
        """Where the voice may be: after a word, and not at the piece's end, which is known once it is made."""
        at = self._piece.text.rfind(" ", 0, min(made_ms // CHAR_MS, len(self._piece.text)))
        return self._piece.places[at] if at > 0 else self._begin
