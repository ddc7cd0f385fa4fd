"""Words that come before the answer has begun: the person had not finished, so they extend the turn.

The run is given up with the first such word, as long as nothing of it was shown and it called no tool; what it is
asked instead is decided when they have finished. Else the words are a turn of their own.
"""

from duologue.engine import backchannels, endings, spoken_words
from duologue.engine.call_state import Call, Utterance
from duologue.engine.progress import Progress
from duologue.engine.state import OpenTurn


def weigh(step: Progress, call: Call, utterance: Utterance) -> None:
    """Give up the run of the turn that is open, where words came that belong to the turn."""
    turn = step.state.open
    if turn is None or step.state.state != "thinking" or not _extendable(turn, call):
        return
    words = utterance.so_far
    if words and not only_listens(call, words, step.state.language):
        endings.supersede(step)


def _extendable(turn: OpenTurn, call: Call) -> bool:
    voice, response = turn.voice, turn.response
    if voice is None or voice.held or voice.call_id != call.call_id or call.rules.mode != "open":
        return False
    return turn.said.source == "voice" and not (response.pieces or response.shown or response.calls or response.waiting)


def only_listens(call: Call, words: str, language: str) -> bool:
    """Whether the words only show that somebody listens."""
    return spoken_words.only_backchannels(words, backchannels.in_language(call.rules.backchannels, language))
