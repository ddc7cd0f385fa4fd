"""When a run is taken to be stuck."""

import pytest
from tests.unit.engine.conversation import RESPONSE_MS, SILENCE_MS, START_MS, Conversation, kinds, only

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.errors import Code
from duologue.model.events import ResponseFailed, TurnEnded
from duologue.model.inputs import AgentCited, AgentSpoke, CancelRequested, DeadlinePassed
from duologue.model.replies import Ignored


def test_nothing_is_waited_for_without_a_run() -> None:
    talk = Conversation()
    assert next_deadline_ms(talk.state) is None
    talk.say()
    talk.give(CancelRequested())
    assert next_deadline_ms(talk.state) is None
    assert talk.give(DeadlinePassed(), after_ms=10 * RESPONSE_MS).reply == Ignored()


def test_a_silent_run_fails_at_its_deadline_and_not_before() -> None:
    talk = Conversation()
    talk.say()
    assert next_deadline_ms(talk.state) == START_MS + SILENCE_MS
    assert talk.give(DeadlinePassed(), after_ms=SILENCE_MS - 1).reply == Ignored()
    stepped = talk.give(DeadlinePassed(), after_ms=1)
    assert kinds(stepped.events) == ["ResponseFailed", "TurnEnded"]
    failed = only(stepped.events, ResponseFailed)
    assert (failed.code, failed.retryable) == (Code.AGENT_SILENT, True)
    assert failed.message == "the agent said nothing for 30 s"
    assert only(stepped.events, TurnEnded).outcome == "failed"
    assert talk.stopped == ["response-1"]
    assert talk.state.state == "error"


def test_every_item_puts_the_deadline_off() -> None:
    talk = Conversation()
    talk.say()
    talk.speak("one", after_ms=SILENCE_MS - 1)
    assert next_deadline_ms(talk.state) == talk.now_ms + SILENCE_MS
    cited = AgentCited(response_id=talk.response_id, title="t", url="/t")
    talk.give(cited, after_ms=SILENCE_MS - 1)
    assert next_deadline_ms(talk.state) == talk.now_ms + SILENCE_MS


def test_what_is_not_stored_puts_nothing_off() -> None:
    talk = Conversation()
    talk.say()
    talk.give(AgentSpoke(response_id=talk.response_id, text=""), after_ms=SILENCE_MS - 1)
    assert next_deadline_ms(talk.state) == START_MS + SILENCE_MS


def test_an_endless_run_fails_however_much_it_says() -> None:
    talk = Conversation()
    talk.say()
    for _ in range(9):
        talk.speak("more", after_ms=RESPONSE_MS // 10)
    assert next_deadline_ms(talk.state) == START_MS + RESPONSE_MS
    assert talk.give(DeadlinePassed(), after_ms=RESPONSE_MS // 10 - 1).reply == Ignored()
    failed = only(talk.give(DeadlinePassed(), after_ms=1).events, ResponseFailed)
    assert (failed.code, failed.retryable) == (Code.AGENT_TOO_LONG, False)
    assert failed.message == "the agent did not finish its answer within 100 s"


def test_a_new_run_has_its_own_deadlines() -> None:
    talk = Conversation()
    talk.say()
    talk.say("again", after_ms=SILENCE_MS - 1)
    assert next_deadline_ms(talk.state) == talk.now_ms + SILENCE_MS


@pytest.mark.parametrize("back_ms", [1, SILENCE_MS, 10**12])
def test_a_clock_that_goes_back_passes_no_deadline(back_ms: int) -> None:
    talk = Conversation()
    talk.say()
    talk.speak("one", after_ms=5)
    assert talk.give(DeadlinePassed(), after_ms=-back_ms).reply == Ignored()
