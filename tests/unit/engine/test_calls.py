"""Calls: how one begins and ends."""

from tests.unit.engine.conversation import Conversation, kinds, only, refusal

from duologue.model.effects import HangUp
from duologue.model.errors import Code
from duologue.model.events import CallFinished
from duologue.model.inputs import AudioTurnStarted, CallEnded, CallStarted, EndRequested, ServerRestarted
from duologue.model.voice import VoiceRules


def test_a_call_begins_by_listening() -> None:
    talk = Conversation()
    stepped = talk.give(CallStarted(call_id="call-1"))
    assert kinds(stepped.events) == ["CallBegan", "ListeningBegan"]
    assert [event.state for event in stepped.events] == ["idle", "listening"]


def test_in_explicit_mode_it_waits_for_the_client() -> None:
    talk = Conversation()
    talk.give(CallStarted(call_id="call-1", rules=VoiceRules(mode="explicit")))
    assert talk.state.state == "idle"


def test_a_newer_call_takes_over_and_the_older_one_is_hung_up() -> None:
    talk = Conversation()
    talk.give(CallStarted(call_id="call-1"))
    stepped = talk.give(CallStarted(call_id="call-2"))
    assert kinds(stepped.events) == ["CallFinished", "CallBegan", "ListeningBegan"]
    assert only(stepped.effects, HangUp) == HangUp(call_id="call-1", reason="taken_over")
    assert not talk.give(CallEnded(call_id="call-1", reason="lost")).events
    assert not talk.give(CallStarted(call_id="call-2")).events


def test_a_call_that_ends_leaves_the_session_idle() -> None:
    talk = Conversation()
    talk.give(CallStarted(call_id="call-1"))
    finished = only(talk.give(CallEnded(call_id="call-1", reason="hung_up")).events, CallFinished)
    assert (finished.reason, finished.state) == ("hung_up", "idle")
    assert talk.state.call is None


def test_the_end_of_the_session_hangs_up() -> None:
    talk = Conversation()
    talk.give(CallStarted(call_id="call-1"))
    stepped = talk.give(EndRequested())
    assert only(stepped.effects, HangUp).reason == "session_ended"
    assert refusal(talk.give(CallStarted(call_id="call-2")).reply).code is Code.SESSION_ENDED


def test_a_call_does_not_outlive_its_server() -> None:
    talk = Conversation()
    talk.give(CallStarted(call_id="call-1"))
    assert only(talk.give(ServerRestarted()).events, CallFinished).reason == "server_restarted"
    assert talk.state.state == "idle"


def test_an_audio_turn_needs_a_call() -> None:
    talk = Conversation()
    assert refusal(talk.give(AudioTurnStarted(turn=1)).reply).code is Code.NO_AUDIO
