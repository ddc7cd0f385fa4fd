"""Which sounds of a text belong to which of its words. Runs in the worker's process; without I/O."""

import unicodedata
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from duologue.engine.word_times import word_ranges


class WordStarts:
    """Where in the phonemes of a text its words begin.

    Phonemes of a whole sentence differ from those of its words by themselves (`the` before a vowel, `42` as two words,
    `in the` as one), so the two sequences are laid side by side, and each word begins where its own phonemes do.

    Args:
        text: what is spoken.
        sentences: its phonemes, as they are spoken.
        phonemes_of: gives the phonemes of a word by itself.
    """

    def __init__(
        self, text: str, sentences: Sequence[Sequence[str]], phonemes_of: Callable[[str], Sequence[Sequence[str]]]
    ) -> None:
        self.ranges = word_ranges(text)
        self._spoken = [
            (sentence, place)
            for sentence, phonemes in enumerate(sentences)
            for place, phoneme in enumerate(phonemes)
            if _is_sound(phoneme)
        ]
        spoken = [sentences[sentence][place] for sentence, place in self._spoken]
        words = [
            [phoneme for part in phonemes_of(text[begin:end]) for phoneme in part if _is_sound(phoneme)]
            for begin, end in self.ranges
        ]
        self._starts = _starts(spoken, words)

    def in_sentence(self, sentence: int) -> list[tuple[int, int, int]]:
        """The words that begin in a sentence: which word, its first phoneme, and that after its last one."""
        found: list[tuple[int, int, int]] = []
        for word, start in enumerate(self._starts):
            if start >= len(self._spoken) or self._spoken[start][0] != sentence:
                continue
            after = self._starts[word + 1] if word + 1 < len(self._starts) else len(self._spoken)
            last = max(start, after - 1)
            while self._spoken[last][0] != sentence:
                last -= 1
            found.append((word, self._spoken[start][1], self._spoken[last][1] + 1))
        return found


def _is_sound(phoneme: str) -> bool:
    """Whether it is a vowel or a consonant, and not stress, length, a gap or punctuation."""
    return unicodedata.category(phoneme[0]) in ("Ll", "Lu", "Lo")


def _starts(spoken: Sequence[str], words: Sequence[Sequence[str]]) -> list[int]:
    """For each word, the index in `spoken` where it begins; rising."""
    alone = [phoneme for word in words for phoneme in word]
    blocks = SequenceMatcher(None, alone, spoken, autojunk=False).get_matching_blocks()
    starts: list[int] = []
    place = block = 0
    for word in words:
        while blocks[block].a + blocks[block].size <= place and block + 1 < len(blocks):
            block += 1
        # Inside a matching block, and before it, places correspond one to one, as far as can be said.
        start = blocks[block].b + place - blocks[block].a
        starts.append(min(max(start, starts[-1] if starts else 0), len(spoken)))
        place += len(word)
    return starts
