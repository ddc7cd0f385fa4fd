"""The journal turn by turn, from what the engine really gives."""

from tests.conformance.protocols.spoken import SPOKEN
from tests.unit.engine.conversation import START_MS, Conversation

from duologue.model.errors import Code
from duologue.model.inputs import AgentFailed, CancelRequested, ServerRestarted, UserTurn
from duologue.server.looking.timeline import Timeline, TurnRow


def turns(conversation: Conversation) -> list[TurnRow]:
    timeline = Timeline()
    for record in conversation.records:
        timeline.add(record.events)
    return timeline.turns


def test_a_turn_has_its_times_and_its_figures() -> None:
    conversation = Conversation()
    conversation.say("hello", after_ms=10)
    conversation.speak("Good ", after_ms=200)
    conversation.speak("day", after_ms=50)
    conversation.finish(after_ms=40)
    (turn,) = turns(conversation)
    (run,) = turn.responses
    begun = START_MS + 10
    assert (turn.accepted_at, turn.ended_at, turn.outcome) == (begun, begun + 290, "completed")
    assert (run.started_at, run.first_text_at, run.ended_at) == (begun, begun + 200, begun + 290)
    assert turn.figures is not None and turn.figures == run.figures
    assert (turn.figures.ttft_ms, turn.figures.duration_ms) == (200, 290)
    assert (turn.answer, run.characters, run.outcome) == ("Good day", 8, "completed")


def test_a_turn_names_its_protocol_where_that_is_known() -> None:
    conversation = Conversation()
    for protocol in ("agentcall", ""):
        conversation.give(UserTurn(text="hello", protocol=protocol))
        conversation.speak("yes")
        conversation.finish()
    assert [turn.protocol for turn in turns(conversation)] == ["agentcall", ""]


def test_an_answer_that_runs_shows_what_came() -> None:
    conversation = Conversation()
    conversation.say("hello")
    conversation.speak("Good ", "d")
    (turn,) = turns(conversation)
    assert (turn.answer, turn.outcome, turn.figures) == ("Good d", None, None)
    assert turn.responses[0].outcome is None
    conversation.give(CancelRequested())
    (turn,) = turns(conversation)
    assert (turn.answer, turn.outcome, turn.responses[0].outcome) == ("Good d", "cancelled", "cancelled")


def test_a_lost_run_stands_before_the_one_that_took_its_place() -> None:
    conversation = Conversation()
    conversation.say("hello")
    conversation.speak("Half an")
    conversation.give(ServerRestarted(), after_ms=5)
    conversation.speak("All of it")
    conversation.finish()
    conversation.say("again")
    failure = AgentFailed(response_id=conversation.response_id, code=Code.AGENT_FAILED, message="no", retryable=False)
    conversation.give(failure)
    first, second = turns(conversation)
    lost, whole = first.responses
    assert (lost.outcome, lost.code, lost.will_retry, lost.attempt) == ("failed", Code.RUN_LOST, True, 1)
    assert (whole.outcome, whole.attempt, first.answer) == ("completed", 2, "All of it")
    assert (second.outcome, second.answer, second.responses[0].message) == ("failed", "", "no")
    assert first.last_sequence < second.first_sequence


def test_a_spoken_turn_has_what_it_waited_for_and_until_when_it_was_spoken() -> None:
    (turn,) = turns(SPOKEN["exchange"]())
    assert (turn.source, turn.answer, turn.heard) == ("voice", "We open at ten.", None)
    assert turn.latency is not None
    assert (turn.latency.transcriber_ms, turn.latency.total_ms) == (290, 700)
    (run,) = turn.responses
    assert run.made_at is not None and run.ended_at is not None
    assert run.started_at < run.made_at < run.ended_at


def test_of_an_answer_that_was_cut_short_stands_what_was_heard() -> None:
    for name in ("interrupted", "interrupted once made"):
        cut = turns(SPOKEN[name]())[0]
        assert (cut.outcome, cut.answer, cut.heard, cut.heard_estimated) == ("interrupted", "one two", 7, True)


def test_a_turn_that_grew_shows_all_that_was_said_and_the_run_that_was_given_up() -> None:
    (turn,) = turns(SPOKEN["extended"]())
    assert turn.text == "I would like a cake"
    assert [run.superseded for run in turn.responses] == [True, False]
