"""Barge-in: who speaks over the assistant interrupts it once they have spoken for long enough.

Shorter speech lets it go on: from where it fell silent meanwhile, or without having paused. So do words that only show
that somebody listens. With `sticky`, time alone decides; without, words are needed as well, and until they come the
assistant is only silent. Once it counts, nothing more of the answer is heard anywhere, also where all of it had been
made and sent; what is remembered of it is what was heard.
"""

from duologue.engine import approvals, assent, endings, listening, speaking
from duologue.engine.call_state import Call, Utterance
from duologue.engine.extending import only_listens
from duologue.engine.heard import audible
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.events import BargedIn, SpeechIgnored
from duologue.model.voice_events import WhyIgnored


def begun(step: Progress) -> None:
    """Somebody begins to speak over the answer."""
    speaking.give_way(step)


def due_ms(state: SessionState, call: Call, utterance: Utterance) -> int | None:
    """When speech over the answer has lasted for long enough; `None` where that decides nothing."""
    rules = call.rules
    if state.state != "speaking" or audible(state.open) is None or not rules.barge_in:
        return None
    if not utterance.speaking or utterance.tolerated:
        return None
    if not rules.sticky and not utterance.so_far and call.paused:
        return None
    return utterance.spoke_ms + rules.min_speech_ms


def lasted(step: Progress, call: Call, utterance: Utterance) -> None:
    """They have spoken for long enough, and still do."""
    words = utterance.so_far
    if _only_listens(step, call, words):
        utterance.tolerated = True
        _tell(step, call, "backchannel", words)
        speaking.resume(step)
    elif call.rules.sticky or words:
        accept(step, call)
    else:
        speaking.pause(step)


def weigh(step: Progress, call: Call, utterance: Utterance) -> bool:
    """Decide by the words that are known now; true where they interrupt, or no answer is spoken."""
    if audible(step.state.open) is None:
        return True
    rules, words = call.rules, utterance.so_far
    spoke_ms = (step.now_ms - utterance.spoke_ms) if utterance.speaking else utterance.longest_ms
    enough = rules.barge_in and max(spoke_ms, utterance.longest_ms) >= rules.min_speech_ms
    if enough and words and not _only_listens(step, call, words):
        accept(step, call)
        return True
    if not utterance.speaking and not utterance.waits:
        ignore(step, call, "backchannel" if words and enough else "short" if words else "empty")
    return False


def stopped(step: Progress, call: Call, utterance: Utterance) -> bool:
    """They have stopped; false where that is all, true where their words are wanted."""
    rules = call.rules
    if audible(step.state.open) is None:
        return True
    if not rules.barge_in:
        ignore(step, call, "not_allowed")
        return False
    if utterance.longest_ms < rules.min_speech_ms:
        ignore(step, call, "short")
        return False
    words = utterance.so_far
    # Where words decide, the final says which.
    if (rules.sticky and not utterance.tolerated and not _only_listens(step, call, words)) or (
        words and not _only_listens(step, call, words)
    ):
        accept(step, call)
    return True


def _only_listens(step: Progress, call: Call, words: str) -> bool:
    """Whether the words only show that somebody listens; a yes or no to what is just being asked is an answer."""
    return only_listens(call, words, step.state.language) and not _answers(step.state, words)


def _answers(state: SessionState, words: str) -> bool:
    voice = audible(state.open)
    if (
        voice is None
        or voice.whole is None
        or not any(one.reason == approvals.REASON for one in voice.whole.interrupts)
    ):
        return False
    return assent.verdict(words, state.language) != "unclear"


def accept(step: Progress, call: Call) -> None:
    """Cut the answer off, and listen."""
    turn = step.open_turn()
    voice = audible(turn)
    assert voice is not None, "nothing is being spoken"
    step.move("barge_in")
    step.emit(
        BargedIn,
        call_id=call.call_id,
        response_id=turn.response.response_id,
        heard=voice.heard,
        estimated=voice.estimated,
    )
    endings.end(step, "interrupted", trigger=None)


def ignore(step: Progress, call: Call, why: WhyIgnored) -> None:
    """Let the assistant go on; what was said means nothing."""
    utterance = listening.forget(step)
    _tell(step, call, why, "" if utterance is None else utterance.so_far)
    speaking.resume(step)


def _tell(step: Progress, call: Call, why: WhyIgnored, text: str) -> None:
    response_id = step.open_turn().response.response_id
    step.emit(SpeechIgnored, call_id=call.call_id, response_id=response_id, why=why, text=text)
