"""What is told of a piece that becomes sound."""

from duologue.engine.speakable import Piece, Speakable
from duologue.model.audio import BYTES_PER_MS
from duologue.model.speech import Spoken, WordTime
from duologue.runtime.voice.making import Making


def first_piece(answer: str) -> Piece:
    """The first piece of an answer."""
    return Speakable().feed(answer)[0]


def spoken(ms: int, *words: tuple[int, int, int]) -> Spoken:
    """So much sound; words by first and last place and by when they begin."""
    times = tuple(
        WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=begin_ms) for begin, end, begin_ms in words
    )
    return Spoken(pcm=bytes(ms * BYTES_PER_MS), words=times)


def test_a_voice_that_tells_its_words_has_told_the_piece_with_the_last_of_them() -> None:
    making = Making(first_piece("Of course. I can."), 0)
    made = making.take(spoken(600, (0, 2, 0), (3, 10, 200)), played_ms=0)
    assert made is not None
    assert (made.begin, made.end, made.duration_ms) == (0, 11, 600), "the space behind it is not said"
    assert [(word.begin_char, word.end_char) for word in made.words] == [(0, 2), (3, 10)]
    assert making.rest() is None, "nothing is left that would have to be estimated"


def test_what_a_voice_has_not_come_to_is_told_later() -> None:
    making = Making(first_piece("Of course. I can."), 0)
    first = making.take(spoken(200, (0, 2, 0)), played_ms=0)
    assert first is not None
    assert (first.begin, first.end) == (0, 2)
    second = making.take(spoken(400, (3, 10, 200)), played_ms=0)
    assert second is not None
    assert (second.begin, second.end, second.begin_ms, second.duration_ms) == (2, 11, 200, 400)


def test_of_a_voice_without_times_the_piece_is_told_once_it_is_made() -> None:
    making = Making(first_piece("Of course. I can."), 0)
    assert making.take(spoken(600), played_ms=0) is None
    rest = making.rest()
    assert rest is not None
    assert (rest.begin, rest.end, rest.duration_ms, rest.words) == (0, 11, 600, ())
