"""Every voice trigger in every situation that a session can be in."""

from typing import get_args

import pytest
from tests.unit.engine.conversation import Conversation, kinds, only, refusal

from duologue.engine import machine
from duologue.model.errors import Code
from duologue.model.events import ResponseEnded, State, StateChanged, TurnEnded
from duologue.model.inputs import CancelRequested, EndRequested, Trigger, UserTurn, VoiceTriggered
from duologue.model.replies import Accepted, Ignored

TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
COME_WITH_OTHERS: set[Trigger] = {"user_sends_text", "stt_complete", "first_token"}
RESTING: tuple[State, ...] = ("idle", "listening", "transcribing", "speaking", "error")


def resting(state: State) -> Conversation:
    """A session in a state, with no open turn."""
    talk = Conversation()
    match state:
        case "idle":
            pass
        case "listening":
            talk.pull("user_activates_mic")
        case "transcribing":
            talk.pull("user_activates_mic", "speech_end")
        case "error":
            talk.pull("error")
        case "speaking":
            talk.pull("user_activates_mic", "speech_end")
            talk.give(UserTurn(text="hello", source="voice"))
            talk.speak("hi")
            talk.finish()
        case "thinking":
            raise AssertionError("thinking comes with an open turn only")
    assert (talk.state.state, talk.state.open) == (state, None)
    return talk


def answering(state: State) -> Conversation:
    """A session whose turn is being answered."""
    talk = Conversation()
    talk.say()
    if state == "speaking":
        talk.speak("hi", " there")
    assert talk.state.state == state
    return talk


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("state", RESTING)
def test_at_rest_the_table_decides(state: State, trigger: Trigger) -> None:
    talk = resting(state)
    stepped = talk.give(VoiceTriggered(trigger=trigger))
    target = machine.target(state, trigger)
    if target is None or trigger in COME_WITH_OTHERS:
        problem = refusal(stepped.reply)
        assert problem.code is Code.ILLEGAL_TRIGGER
        assert f"in state {state}" in problem.message
        assert talk.state.state == state
    elif (state, trigger) == ("idle", "cancel"):
        assert stepped.reply == Ignored()
    else:
        changed = only(stepped.events, StateChanged)
        assert (changed.trigger, changed.previous, changed.state) == (trigger, state, target)
        assert kinds(stepped.events) == ["StateChanged"]
        assert stepped.reply == Accepted(turn=0, seq=changed.seq)
        assert stepped.effects == ()


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("state", ["thinking", "speaking"])
def test_while_an_answer_is_made_only_an_end_to_it_is_possible(state: State, trigger: Trigger) -> None:
    talk = answering(state)
    stepped = talk.give(VoiceTriggered(trigger=trigger))
    possible = {"cancel", "error"} | ({"barge_in"} if state == "speaking" else set[str]())
    if trigger not in possible:
        problem = refusal(stepped.reply)
        assert problem.code is Code.ILLEGAL_TRIGGER
        assert "while the answer is being made" in problem.message
        offered = problem.message.rpartition("possible here: ")[2].split(", ")
        assert set(offered) == possible
        return
    ended, turn_ended = only(stepped.events, ResponseEnded), only(stepped.events, TurnEnded)
    assert ended.outcome == turn_ended.outcome == ("interrupted" if trigger == "barge_in" else "cancelled")
    assert talk.state.state == machine.target(state, trigger)
    assert talk.stopped == ["response-1"]
    assert talk.state.open is None


def test_barge_in_shows_the_move_after_the_end_of_the_turn() -> None:
    talk = answering("speaking")
    stepped = talk.pull("barge_in")
    assert kinds(stepped.events) == ["TextCompleted", "ResponseEnded", "TurnEnded", "StateChanged"]
    changed = only(stepped.events, StateChanged)
    assert (changed.previous, changed.state, changed.turn) == ("speaking", "listening", 0)
    assert stepped.reply == Accepted(turn=0, seq=stepped.events[0].seq)
    assert (talk.state.history[-1].text, talk.state.history[-1].interrupted) == ("hi there", True)


def test_cancel_at_rest_stops_listening() -> None:
    talk = resting("listening")
    stepped = talk.give(CancelRequested())
    changed = only(stepped.events, StateChanged)
    assert (changed.trigger, changed.previous, changed.state) == ("cancel", "listening", "idle")


def test_cancel_in_idle_changes_nothing() -> None:
    assert resting("idle").give(CancelRequested()).reply == Ignored()


@pytest.mark.parametrize("trigger", TRIGGERS)
def test_an_ended_session_has_no_triggers(trigger: Trigger) -> None:
    talk = resting("idle")
    talk.give(EndRequested())
    assert refusal(talk.give(VoiceTriggered(trigger=trigger)).reply).code is Code.SESSION_ENDED
