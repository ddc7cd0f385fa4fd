"""Who only hears is told what is asked, and is told again once somebody else had the conversation."""

from tests.unit.engine.conversation import of
from tests.unit.engine.desk_talk import DeskTalk
from tests.unit.engine.tool_talk import CONFIRM, ToolTalk, walk
from tests.unit.engine.voice_talk import VoiceTalk

from duologue.model.content import Interrupt
from duologue.model.events import AnyEvent, TextDelta, TurnResumed
from duologue.model.inputs import AgentAsked, CapabilitiesDeclared, ObservationAsked

PAY = '{"amount":40,"order":"A-1"}'
ASKED = "Refund 40 for A-1?"
AGAIN = f"Please say yes or no: {ASKED}"


class Talk(VoiceTalk, DeskTalk, ToolTalk):
    """A call with tools and a desk beside it."""

    def heard_whole(self) -> None:
        """The open answer becomes sound, and is heard to its end."""
        words = "".join(self.open_turn.response.pieces).split()
        self.voice(*words)
        self.heard_out()

    def asked_to_pay(self) -> None:
        """The agent wants to pay back, and the person is asked."""
        self.utter("my money back")
        self.call(CONFIRM, arguments=PAY)
        self.finish()
        self.heard_whole()


def texts(events: list[AnyEvent]) -> str:
    return "".join(one.text for one in of(events, TextDelta))


def test_what_an_operator_leaves_open_is_asked_again_and_a_word_decides() -> None:
    talk = Talk()
    talk.asked_to_pay()
    talk.taken()
    talk.utter("yes")
    assert (talk.ended.outcome, walk(talk.events)[-1]) == ("passed", "awaiting_approval")
    before = len(talk.events)
    talk.hand_back()
    assert texts(talk.events[before:]) == AGAIN
    assert of(talk.events, TurnResumed)[-1].cause == "handed_back"
    talk.heard_whole()
    assert talk.ended.outcome == "asked"
    talk.utter("yes")
    assert walk(talk.events)[-2:] == ["approved", "executing"]
    talk.report()
    assert len(talk.requests) == 2
    assert not talk.state.due


def test_it_is_asked_again_once_nobody_speaks_and_at_the_latest_when_they_call() -> None:
    talk = Talk()
    talk.asked_to_pay()
    talk.taken()
    talk.write("One moment.")
    talk.hand_back()
    assert AGAIN not in texts(talk.events)
    talk.heard_whole()
    assert texts(talk.events).endswith(AGAIN)


def test_who_is_handed_back_without_a_question_hears_nothing() -> None:
    talk = Talk()
    talk.utter("hello")
    talk.answer("Yes.")
    talk.taken()
    before = len(talk.events)
    talk.hand_back()
    assert not texts(talk.events[before:])


def test_what_is_to_be_shown_is_asked_aloud() -> None:
    talk = Talk()
    talk.give(CapabilitiesDeclared(modalities=("photo",)))
    talk.utter("it is broken")
    talk.speak("I am sorry.")
    asked = ObservationAsked(
        response_id=talk.response_id, modality="photo", prompt="Show me the damage.", wait_ms=9_000
    )
    talk.give(asked)
    assert texts(talk.events) == "I am sorry. Show me the damage. "
    assert talk.open_turn.voice is not None
    assert talk.open_turn.voice.whole is not None


def test_what_the_agent_has_asked_in_words_is_not_asked_twice() -> None:
    talk = Talk()
    talk.utter("delete it")
    talk.speak("Delete all three? ")
    asked = Interrupt(interrupt_id="i-1", reason="confirm", message="Delete all three?")
    also = Interrupt(interrupt_id="i-2", reason="confirm", message="For ever?")
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(asked, also)))
    assert texts(talk.events) == "Delete all three? For ever? "


def test_who_reads_is_shown_it() -> None:
    talk = ToolTalk()
    talk.say("delete it")
    asked = Interrupt(interrupt_id="i-1", reason="confirm", message="Delete all three?")
    talk.give(AgentAsked(response_id=talk.response_id, interrupts=(asked,)))
    assert not texts(talk.events)
