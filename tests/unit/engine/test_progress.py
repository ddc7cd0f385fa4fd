"""How one event is made, and how the machine is moved."""

import pytest
from tests.unit.engine.conversation import Conversation

from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model.events import Noted, SessionEnded


def test_number_time_and_state_are_filled_in() -> None:
    step = Progress(SessionState(seq=7, state="listening"), now_ms=5)
    step.emit(SessionEnded, reason="user")
    assert step.events == [SessionEnded(seq=8, at_ms=5, state="listening", reason="user")]
    assert step.state.seq == 8


def test_the_open_turn_is_filled_in() -> None:
    talk = Conversation()
    talk.say(request_id="m-1")
    step = Progress(talk.state, now_ms=talk.now_ms)
    step.emit(Noted, response_id="response-1", category="c", message="m")
    assert (step.events[0].turn, step.events[0].request_id) == (1, "m-1")


def test_two_steps_share_no_list() -> None:
    state = SessionState()
    one, two = Progress(state, now_ms=1), Progress(state, now_ms=1)
    one.emit(SessionEnded, reason="user")
    assert two.events == []


def test_an_illegal_move_fails_the_session() -> None:
    with pytest.raises(AssertionError, match="first_token is not legal in idle"):
        Progress(SessionState(), now_ms=1).move("first_token")


def test_without_an_open_turn_there_is_none_to_give() -> None:
    with pytest.raises(AssertionError, match="no turn is open"):
        Progress(SessionState(), now_ms=1).open_turn()
