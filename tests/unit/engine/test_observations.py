"""Physical observations that the agent asks for."""

import pytest
from tests.unit.engine.conversation import Conversation, kinds, of, only, refusal
from tests.unit.engine.tool_talk import READ, ToolTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model import limits
from duologue.model.content import Attachment, Modality, NfcObservation, PhotoObservation
from duologue.model.effects import RunAgent
from duologue.model.errors import Code
from duologue.model.events import ResponseEnded, ResponseFailed, TurnAccepted, TurnResumed
from duologue.model.inputs import CapabilitiesDeclared, DeadlinePassed, EndRequested, ObservationAsked, UserTurn

TAG = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")
PHOTO = PhotoObservation(
    photo=Attachment(upload_id="u", name="p.jpg", media_type="image/jpeg", size_bytes=1, sha256="0" * 64),
    width=1,
    height=1,
    observed_at="2026-01-02T03:04:05Z",
)


def asked(modality: Modality = "nfc", *, can: tuple[Modality, ...] = ("nfc", "photo")) -> Conversation:
    talk = Conversation()
    talk.give(CapabilitiesDeclared(modalities=can))
    talk.say("check my badge")
    talk.speak("Hold it to the phone.")
    talk.give(observe(talk, modality))
    return talk


def observe(talk: Conversation, modality: Modality, wait_ms: int = 60_000) -> ObservationAsked:
    return ObservationAsked(response_id=talk.response_id, modality=modality, prompt="Your badge?", wait_ms=wait_ms)


def test_the_run_ends_with_a_question_of_an_id_and_a_deadline() -> None:
    talk = asked()
    ended = only(talk.events, ResponseEnded)
    (question,) = ended.interrupts
    assert (ended.outcome, question.interrupt_id, question.reason) == ("asked", "interaction-1", "observation")
    assert question.message == "Your badge?"
    assert question.metadata == {"modality": "nfc", "interactionId": "interaction-1"}
    assert next_deadline_ms(talk.state) == talk.now_ms + 60_000
    assert question.expires_at is not None and question.expires_at.endswith("+00:00")


def test_what_is_shown_answers_it_and_is_in_the_next_run() -> None:
    talk = asked()
    stepped = talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-1"))
    (answer,) = only(stepped.events, TurnAccepted).answers
    assert (answer.status, answer.payload) == ("resolved", {"kind": "nfc"})
    request = only(stepped.effects, RunAgent).request
    assert (request.observation, request.resume, len(request.interrupts)) == (TAG, (answer,), 1)
    assert next_deadline_ms(talk.state) == talk.now_ms + 30_000


def test_only_what_the_client_can_is_asked_for() -> None:
    talk = asked("photo", can=("nfc",))
    failed = only(talk.events, ResponseFailed)
    assert failed.code is Code.AGENT_BAD_ITEM and "photo" in failed.message


def test_what_the_client_can_no_more_when_it_is_asked_is_not_asked_for() -> None:
    """A tool of the same run is still carried out when the client takes back what it can."""
    talk = ToolTalk()
    talk.give(CapabilitiesDeclared(modalities=("nfc",)))
    talk.say("check my badge")
    talk.call(READ)
    talk.give(observe(talk, "nfc"))
    talk.give(CapabilitiesDeclared(modalities=()))
    assert only(talk.report().events, ResponseFailed).code is Code.AGENT_BAD_ITEM
    assert not talk.state.observations.open


@pytest.mark.parametrize("wait_ms", [0, -1, limits.OBSERVATION_WAIT_MS + 1])
def test_nothing_is_waited_for_without_end(wait_ms: int) -> None:
    talk = Conversation()
    talk.give(CapabilitiesDeclared(modalities=("nfc",)))
    talk.say("check")
    talk.give(observe(talk, "nfc", wait_ms))
    assert only(talk.events, ResponseFailed).code is Code.AGENT_BAD_ITEM


def test_another_kind_and_nothing_at_all_are_refused_and_it_stays_open() -> None:
    talk = asked()
    wrong = refusal(talk.give(UserTurn(text="", observation=PHOTO, interaction_id="interaction-1")).reply)
    assert (wrong.code, wrong.path) == (Code.BAD_MESSAGE, "$.observation.kind")
    nothing = refusal(talk.give(UserTurn(text="here", interaction_id="interaction-1")).reply)
    assert (nothing.code, nothing.path) == (Code.BAD_MESSAGE, "$.observation")
    unknown = refusal(talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-9")).reply)
    assert (unknown.code, unknown.path) == (Code.UNKNOWN_INTERACTION, "$.interactionId")
    assert talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-1")).events


def test_it_is_answered_once() -> None:
    talk = asked()
    talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-1", request_id="a"))
    again = talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-1", request_id="b"))
    assert refusal(again.reply).code is Code.UNKNOWN_INTERACTION


def test_who_writes_on_has_given_it_up() -> None:
    talk = asked()
    stepped = talk.give(UserTurn(text="never mind"))
    assert [one.status for one in only(stepped.events, TurnAccepted).answers] == ["cancelled"]
    late = talk.give(UserTurn(text="", observation=TAG, interaction_id="interaction-1"))
    assert refusal(late.reply).code is Code.UNKNOWN_INTERACTION


def test_after_its_deadline_the_agent_is_told_and_it_is_too_late() -> None:
    talk = asked()
    late = UserTurn(text="", observation=TAG, interaction_id="interaction-1")
    assert refusal(talk.give(late, after_ms=60_000).reply).code is Code.INTERRUPT_EXPIRED
    stepped = talk.give(DeadlinePassed())
    assert kinds(stepped.events) == ["TurnResumed", "ResponseStarted"]
    assert only(stepped.events, TurnResumed).cause == "expired"
    request = only(stepped.effects, RunAgent).request
    assert [one.status for one in request.resume] == ["cancelled"] and request.resumed == "expired"
    talk.speak("No badge, then.")
    talk.finish()
    assert refusal(talk.give(late).reply).code is Code.INTERRUPT_EXPIRED
    assert not talk.state.interrupts


def test_while_a_person_has_the_conversation_the_agent_is_not_told() -> None:
    talk = asked()
    talk.state.handoff.with_person = True
    assert not talk.give(DeadlinePassed(), after_ms=99_000).events
    talk.state.handoff.with_person = False
    assert talk.give(DeadlinePassed()).events


def test_each_has_an_id_of_its_own_and_the_session_may_end_meanwhile() -> None:
    talk = asked()
    talk.say("again")
    talk.give(observe(talk, "photo"))
    assert [one.interrupts[0].interrupt_id for one in of(talk.events, ResponseEnded)] == [
        "interaction-1",
        "interaction-2",
    ]
    talk.give(EndRequested())
    assert next_deadline_ms(talk.state) is None
