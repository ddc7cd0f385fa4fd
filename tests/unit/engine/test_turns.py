"""Which turns are taken, which are repeats, which are refused."""

import pytest
from tests.unit.engine.conversation import Conversation, kinds, of, only, refusal

from duologue.model import limits
from duologue.model.content import (
    Attachment,
    ContextItem,
    NfcObservation,
    PhotoObservation,
    SpeechMetadata,
)
from duologue.model.errors import Code
from duologue.model.events import ResponseEnded, Transcribed, TurnAccepted, TurnEnded
from duologue.model.inputs import EndRequested, UserTurn
from duologue.model.replies import Accepted, Repeated

PHOTO = Attachment(upload_id="u-1", name="tree.png", media_type="image/png", size_bytes=3, sha256="0" * 64)
SEEN = PhotoObservation(photo=PHOTO, width=1, height=1, observed_at="2026-01-02T03:04:05Z")
TAG = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")


class TestRecognisedByTheClient:
    """A client's own recogniser has made a turn of what was said."""

    MEASURED = SpeechMetadata(confidence=0.9, stt_ms=120)

    def test_the_transcript_comes_before_the_turn_moves_the_state(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic", "speech_end")
        events = talk.give(UserTurn(text="hello", source="voice", speech=self.MEASURED, language="de")).events
        assert kinds(events) == ["Transcribed", "TurnAccepted", "ResponseStarted"]
        assert [event.state for event in events] == ["transcribing", "thinking", "thinking"]
        told = only(events, Transcribed)
        assert (told.text, told.final, told.confidence, told.stt_ms, told.language) == ("hello", True, 0.9, 120, "de")

    def test_a_transcript_over_an_answer_belongs_to_none_of_the_two_turns(self) -> None:
        talk = Conversation()
        talk.say()
        talk.speak("half")
        events = talk.give(UserTurn(text="stop", source="voice", speech=self.MEASURED)).events
        told = only(events, Transcribed)
        assert kinds(events)[-4:] == ["TurnEnded", "Transcribed", "TurnAccepted", "ResponseStarted"]
        assert (told.turn, told.request_id, told.state) == (0, "", "idle")

    def test_without_the_recognisers_time_there_is_none(self) -> None:
        talk = Conversation()
        events = talk.give(UserTurn(text="hello", source="voice", speech=SpeechMetadata(locale="de"))).events
        assert not of(events, Transcribed)


class TestTaken:
    def test_a_turn_is_stored_and_a_run_begins(self) -> None:
        talk = Conversation()
        stepped = talk.give(UserTurn(text="hello"))
        assert kinds(stepped.events) == ["TurnAccepted", "ResponseStarted"]
        assert stepped.reply == Accepted(turn=1, seq=2)
        assert [request.text for request in talk.requests] == ["hello"]
        assert talk.state.state == "thinking"

    def test_the_event_holds_what_was_said(self) -> None:
        speech = SpeechMetadata(engine="whisper", stable_final_ms=120)
        talk = Conversation()
        said = UserTurn(
            text="look",
            turn=3,
            request_id="m-1",
            source="voice",
            language="de-AT",
            attachments=(PHOTO,),
            observation=TAG,
            speech=speech,
        )
        assert talk.give(said).events[0] == TurnAccepted(
            seq=2,
            at_ms=talk.now_ms,
            state="thinking",
            turn=3,
            request_id="m-1",
            text="look",
            source="voice",
            language="de-AT",
            attachments=(PHOTO,),
            observation=TAG,
            speech=speech,
        )

    def test_the_agent_is_given_all_that_was_said(self) -> None:
        talk = Conversation()
        context = (ContextItem(description="page", value="/prices"),)
        talk.give(UserTurn(text="look", attachments=(PHOTO,), observation=SEEN, context=context))
        (request,) = talk.requests
        assert (request.session_id, request.subject, request.response_id) == ("s-1", "ada", "response-1")
        assert (request.context, request.attachments, request.observation) == (context, (PHOTO,), SEEN)

    def test_turns_are_numbered_on(self) -> None:
        talk = Conversation()
        for _ in range(3):
            talk.exchange("hello", "hi")
        assert [event.turn for event in of(talk.events, TurnAccepted)] == [1, 2, 3]

    def test_the_client_may_skip_numbers_and_the_next_goes_on_from_there(self) -> None:
        talk = Conversation()
        assert talk.say("a", turn=5) == Accepted(turn=5, seq=2)
        talk.finish()
        assert talk.say("b") == Accepted(turn=6, seq=talk.state.seq - 1)

    def test_a_turn_without_an_id_gets_one_from_its_number(self) -> None:
        talk = Conversation()
        talk.say(turn=4)
        assert {event.request_id for event in talk.events if event.turn} == {"turn-4"}

    def test_the_highest_number_is_taken(self) -> None:
        talk = Conversation()
        assert talk.say(turn=limits.TURN_NUMBER_MAX) == Accepted(turn=limits.TURN_NUMBER_MAX, seq=2)

    def test_the_longest_text_is_taken(self) -> None:
        assert isinstance(Conversation().say("é" * limits.TURN_TEXT_CHARS), Accepted)

    @pytest.mark.parametrize("shown", [UserTurn(text="", observation=TAG), UserTurn(text="", attachments=(PHOTO,))])
    def test_something_shown_needs_no_text(self, shown: UserTurn) -> None:
        assert isinstance(Conversation().give(shown).reply, Accepted)

    def test_the_language_stays_until_another_is_declared(self) -> None:
        talk = Conversation()
        for language in (None, "de", None, "fr"):
            talk.give(UserTurn(text="x", language=language))
        assert [event.language for event in of(talk.events, TurnAccepted)] == ["en", "de", "de", "fr"]
        assert [request.language for request in talk.requests] == ["en", "de", "de", "fr"]

    def test_the_first_words_name_the_session(self) -> None:
        talk = Conversation()
        talk.give(UserTurn(text="", observation=TAG))
        talk.say("  what \n is   this " + "x" * 100)
        talk.say("another")
        assert talk.state.title == ("what is this " + "x" * 100)[:80]


class TestRepeated:
    @pytest.mark.parametrize(
        ("first", "again"),
        [
            (UserTurn(text="hello", turn=1), UserTurn(text="hello", turn=1)),
            (UserTurn(text="hello"), UserTurn(text="hello", turn=1)),
            (UserTurn(text="hello", request_id="m"), UserTurn(text="hello", request_id="m")),
            (UserTurn(text="hello", idempotency_key="k"), UserTurn(text="hello", idempotency_key="k")),
            (
                UserTurn(text="hello", request_id="m-1", idempotency_key="k"),
                UserTurn(text="hello", request_id="m-2", idempotency_key="k"),
            ),
            (
                UserTurn(text="hello", request_id="m", language="de", context=()),
                UserTurn(
                    text="hello",
                    request_id="m",
                    language="fr",
                    context=(ContextItem(description="d", value="v"),),
                    source="voice",
                ),
            ),
        ],
    )
    def test_a_repeat_is_told_of_the_first_and_nothing_runs(self, first: UserTurn, again: UserTurn) -> None:
        talk = Conversation()
        talk.give(first)
        assert talk.give(again).reply == Repeated(turn=1, seq=2)
        talk.speak("hi")
        talk.finish()
        assert talk.give(again).reply == Repeated(turn=1, seq=2)
        assert len(talk.requests) == 1

    def test_without_a_number_or_an_id_the_same_words_are_said_twice(self) -> None:
        talk = Conversation()
        talk.exchange("yes", "ok")
        talk.exchange("yes", "ok")
        assert len(talk.requests) == 2

    def test_a_repeat_while_busy_is_no_second_turn(self) -> None:
        talk = Conversation()
        talk.say("a", request_id="m-1")
        assert talk.say("a", request_id="m-1", if_busy="refuse") == Repeated(turn=1, seq=2)

    def test_an_older_repeat_is_recognised_after_others(self) -> None:
        talk = Conversation()
        for name in "abc":
            talk.say(name, request_id=name)
        assert talk.say("a", request_id="a") == Repeated(turn=1, seq=2)

    def test_a_repeat_is_recognised_after_the_end_of_the_session(self) -> None:
        talk = Conversation()
        talk.say("a", request_id="m-1")
        talk.give(EndRequested())
        assert talk.say("a", request_id="m-1") == Repeated(turn=1, seq=2)

    def test_so_many_turns_back_a_repeat_is_recognised(self) -> None:
        talk = Conversation()
        for number in range(limits.RECENT_TURNS + 1):
            talk.say("x", request_id=f"m-{number}")
        assert talk.say("x", request_id="m-1") == Repeated(turn=2, seq=talk.state.marks[0].seq)
        assert refusal(talk.say("x", turn=1)).code is Code.TURN_STALE
        assert len(talk.state.marks) == limits.RECENT_TURNS

    def test_the_number_told_is_that_of_the_turn_s_own_event(self) -> None:
        talk = Conversation()
        talk.say("a")
        talk.speak("hi")
        accepted = talk.say("b", request_id="m-2")
        second = of(talk.events, TurnAccepted)[1]
        assert accepted == Accepted(turn=2, seq=second.seq)
        assert talk.say("b", request_id="m-2") == Repeated(turn=2, seq=second.seq)


class TestRefused:
    @pytest.mark.parametrize(
        "again",
        [
            UserTurn(text="other", turn=1),
            UserTurn(text="other", request_id="m"),
            UserTurn(text="other", idempotency_key="m"),
            UserTurn(text="hello", request_id="m", attachments=(PHOTO,)),
            UserTurn(text="hello", request_id="m", observation=TAG),
        ],
    )
    def test_other_words_under_a_known_id_are_a_conflict(self, again: UserTurn) -> None:
        talk = Conversation()
        talk.say("hello", request_id="m")
        problem = refusal(talk.give(again).reply)
        assert (problem.code, problem.turn) == (Code.TURN_CONFLICT, 1)
        assert "next turn: 2" in problem.message
        assert len(talk.requests) == 1

    def test_a_conflict_is_told_by_what_conflicts(self) -> None:
        talk = Conversation()
        talk.say("hello", request_id="m")
        assert refusal(talk.say("other", turn=1)).message.startswith("turn 1 ")
        assert refusal(talk.say("other", request_id="m")).message.startswith("message id 'm' ")

    @pytest.mark.parametrize("turn", [4, 1, 0, -1])
    def test_a_number_that_was_passed_is_stale(self, turn: int) -> None:
        talk = Conversation()
        talk.say(turn=5)
        problem = refusal(talk.say("late", turn=turn))
        assert (problem.code, problem.turn) == (Code.TURN_STALE, turn)
        assert "the next is 6" in problem.message

    @pytest.mark.parametrize("turn", [0, -1])
    def test_numbers_begin_at_one(self, turn: int) -> None:
        assert refusal(Conversation().say(turn=turn)).code is Code.TURN_STALE

    def test_a_number_beyond_the_highest_is_refused(self) -> None:
        talk = Conversation()
        problem = refusal(talk.say(turn=limits.TURN_NUMBER_MAX + 1))
        assert (problem.code, problem.limit) == (Code.BAD_MESSAGE, limits.TURN_NUMBER_MAX)
        talk.say(turn=limits.TURN_NUMBER_MAX)
        assert refusal(talk.say("next")).code is Code.BAD_MESSAGE

    def test_too_long_a_text_is_refused_with_the_limit(self) -> None:
        problem = refusal(Conversation().say("x" * (limits.TURN_TEXT_CHARS + 1)))
        assert (problem.code, problem.limit, problem.path) == (
            Code.TOO_LARGE,
            limits.TURN_TEXT_CHARS,
            "$.text",
        )

    def test_nothing_said_and_nothing_shown_is_refused(self) -> None:
        problem = refusal(Conversation().say(""))
        assert (problem.code, problem.path) == (Code.BAD_MESSAGE, "$.text")

    def test_an_interaction_that_nobody_asked_for_is_refused(self) -> None:
        problem = refusal(Conversation().give(UserTurn(text="x", interaction_id="i-1")).reply)
        assert (problem.code, problem.path) == (Code.UNKNOWN_INTERACTION, "$.interactionId")

    def test_an_ended_session_takes_no_turn(self) -> None:
        talk = Conversation()
        talk.give(EndRequested())
        assert refusal(talk.say()).code is Code.SESSION_ENDED

    def test_a_refused_turn_interrupts_nothing(self) -> None:
        talk = Conversation()
        talk.say("a")
        talk.speak("one")
        talk.say("")
        talk.say("b", turn=1)
        assert talk.open_turn.number == 1
        assert talk.stopped == []


class TestBusy:
    def test_a_client_that_waits_is_refused_while_an_answer_is_made(self) -> None:
        talk = Conversation()
        talk.say("a")
        problem = refusal(talk.say("b", if_busy="refuse"))
        assert (problem.code, problem.turn, problem.retryable) == (Code.BUSY, 1, True)
        talk.finish()
        assert isinstance(talk.say("b", if_busy="refuse"), Accepted)

    def test_others_interrupt(self) -> None:
        talk = Conversation()
        talk.say("a")
        talk.speak("one", " two")
        stepped = talk.give(UserTurn(text="b"))
        assert kinds(stepped.events) == [
            "TextCompleted",
            "ResponseEnded",
            "TurnEnded",
            "TurnAccepted",
            "ResponseStarted",
        ]
        assert kinds(stepped.effects) == ["StopAgent", "RunAgent"]
        assert only(stepped.events, ResponseEnded).outcome == "interrupted"
        assert only(stepped.events, TurnEnded).turn == 1
        assert [event.turn for event in stepped.events] == [1, 1, 1, 2, 2]

    def test_a_run_is_interrupted_before_it_said_anything(self) -> None:
        talk = Conversation()
        talk.say("a")
        stepped = talk.give(UserTurn(text="b"))
        assert kinds(stepped.events) == ["ResponseEnded", "TurnEnded", "TurnAccepted", "ResponseStarted"]


class TestStates:
    def test_a_transcribed_turn_comes_from_transcribing(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic", "speech_end")
        talk.give(UserTurn(text="hello", source="voice"))
        assert talk.state.state == "thinking"
        assert talk.open_turn.client_plays

    def test_a_typed_turn_while_listening_is_taken(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic")
        talk.say()
        assert (talk.state.state, talk.open_turn.client_plays) == ("thinking", False)

    def test_a_typed_turn_while_transcribing_is_not_the_transcript(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic", "speech_end")
        talk.say()
        assert (talk.state.state, talk.open_turn.client_plays) == ("thinking", False)

    def test_a_turn_after_an_error_is_taken(self) -> None:
        talk = Conversation()
        talk.pull("error")
        talk.say()
        assert talk.state.state == "thinking"


class TestCase3:
    """Send twice: one run, one user message; other words are a conflict."""

    def test_send_twice(self) -> None:
        talk = Conversation()
        first = talk.say("hello", request_id="m-1")
        assert talk.say("hello", request_id="m-1") == Repeated(turn=1, seq=2)
        talk.speak("hi")
        talk.finish()
        assert talk.say("hello", request_id="m-1") == Repeated(turn=1, seq=2)
        assert refusal(talk.say("bye", request_id="m-1")).code is Code.TURN_CONFLICT
        assert first == Accepted(turn=1, seq=2)
        assert len(talk.requests) == len(of(talk.events, TurnAccepted)) == 1
        assert [message.text for message in talk.state.history] == ["hello", "hi"]
