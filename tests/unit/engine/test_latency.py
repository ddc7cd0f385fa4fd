"""Latencies: each part once, and the parts are the whole."""

from tests.unit.engine.conversation import Conversation, of
from tests.unit.engine.voice_talk import ENDPOINT_MS, SILENCE_MS, VoiceTalk

from duologue.model.events import ResponseEnded, TurnEnded
from duologue.model.voice import Latency, VoiceRules


def test_a_turn_is_measured_from_the_end_of_speech_to_the_first_sound() -> None:
    talk = VoiceTalk()
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.recognise("hello", after_ms=100)
    talk.wait()
    talk.speak("well ", after_ms=250)
    talk.speak("hello ", after_ms=30)
    talk.voice("well", "hello", latency_ms=70, after_ms=90)
    talk.finish(after_ms=500)
    talk.heard_out(after_ms=1_000)
    assert talk.ended.latency == Latency(
        transcriber_ms=SILENCE_MS + 100,
        turn_detection_ms=ENDPOINT_MS - 100,
        model_ms=250,
        cutting_ms=50,
        voice_ms=70,
        total_ms=SILENCE_MS + ENDPOINT_MS + 250 + 30 + 90,
    )


def test_the_end_of_an_answer_and_of_its_turn_tell_the_same() -> None:
    talk = VoiceTalk()
    talk.say("typed")
    talk.answer("hi")
    assert talk.ended.latency is not None
    assert of(talk.events, ResponseEnded)[-1].latency == talk.ended.latency


def test_an_end_that_comes_with_the_transcript_took_nothing() -> None:
    talk = VoiceTalk(VoiceRules(endpoint_ms=0))
    talk.begin()
    talk.stop(after_ms=1_000)
    talk.recognise("hello", after_ms=100)
    talk.answer("hi")
    measured = talk.ended.latency
    assert measured is not None
    assert (measured.transcriber_ms, measured.turn_detection_ms) == (300, None)


def test_what_did_not_happen_is_absent() -> None:
    talk = VoiceTalk()
    talk.say("typed")
    talk.speak("one ", after_ms=40)
    talk.finish()
    talk.heard_out()
    assert talk.ended.latency == Latency(model_ms=40, total_ms=40)


def test_a_voice_cannot_have_taken_longer_than_there_was_time() -> None:
    talk = VoiceTalk()
    talk.say("typed")
    talk.speak("one ", after_ms=40)
    talk.voice("one", latency_ms=9_000, after_ms=25)
    talk.finish()
    talk.heard_out()
    assert talk.ended.latency == Latency(model_ms=40, voice_ms=25, total_ms=65)


def test_a_turn_that_grew_is_measured_from_its_last_word() -> None:
    talk = VoiceTalk()
    talk.utter("one")
    talk.begin(after_ms=5_000)
    talk.stop(after_ms=1_000)
    talk.recognise("two", after_ms=100)
    talk.wait()
    talk.speak("yes ", after_ms=10)
    talk.finish()
    talk.heard_out()
    measured = talk.ended.latency
    assert measured is not None
    assert (measured.transcriber_ms, measured.turn_detection_ms, measured.model_ms) == (300, 200, 10)


def test_without_a_call_nothing_is_measured() -> None:
    talk = Conversation()
    talk.exchange("hello", "hi")
    assert of(talk.events, TurnEnded)[0].latency is None
