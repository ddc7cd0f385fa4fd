"""Calls: how one begins and ends."""

from tests.unit.engine.conversation import Conversation, kinds, only, refusal
from tests.unit.engine.voice_talk import VoiceTalk

from duologue.engine.deadlines import next_deadline_ms
from duologue.model.effects import HangUp
from duologue.model.errors import Code
from duologue.model.events import CallFinished, NobodySpoke
from duologue.model.inputs import AudioTurnStarted, CallEnded, CallStarted, EndRequested, ServerRestarted, UserTurn
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


class TestQuiet:
    RULES = VoiceRules(no_response_ms=8_000, idle_ms=20_000)

    def test_the_clients_are_told_that_nobody_speaks(self) -> None:
        talk = VoiceTalk(self.RULES)
        told = only(talk.wait().events, NobodySpoke)
        assert (told.waited_ms, told.times) == (8_000, 1)
        again = only(talk.wait().events, NobodySpoke)
        assert (again.waited_ms, again.times) == (16_000, 2)

    def test_speech_and_playback_count_anew(self) -> None:
        talk = VoiceTalk(self.RULES)
        talk.wait()
        talk.utter("hello")
        talk.answer("hi")
        assert next_deadline_ms(talk.state) == talk.now_ms + 8_000
        assert only(talk.wait().events, NobodySpoke).times == 1

    def test_the_agent_is_told_where_it_is_to_know_but_not_for_ever(self) -> None:
        talk = VoiceTalk(VoiceRules(no_response_ms=8_000, nudge="(silence)", idle_ms=60_000))
        for _ in range(3):
            told = talk.wait()
            assert kinds(told.events) == ["NobodySpoke", "TurnAccepted", "ResponseStarted"]
            talk.answer("are you there?")
        assert kinds(talk.wait().events) == ["NobodySpoke"]
        talk.utter("yes")
        talk.answer("good")
        assert "TurnAccepted" in kinds(talk.wait().events)


class TestIdle:
    RULES = VoiceRules(idle_ms=20_000)

    def test_a_call_in_which_nothing_happens_is_hung_up(self) -> None:
        talk = VoiceTalk(self.RULES)
        over = talk.wait()
        assert kinds(over.events) == ["CallFinished"]
        assert only(over.effects, HangUp).reason == "idle"
        assert (talk.state.state, next_deadline_ms(talk.state)) == ("idle", None)

    def test_playback_is_something(self) -> None:
        talk = VoiceTalk(self.RULES)
        talk.utter("read to me")
        talk.speak("one ", "two ", "three ")
        talk.finish()
        talk.voice("one", "two", "three")
        for played_ms in (1, 301, 601):
            talk.played(played_ms, after_ms=14_000)
        assert talk.state.call is not None
        talk.heard_out(after_ms=14_000)
        assert next_deadline_ms(talk.state) == talk.now_ms + 20_000

    def test_it_can_be_let_be(self) -> None:
        talk = VoiceTalk(VoiceRules(idle_ms=None))
        assert next_deadline_ms(talk.state) is None


def test_what_a_client_played_is_not_waited_for_in_a_call() -> None:
    talk = Conversation()
    talk.pull("user_activates_mic", "speech_end")
    talk.give(UserTurn(text="hello", source="voice"))
    talk.give(CallStarted(call_id="call-1"))
    talk.speak("hi")
    assert talk.finish().events[-1].state == "listening"


def test_a_call_that_begins_in_an_odd_state_listens() -> None:
    talk = Conversation()
    talk.pull("user_activates_mic", "speech_end")
    stepped = talk.give(CallStarted(call_id="call-1"))
    assert [event.state for event in stepped.events] == ["idle", "listening"]
