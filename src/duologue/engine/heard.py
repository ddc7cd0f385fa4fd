"""Heard, not generated: how much of a spoken answer the person has heard.

The measure is words: one counts once it begins to be heard. What is remembered of an answer that is cut short ends
with the last such word, and never within a character as people see it.
"""

from duologue.engine import graphemes, word_times
from duologue.engine.call_state import DueWord, Speaking
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn
from duologue.model.events import SpeechPrepared, WordSpoken
from duologue.model.inputs import Played, SpeechMade


def audible(turn: OpenTurn | None) -> Speaking | None:
    """How a turn is spoken; `None` where it is not."""
    if turn is None or turn.voice is None or not turn.voice.audible:
        return None
    return turn.voice


def so_far(turn: OpenTurn) -> int | None:
    """How many characters of the answer have been heard; `None` where it is not spoken."""
    voice = audible(turn)
    return None if voice is None else voice.heard


def anew(step: Progress, voice: Speaking) -> None:
    """Nothing has been heard of the answer that follows, as another takes the place of the one that was spoken."""
    voice.made, voice.words, voice.heard, voice.whole = 0, [], 0, None
    voice.progress_ms = step.now_ms


def spoken_as(step: Progress, call_id: str, response_id: str) -> Speaking | None:
    """How the open response is spoken; `None` where it is another's, or another call's."""
    turn = step.state.open
    voice = audible(turn)
    if turn is None or voice is None or voice.held or voice.call_id != call_id:
        return None
    return voice if turn.response.response_id == response_id else None


def made(step: Progress, piece: SpeechMade) -> bool:
    """Take a piece of the answer that has become sound; false where it fits nowhere."""
    voice = spoken_as(step, piece.call_id, piece.response_id)
    if voice is None:
        return False
    response = step.open_turn().response
    if not (voice.made <= piece.begin <= piece.end <= response.length):
        return False
    if piece.begin_ms < 0 or piece.duration_ms < 0:
        return False
    answer = "".join(response.pieces)
    # A voice that gives times gives none of what it does not say, such as a space or a full stop.
    guessed = not piece.words and any(map(str.isalnum, answer[piece.begin : piece.end]))
    estimated = piece.estimated or guessed
    if voice.first_sound_ms is None:
        voice.first_sound_ms, voice.voice_ms = step.now_ms, max(0, piece.latency_ms)
    voice.words.extend(_due(answer, piece))
    voice.made, voice.progress_ms = piece.end, step.now_ms
    voice.estimated = voice.estimated or estimated
    step.emit(
        SpeechPrepared,
        call_id=piece.call_id,
        response_id=piece.response_id,
        begin=piece.begin,
        end=piece.end,
        begin_ms=piece.begin_ms,
        duration_ms=piece.duration_ms,
        estimated=estimated,
    )
    return True


def _due(answer: str, piece: SpeechMade) -> list[DueWord]:
    if piece.words:
        times = [(one.begin_char, one.end_char, one.begin_ms) for one in piece.words]
    else:
        guessed = word_times.estimated(answer[piece.begin : piece.end], piece.duration_ms)
        times = [
            (piece.begin + one.begin_char, piece.begin + one.end_char, piece.begin_ms + one.begin_ms) for one in guessed
        ]
    words: list[DueWord] = []
    at, at_ms = piece.begin, piece.begin_ms
    for begin, end, begin_ms in times:
        # A voice that contradicts itself or the text is not believed further than both go.
        begin = max(at, begin)
        end = _whole(answer, min(end, piece.end))
        if begin < end:
            at, at_ms = end, max(at_ms, begin_ms)
            words.append(DueWord(word=answer[begin:end], begin=begin, end=end, begin_ms=at_ms))
    return words


def _whole(answer: str, place: int) -> int:
    """The next place from this one on that parts no character."""
    while not graphemes.may_cut(answer, place):
        place += 1
    return place


def played(step: Progress, progress: Played) -> bool:
    """Take how far playback is; false where no word has begun since."""
    voice = spoken_as(step, progress.call_id, progress.response_id)
    if voice is None:
        return False
    begun = 0
    while begun < len(voice.words) and voice.words[begun].begin_ms < progress.played_ms:
        begun += 1
    _hear(step, voice, begun)
    return begun > 0


def all_played(step: Progress, voice: Speaking) -> None:
    """The person has heard all of the answer, also what no sound stands for."""
    _hear(step, voice, len(voice.words))
    voice.heard = step.open_turn().response.length


def _hear(step: Progress, voice: Speaking, count: int) -> None:
    response_id = step.open_turn().response.response_id
    for word in voice.words[:count]:
        voice.heard = max(voice.heard, word.end)
        step.emit(
            WordSpoken,
            call_id=voice.call_id,
            response_id=response_id,
            word=word.word,
            begin=word.begin,
            end=word.end,
            language=step.state.language,
            estimated=voice.estimated,
        )
    if count:
        del voice.words[:count]
        voice.progress_ms = step.now_ms
