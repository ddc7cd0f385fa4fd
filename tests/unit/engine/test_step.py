"""How a session begins and ends, and what holds for every step."""

import pytest
from tests.unit.engine.conversation import OPENED, START_MS, Conversation, kinds, only

from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.content import Modality
from duologue.model.events import CapabilitiesChanged, SessionEnded, SessionStarted, TurnEnded
from duologue.model.inputs import (
    AgentSpoke,
    AnyInput,
    CancelRequested,
    CapabilitiesDeclared,
    DeadlinePassed,
    EndRequested,
    HistoryDropped,
    ServerRestarted,
    SessionOpened,
)
from duologue.model.replies import Accepted, Ignored


def test_a_session_begins_with_number_one() -> None:
    talk = Conversation()
    assert talk.events == [
        SessionStarted(
            seq=1,
            at_ms=START_MS,
            state="idle",
            session_id="s-1",
            agent="guide",
            tier="workhorse",
            language="en",
            tiers=("workhorse",),
        )
    ]


def test_what_it_was_opened_with_stays() -> None:
    opened = SessionOpened(
        session_id="s-2", subject="bob", agent="a", tier="reflex", language="de", silence_ms=5, response_ms=9
    )
    talk = Conversation(opened)
    talk.say()
    (request,) = talk.requests
    assert (request.session_id, request.subject, request.language) == ("s-2", "bob", "de")
    assert (talk.state.silence_ms, talk.state.response_ms, talk.state.tier) == (5, 9, "reflex")


def test_a_session_is_opened_once() -> None:
    with pytest.raises(AssertionError, match="opened once"):
        Conversation().give(OPENED)


class TestTime:
    def test_a_clock_that_goes_back_stands_still(self) -> None:
        talk = Conversation()
        talk.say(after_ms=100)
        talk.speak("one", after_ms=-5_000)
        assert talk.events[-1].at_ms == START_MS + 100

    def test_an_input_without_events_does_not_move_the_session_s_time(self) -> None:
        talk = Conversation()
        talk.give(CancelRequested(), after_ms=100)
        talk.give(EndRequested(), after_ms=-50)
        assert talk.events[-1].at_ms == START_MS + 50


class TestCapabilities:
    def test_a_declaration_is_shown_and_told_to_the_agent(self) -> None:
        talk = Conversation()
        stepped = talk.give(CapabilitiesDeclared(modalities=("nfc",)))
        assert only(stepped.events, CapabilitiesChanged).modalities == ("nfc",)
        assert stepped.reply == Accepted(turn=0, seq=2)
        talk.say()
        assert talk.requests[0].modalities == ("nfc",)

    @pytest.mark.parametrize("modalities", [("nfc", "photo"), ("photo", "nfc")])
    def test_the_same_again_changes_nothing(self, modalities: tuple[Modality, ...]) -> None:
        talk = Conversation()
        talk.give(CapabilitiesDeclared(modalities=("nfc", "photo")))
        assert talk.give(CapabilitiesDeclared(modalities=modalities)).reply == Ignored()

    def test_none_at_first_changes_nothing(self) -> None:
        assert Conversation().give(CapabilitiesDeclared(modalities=())).reply == Ignored()

    def test_they_may_be_taken_back(self) -> None:
        talk = Conversation()
        talk.give(CapabilitiesDeclared(modalities=("nfc",)))
        stepped = talk.give(CapabilitiesDeclared(modalities=()))
        assert only(stepped.events, CapabilitiesChanged).modalities == ()

    def test_a_change_during_a_run_belongs_to_its_turn(self) -> None:
        talk = Conversation()
        talk.say()
        assert talk.give(CapabilitiesDeclared(modalities=("nfc",))).events[0].turn == 1


class TestEnd:
    def test_an_end_at_rest(self) -> None:
        stepped = Conversation().give(EndRequested(reason="bye"))
        assert kinds(stepped.events) == ["SessionEnded"]
        assert only(stepped.events, SessionEnded).reason == "bye"

    def test_an_end_while_listening_stops_that(self) -> None:
        talk = Conversation()
        talk.pull("user_activates_mic")
        assert talk.give(EndRequested()).events[0].state == "idle"

    def test_an_end_cancels_the_answer(self) -> None:
        talk = Conversation()
        talk.say()
        talk.speak("one")
        stepped = talk.give(EndRequested())
        assert kinds(stepped.events) == ["TextCompleted", "ResponseEnded", "TurnEnded", "SessionEnded"]
        assert only(stepped.events, TurnEnded).outcome == "cancelled"
        assert talk.stopped == ["response-1"]
        assert stepped.reply == Accepted(turn=0, seq=stepped.events[0].seq)

    @pytest.mark.parametrize(
        "happened",
        [
            EndRequested(),
            CancelRequested(),
            CapabilitiesDeclared(modalities=("nfc",)),
            DeadlinePassed(),
            ServerRestarted(),
            HistoryDropped(),
            AgentSpoke(response_id="response-1", text="late"),
        ],
    )
    def test_nothing_follows(self, happened: AnyInput) -> None:
        talk = Conversation()
        talk.say()
        talk.give(EndRequested())
        assert talk.give(happened, after_ms=10**7).reply == Ignored()


def test_dropped_history_is_no_news() -> None:
    assert Conversation().give(HistoryDropped()).reply == Ignored()


def test_two_sessions_share_nothing() -> None:
    one, two = SessionState(), SessionState()
    step(one, OPENED, now_ms=1)
    assert two == SessionState()


class TestCase1And2:
    """Drop and resume: a journal whose numbers have no gap; 2b also after a restart."""

    def test_every_number_is_there_once_for_one_run(self) -> None:
        talk = Conversation()
        talk.say()
        talk.speak(*"abcdef")
        talk.finish()
        numbers = [event.seq for event in talk.events]
        assert numbers == list(range(1, 14))
        assert len(talk.requests) == 1

    def test_numbers_go_on_rising_after_a_restart(self) -> None:
        talk = Conversation()
        talk.exchange("a", "one")
        talk.give(ServerRestarted())
        talk.exchange("b", "two")
        assert [event.seq for event in talk.events] == list(range(1, len(talk.events) + 1))
        assert len(talk.requests) == 2
