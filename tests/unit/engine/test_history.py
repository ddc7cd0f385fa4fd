"""What the agent is told of earlier turns."""

import pytest
from tests.unit.engine.conversation import Conversation

from duologue.engine.history import spoken
from duologue.model import limits
from duologue.model.content import Attachment, Message, NfcObservation, PhotoObservation
from duologue.model.errors import Code
from duologue.model.inputs import AgentFailed, AgentShowed, CancelRequested, UserTurn

PHOTO = Attachment(upload_id="u-1", name="tree.png", media_type="image/png", size_bytes=3, sha256="0" * 64)
AT = "2026-01-02T03:04:05Z"


def user(text: str, turn: int) -> Message:
    return Message(role="user", text=text, turn=turn, message_id=f"turn-{turn}")


def agent(text: str, turn: int, *, interrupted: bool = False) -> Message:
    message_id = f"response-{turn}-message"
    return Message(role="assistant", text=text, turn=turn, interrupted=interrupted, message_id=message_id)


def test_the_first_turn_has_none() -> None:
    talk = Conversation()
    talk.say("a")
    assert talk.requests[0].history == ()


def test_a_whole_answer_is_remembered() -> None:
    talk = Conversation()
    talk.exchange("a", "one", " two")
    talk.say("b")
    assert talk.requests[1].history == (user("a", 1), agent("one two", 1))


def test_of_an_interrupted_answer_only_what_was_delivered() -> None:
    talk = Conversation()
    talk.say("a")
    talk.speak("one", " two")
    talk.say("b")
    assert talk.requests[1].history == (user("a", 1), agent("one two", 1, interrupted=True))


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_answer_without_words_is_no_message(text: str) -> None:
    talk = Conversation()
    talk.say("a")
    talk.speak(text)
    talk.give(CancelRequested())
    assert talk.state.history == [user("a", 1)]


def test_what_was_only_shown_is_no_message() -> None:
    talk = Conversation()
    talk.say("a")
    talk.give(AgentShowed(response_id=talk.response_id, payload_type="card", data={}))
    talk.finish()
    assert talk.state.history == [user("a", 1)]


def test_of_a_failed_answer_what_was_said() -> None:
    talk = Conversation()
    talk.say("a")
    talk.speak("one")
    failed = AgentFailed(response_id=talk.response_id, code=Code.AGENT_FAILED, message="no", retryable=False)
    talk.give(failed)
    assert talk.state.history == [user("a", 1), agent("one", 1, interrupted=True)]


def test_it_holds_the_latest_messages_only() -> None:
    talk = Conversation()
    turns = limits.HISTORY_MESSAGES // 2 + 3
    for number in range(turns):
        talk.exchange(f"question {number}", f"answer {number}")
    talk.say("last")
    history = talk.requests[-1].history
    assert len(history) == limits.HISTORY_MESSAGES
    assert (history[0], history[-1]) == (user("question 3", 4), agent(f"answer {turns - 1}", turns))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (UserTurn(text="look"), "look"),
        (UserTurn(text="look", attachments=(PHOTO, PHOTO)), "look [tree.png] [tree.png]"),
        (UserTurn(text="", attachments=(PHOTO,)), "[tree.png]"),
        (
            UserTurn(text="", observation=NfcObservation(tag_id="04a1", observed_at=AT)),
            "[NFC tag 04a1]",
        ),
        (
            UserTurn(
                text="look",
                observation=PhotoObservation(photo=PHOTO, width=1, height=1, observed_at=AT),
            ),
            "look [photo]",
        ),
    ],
)
def test_what_was_shown_stands_in_brackets(said: UserTurn, text: str) -> None:
    assert spoken(said) == text


def test_long_messages_leave_first_and_the_latest_always_stays() -> None:
    talk = Conversation()
    half = "x" * (limits.HISTORY_CHARS // 2)
    talk.exchange("a", half)
    talk.exchange("b", half)
    assert [message.text for message in talk.state.history] == ["b", half]
    talk.exchange("c", "y" * (limits.HISTORY_CHARS + 1))
    assert [message.turn for message in talk.state.history] == [3]
