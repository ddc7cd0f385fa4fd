"""What becomes of a run that the server's end has cut."""

from tests.unit.engine.conversation import Conversation, kinds, of, only

from duologue.model import limits
from duologue.model.errors import Code
from duologue.model.events import (
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    TextCompleted,
    TurnAccepted,
    TurnEnded,
)
from duologue.model.inputs import AgentSpoke, EndRequested, ServerRestarted
from duologue.model.replies import Ignored


def test_without_a_run_nothing_was_lost() -> None:
    talk = Conversation()
    assert talk.give(ServerRestarted()).reply == Ignored()
    talk.pull("user_activates_mic")
    assert talk.give(ServerRestarted()).reply == Ignored()
    talk.exchange("hello", "hi")
    talk.give(EndRequested())
    assert talk.give(ServerRestarted()).reply == Ignored()


def test_a_cut_run_fails_visibly_and_runs_again_under_a_new_id() -> None:
    talk = Conversation()
    talk.say("hello")
    talk.speak("half an")
    stepped = talk.give(ServerRestarted())
    assert kinds(stepped.events) == ["ResponseFailed", "ResponseStarted"]
    failed, started = only(stepped.events, ResponseFailed), only(stepped.events, ResponseStarted)
    assert (failed.code, failed.response_id, failed.will_retry) == (Code.RUN_LOST, "response-1", True)
    assert (started.response_id, started.attempt, started.turn) == ("response-2", 2, 1)
    assert [event.state for event in stepped.events] == ["error", "thinking"]
    assert kinds(stepped.effects) == ["RunAgent"]


def test_the_second_run_is_asked_the_same() -> None:
    talk = Conversation()
    talk.exchange("before", "yes")
    talk.say("hello")
    talk.speak("half an")
    talk.give(ServerRestarted())
    first, again = talk.requests[-2:]
    assert (again.text, again.history, again.turn) == (first.text, first.history, first.turn)
    assert again.response_id != first.response_id


def test_the_answer_is_that_of_the_second_run_alone() -> None:
    talk = Conversation()
    talk.say("hello")
    talk.speak("half an")
    talk.give(ServerRestarted(), after_ms=1_000)
    assert talk.give(AgentSpoke(response_id="response-1", text=" answer")).reply == Ignored()
    talk.speak("whole", after_ms=40)
    talk.finish()
    assert only(talk.events, TextCompleted).text == "whole"
    assert only(talk.events, ResponseEnded).figures.ttft_ms == 40
    assert (only(talk.events, TurnEnded).outcome, len(of(talk.events, TurnAccepted))) == ("completed", 1)
    assert [message.text for message in talk.state.history] == ["hello", "whole"]


def test_a_turn_that_kills_the_server_is_given_up() -> None:
    talk = Conversation()
    talk.say("hello")
    for _ in range(limits.RUN_ATTEMPTS):
        talk.speak("boom")
        talk.give(ServerRestarted())
    failed = of(talk.events, ResponseFailed)
    assert [event.will_retry for event in failed] == [True] * (limits.RUN_ATTEMPTS - 1) + [False]
    assert all(event.retryable for event in failed)
    assert len(talk.requests) == limits.RUN_ATTEMPTS
    ended = only(talk.events, TurnEnded)
    assert (ended.outcome, ended.response_id) == ("failed", f"response-{limits.RUN_ATTEMPTS}")
    assert talk.state.state == "error"
    talk.exchange("something else", "fine")
    assert talk.state.state == "idle"


def test_the_next_turn_has_all_its_attempts() -> None:
    talk = Conversation()
    talk.say("a")
    talk.give(ServerRestarted())
    talk.say("b")
    assert talk.open_turn.response.attempt == 1
