"""How a run begins, what it says, and how it ends."""

import pytest
from tests.unit.engine.conversation import Conversation, kinds, of, only

from duologue.model import limits
from duologue.model.content import Chip, Figures, Usage
from duologue.model.errors import Code
from duologue.model.events import (
    Cited,
    Noted,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    Showed,
    Suggested,
    TextCompleted,
    TextDelta,
    TextStarted,
    TurnEnded,
)
from duologue.model.inputs import (
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentInput,
    AgentNoted,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    CancelRequested,
    UserTurn,
)
from duologue.model.replies import Accepted, Ignored

FIRST = "response-1"
CHIPS = (Chip(label="Yes", text="Yes, please"),)


def items(response_id: str) -> list[AgentInput]:
    """One of each kind; the last two end the run."""
    return [
        AgentCited(response_id=response_id, title="Prices", url="/docs/prices", snippet="from 9"),
        AgentSpoke(response_id=response_id, text="one"),
        AgentSuggested(response_id=response_id, chips=CHIPS),
        AgentShowed(response_id=response_id, payload_type="card", data={"a": [1, None]}, version=2),
        AgentNoted(response_id=response_id, category="tool", message="slow", details={"ms": 9}),
        AgentFinished(response_id=response_id),
        AgentFailed(response_id=response_id, code=Code.AGENT_FAILED, message="no", retryable=True),
    ]


@pytest.fixture
def talk() -> Conversation:
    """A session whose first turn is being answered."""
    talk = Conversation()
    talk.say("hello", request_id="m-1")
    return talk


class TestText:
    def test_the_first_words_open_the_text(self, talk: Conversation) -> None:
        events = talk.speak("one")
        assert kinds(events) == ["TextStarted", "TextDelta"]
        assert only(events, TextStarted).message_id == "response-1-message"
        assert [event.state for event in events] == ["speaking", "speaking"]

    def test_lengths_count_code_points(self, talk: Conversation) -> None:
        events = talk.speak("a", "é", "🙂🙂", "x")
        assert [event.length for event in of(events, TextDelta)] == [1, 2, 4, 5]

    def test_a_token_s_event_says_all_that_the_others_say(self, talk: Conversation) -> None:
        assert only(talk.speak("one"), TextDelta) == TextDelta(
            seq=5,
            at_ms=talk.now_ms,
            state="speaking",
            turn=1,
            request_id="m-1",
            response_id=FIRST,
            message_id="response-1-message",
            text="one",
            length=3,
        )

    def test_empty_text_is_nothing_and_does_not_put_off_the_deadline(self, talk: Conversation) -> None:
        talk.now_ms += 10
        assert talk.give(AgentSpoke(response_id=FIRST, text="")).reply == Ignored()

    def test_the_whole_text_is_told_at_the_end(self, talk: Conversation) -> None:
        talk.speak("one", " ", "two")
        assert only(talk.finish().events, TextCompleted).text == "one two"

    def test_the_longest_answer_is_taken(self, talk: Conversation) -> None:
        talk.speak("x" * limits.RESPONSE_TEXT_CHARS)
        assert only(talk.finish().events, ResponseEnded).outcome == "completed"

    def test_a_longer_one_is_stopped_and_fails(self, talk: Conversation) -> None:
        talk.speak("x" * limits.RESPONSE_TEXT_CHARS)
        events = talk.speak("y")
        assert kinds(events) == ["ResponseFailed", "TurnEnded"]
        failed = only(events, ResponseFailed)
        assert (failed.code, failed.retryable) == (Code.AGENT_TOO_LONG, False)
        assert talk.stopped == [FIRST]
        assert talk.state.history[-1].interrupted


class TestOtherItems:
    def test_each_item_becomes_its_event(self, talk: Conversation) -> None:
        for item in items(FIRST)[:5]:
            talk.give(item)
        cited = only(talk.events, Cited)
        assert (cited.title, cited.url, cited.snippet) == ("Prices", "/docs/prices", "from 9")
        assert only(talk.events, Suggested).chips == CHIPS
        showed = only(talk.events, Showed)
        assert (showed.payload_type, showed.data, showed.version) == ("card", {"a": [1, None]}, 2)
        noted = only(talk.events, Noted)
        assert (noted.category, noted.message, noted.details) == ("tool", "slow", {"ms": 9})

    def test_only_text_and_what_is_shown_begin_to_speak(self, talk: Conversation) -> None:
        cited, _, suggested, showed, noted, *_ = items(FIRST)
        for item in (cited, suggested, noted):
            talk.give(item)
            assert talk.state.state == "thinking"
        talk.give(showed)
        assert talk.state.state == "speaking"

    def test_an_answer_may_be_something_shown_alone(self, talk: Conversation) -> None:
        talk.give(items(FIRST)[3], after_ms=100)
        stepped = talk.finish(after_ms=100)
        assert kinds(stepped.events) == ["ResponseEnded", "TurnEnded"]
        figures = only(stepped.events, ResponseEnded).figures
        assert (figures.ttft_ms, figures.tps, figures.quality_pass) == (None, 0.0, True)

    def test_text_after_something_shown_is_measured_from_the_text(self, talk: Conversation) -> None:
        talk.give(items(FIRST)[3], after_ms=100)
        talk.speak("one", after_ms=400)
        figures = only(talk.finish(after_ms=500).events, ResponseEnded).figures
        assert (figures.ttft_ms, figures.tps) == (500, 2.0)

    def test_what_is_shown_between_words_does_not_begin_again(self, talk: Conversation) -> None:
        talk.speak("one")
        talk.give(items(FIRST)[3])
        assert kinds(talk.speak("two")) == ["TextDelta"]


class TestEnd:
    def test_a_whole_answer(self, talk: Conversation) -> None:
        talk.speak("one", " two", after_ms=250)
        stepped = talk.finish(after_ms=500)
        assert kinds(stepped.events) == ["TextCompleted", "ResponseEnded", "TurnEnded"]
        figures = Figures(ttft_ms=250, duration_ms=1_000, total_tokens=2, tps=2.67, quality_pass=True, language="en")
        ended, turn_ended = only(stepped.events, ResponseEnded), only(stepped.events, TurnEnded)
        assert (ended.outcome, ended.figures) == ("completed", figures)
        assert (turn_ended.outcome, turn_ended.figures, turn_ended.turn) == ("completed", figures, 1)
        assert (turn_ended.text, turn_ended.answer) == ("hello", "one two")
        assert only(stepped.events, TextCompleted).whole
        assert stepped.effects == ()
        assert (talk.state.state, talk.state.open) == ("idle", None)

    def test_the_agent_s_word_on_tokens_and_confidence_is_taken(self, talk: Conversation) -> None:
        talk.speak("I do not know")
        figures = only(talk.finish(total_tokens=9, confident=False).events, TurnEnded).figures
        assert (figures.total_tokens, figures.quality_pass) == (9, False)

    @pytest.mark.parametrize("before", [[], [0], [2], [4], [0, 2, 4]])
    def test_an_answer_without_anything_for_the_person_is_a_failure(
        self, talk: Conversation, before: list[int]
    ) -> None:
        for number in before:
            talk.give(items(FIRST)[number])
        stepped = talk.finish()
        failed = only(stepped.events, ResponseFailed)
        assert (failed.code, failed.retryable, failed.will_retry) == (Code.AGENT_EMPTY, True, False)
        assert only(stepped.events, TurnEnded).outcome == "failed"
        assert talk.state.state == "error"

    def test_a_client_that_plays_reports_the_end_itself(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic", "speech_end")
        talk.give(UserTurn(text="hello", source="voice"))
        talk.speak("one")
        talk.finish()
        assert (talk.state.state, talk.state.open) == ("speaking", None)
        talk.pull("tts_complete")
        assert talk.state.state == "idle"

    def test_a_failure_keeps_the_agent_s_word(self, talk: Conversation) -> None:
        talk.speak("one")
        stepped = talk.give(AgentFailed(response_id=FIRST, code=Code.AGENT_TRUNCATED, message="cut", retryable=True))
        assert kinds(stepped.events) == ["ResponseFailed", "TurnEnded"]
        failed = only(stepped.events, ResponseFailed)
        assert (failed.code, failed.message, failed.retryable) == (Code.AGENT_TRUNCATED, "cut", True)
        assert [event.state for event in stepped.events] == ["error", "error"]
        turn_ended = only(stepped.events, TurnEnded)
        assert (turn_ended.figures.quality_pass, turn_ended.answer) == (False, "one")
        assert stepped.effects == ()


class TestCancel:
    @pytest.mark.parametrize("response_id", [None, FIRST])
    def test_a_cancelled_answer_keeps_its_text(self, talk: Conversation, response_id: str | None) -> None:
        talk.speak("one", " two")
        stepped = talk.give(CancelRequested(response_id=response_id))
        assert kinds(stepped.events) == ["TextCompleted", "ResponseEnded", "TurnEnded"]
        turn_ended = only(stepped.events, TurnEnded)
        assert (turn_ended.outcome, turn_ended.answer) == ("cancelled", "one two")
        assert not only(stepped.events, TextCompleted).whole
        assert stepped.reply == Accepted(turn=1, seq=stepped.events[0].seq)
        assert talk.stopped == [FIRST]
        assert talk.state.state == "idle"

    def test_a_cancel_of_another_answer_changes_nothing(self, talk: Conversation) -> None:
        talk.say("again")
        assert talk.give(CancelRequested(response_id=FIRST)).reply == Ignored()

    def test_a_cancel_with_nothing_to_cancel_changes_nothing(self) -> None:
        talk = Conversation()
        assert talk.give(CancelRequested()).reply == Ignored()
        talk.pull("user_activates_mic")
        assert talk.give(CancelRequested(response_id=FIRST)).reply == Ignored()

    def test_case_9b_stop_is_final(self, talk: Conversation) -> None:
        """The stream is aborted, the outcome is cancelled, the partial text stays, nothing starts again."""
        talk.speak("one", " two")
        talk.give(CancelRequested())
        for item in items(FIRST):
            assert talk.give(item).reply == Ignored()
        assert only(talk.events, TextCompleted).text == "one two"
        assert only(talk.events, TurnEnded).outcome == "cancelled"
        assert [(message.text, message.interrupted) for message in talk.state.history] == [
            ("hello", False),
            ("one two", True),
        ]
        assert len(talk.requests) == 1


class TestLate:
    @pytest.mark.parametrize("number", range(7))
    def test_what_an_old_run_says_is_ignored(self, talk: Conversation, number: int) -> None:
        talk.say("again")
        assert talk.give(items(FIRST)[number], after_ms=5).reply == Ignored()
        talk.speak("two")
        assert talk.give(items(FIRST)[number], after_ms=5).reply == Ignored()

    @pytest.mark.parametrize("number", range(7))
    def test_what_comes_after_the_end_is_ignored(self, talk: Conversation, number: int) -> None:
        talk.speak("one")
        talk.finish()
        assert talk.give(items(FIRST)[number]).reply == Ignored()

    def test_response_ids_are_never_used_twice(self, talk: Conversation) -> None:
        for _ in range(3):
            talk.say("again")
        started = [event.response_id for event in of(talk.events, ResponseStarted)]
        assert started == [request.response_id for request in talk.requests]
        assert started == ["response-1", "response-2", "response-3", "response-4"]


class TestCase10:
    """The agent fails: an error event and the error state, no invented success, and the next turn works."""

    @pytest.mark.parametrize("code", [Code.AGENT_TRUNCATED, Code.AGENT_FAILED, Code.AGENT_SILENT])
    def test_the_agent_fails(self, talk: Conversation, code: Code) -> None:
        talk.speak("half")
        talk.give(AgentFailed(response_id=FIRST, code=code, message="no", retryable=True))
        assert talk.state.state == "error"
        talk.exchange("and now?", "fine")
        assert [event.outcome for event in of(talk.events, TurnEnded)] == ["failed", "completed"]
        assert only(talk.events, ResponseFailed).code is code
        assert only(talk.events, ResponseEnded).turn == 2
        assert talk.state.state == "idle"


def test_what_the_agent_cancels_is_neither_a_success_nor_a_failure(talk: Conversation) -> None:
    talk.speak("one")
    usage = (Usage(output_tokens=7),)
    events = talk.give(AgentCancelled(response_id=FIRST, usage=usage)).events
    assert kinds(events) == ["TextCompleted", "ResponseEnded", "TurnEnded"]
    ended = only(events, ResponseEnded)
    assert (ended.outcome, ended.figures.usage, ended.figures.total_tokens) == ("cancelled", usage, 7)
    assert not only(events, TextCompleted).whole and not ended.figures.quality_pass
    assert talk.state.history[-1].interrupted
    talk.exchange("and again", "two")
    assert of(talk.events, TurnEnded)[-1].outcome == "completed"
