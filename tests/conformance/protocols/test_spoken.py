"""Spoken conversations in every protocol: within its schema, nothing found by `duologue check`, each with its cause."""

import json
from importlib.resources import files
from typing import Any, Final, TypeAlias, get_args

import ag_ui_validate
import pytest
from tests.conformance.protocols.schema_instances import judge
from tests.conformance.protocols.spoken import SPOKEN, events
from tests.unit.engine.conversation import of

from duologue.check.findings import Frame, Protocol
from duologue.check.recording import check
from duologue.model import events as e
from duologue.model.inputs import SpeechMade, TranscriptHeard
from duologue.ports.dialect import Dialect
from duologue.protocols.agentcall import AgentCallDialect
from duologue.protocols.agui import AguiDialect, FollowedRun
from duologue.protocols.chat import ChatDialect
from duologue.protocols.ghost import GhostDialect
from duologue.protocols.jambonz import AgentEventNotices, JambonzDialect
from duologue.server.schemas import for_checks

# Any: JSON of no known shape.
Json: TypeAlias = Any

EACH: Final = pytest.mark.parametrize("name", SPOKEN)
DIALECTS: Final[dict[Protocol, Dialect]] = {
    "agentcall": AgentCallDialect(),
    "chat": ChatDialect(),
    "ghost": GhostDialect(),
    "jambonz": JambonzDialect(),
}
GHOST: Final = DIALECTS["ghost"]
NOTICES: Final = AgentEventNotices()
AGENT_EVENT: Final = json.loads(
    (files("duologue.protocols.jambonz") / "schemas" / "jambonz-agent-event.schema.json").read_text("utf-8")
)
is_agent_event = judge(AGENT_EVENT)


def frames(dialect: Dialect, told: list[e.AnyEvent]) -> list[bytes]:
    return [frame for event in told if (frame := dialect.project(event)) is not None]


def found(protocol: Protocol, sent: list[bytes]) -> list[str]:
    """What `duologue check` finds."""
    numbered = [Frame(number=number, line=number, data=data) for number, data in enumerate(sent, 1)]
    return [f"{one.rule} {one.frame}: {one.message}" for one in check(numbered, protocol, for_checks).findings]


@EACH
@pytest.mark.parametrize("protocol", DIALECTS)
def test_nothing_is_found_in_a_spoken_conversation(name: str, protocol: Protocol) -> None:
    sent = frames(DIALECTS[protocol], events(name))
    assert sent or (name, protocol) == ("nothing", "jambonz")
    assert found(protocol, sent) == []


def agent_events(name: str) -> list[Json]:
    return [json.loads(NOTICES.body(event)) for event in events(name) if NOTICES.kind(event) is not None]


def ghost(name: str) -> list[Json]:
    return [json.loads(frame) for frame in frames(GHOST, events(name))]


def custom(name: str) -> list[tuple[str, Json]]:
    """AgentCall's CUSTOM events about a call."""
    sent = [json.loads(frame)["event"] for frame in frames(DIALECTS["agentcall"], events(name))]
    return [(one["name"], one["value"]) for one in sent if one["type"] == "CUSTOM"]


def test_together_they_tell_everything_that_can_happen_in_a_call() -> None:
    told = {type(event) for name in SPOKEN for event in events(name)}
    assert set(get_args(e.AnyVoiceEvent)) <= told


# --- Ghost ------------------------------------------------------------------------------------------


def test_a_spoken_turn_in_ghost() -> None:
    told = [
        (one["type"], one["state"])
        for one in ghost("exchange")
        if one["type"] not in ("turn.token", "turn.thinking", "ghost.voice")
    ]
    assert told == [
        ("agent.ready", "idle"),
        ("voice.listening", "listening"),
        ("voice.speech_start", "listening"),
        ("voice.transcribing", "transcribing"),
        ("voice.transcript", "transcribing"),
        ("voice.speech_start", "transcribing"),
        ("voice.transcribing", "transcribing"),
        ("voice.transcript", "transcribing"),
        ("turn.start", "thinking"),
        ("voice.speaking", "speaking"),
        ("turn.complete", "speaking"),
        ("voice.speaking", "speaking"),
        ("voice.speaking", "speaking"),
        ("voice.speaking", "speaking"),
        ("voice.finished", "listening"),
        ("voice.listening", "listening"),
    ]


def test_what_ghost_says_of_it() -> None:
    told = ghost("exchange")
    by_type = {kind: [one["payload"] for one in told if one["type"] == kind] for kind in {one["type"] for one in told}}
    assert by_type["voice.transcribing"] == [{"language_detected": "en"}, {"language_detected": "en"}]
    assert by_type["voice.transcript"][1] == {"text": "open?", "confidence": 0.5, "language": "en", "stt_ms": 7}
    assert by_type["turn.start"][0] == {
        "source": "voice",
        "language_detected": "en",
        "turn_id": "turn-1",
        "text": "Are you open?",
    }
    assert [one["word"] for one in by_type["voice.speaking"]] == ["We", "open", "at", "ten."]
    assert by_type["voice.speaking"][3] == {"word": "ten.", "language": "en", "begin": 11, "end": 15}
    assert by_type["turn.complete"][0]["total_tokens"] == 3
    kinds = [one["kind"] for one in by_type["ghost.voice"]]
    assert kinds == ["call_began", "partial", "partial", "partial"]


def test_an_interruption_in_ghost_ends_the_answer_that_was_not_whole() -> None:
    told = [one for one in ghost("interrupted") if one["type"].startswith(("voice.", "turn.")) and one["payload"]]
    cut = next(one for one in told if one["type"] == "turn.error")
    assert cut["payload"] == {"error": "interrupted", "recoverable": True, "heard": len("one two")}
    kinds = [one["type"] for one in ghost("interrupted")]
    assert kinds.index("voice.barge_in") == kinds.index("turn.error") - 1
    # One that was whole has been completed, and that is all: what was heard of it stands in its words.
    assert "turn.error" not in [one["type"] for one in ghost("interrupted once made")]
    assert "voice.barge_in" in [one["type"] for one in ghost("interrupted once made")]


def test_a_clients_own_recogniser_is_told_to_all() -> None:
    told = [(one["type"], one["state"], one["payload"]) for one in ghost("own recogniser")]
    transcript = {"text": "Which states are there?", "confidence": 0.93, "language": "en", "stt_ms": 210}
    at = told.index(("voice.transcript", "transcribing", transcript))
    assert told[at + 1][:2] == ("turn.start", "thinking")
    assert told[-1] == ("voice.finished", "idle", {})
    name, value = next(one for one in custom("own recogniser") if one[0] == "duologue.turn.accepted")
    assert (name, value["speech"]) == ("duologue.turn.accepted", {"confidence": 0.93, "sttMs": 210})


@pytest.mark.parametrize("name", ["stopped", "stopped once made"])
def test_who_stops_the_answer_sees_the_state_go_to_idle(name: str) -> None:
    told = ghost(name)
    at = next(place for place, one in enumerate(told) if one["type"] in ("turn.error", "ghost.state"))
    assert told[at]["state"] == "idle"
    assert told[at + 1]["type"] == "voice.listening"


# --- jambonz ----------------------------------------------------------------------------------------


@EACH
def test_agent_events_fit_the_contract(name: str) -> None:
    for event in agent_events(name):
        assert is_agent_event(event), event


def test_a_turn_of_a_call_has_all_its_latencies() -> None:
    heard, response, end = agent_events("exchange")
    assert heard == {"type": "user_transcript", "transcript": "Are you open?"}
    assert response == {"type": "llm_response", "response": "We open at ten."}
    assert end["response"] == "We open at ten." and not end["interrupted"]
    assert end["latency"] == {
        "transcriber_latency": 290,
        "turn_detection_latency": 210,
        "model_latency": 40,
        "voice_latency": 40,
    }


def test_an_interrupted_turn_holds_what_was_heard() -> None:
    for name in ("interrupted", "interrupted once made"):
        told = agent_events(name)
        end = next(one for one in told if one["type"] == "turn_end")
        assert (end["response"], end["interrupted"]) == ("one two", True)
        assert told[told.index(end) - 1] == {"type": "user_interruption"}


def test_what_was_prepared_early_is_told() -> None:
    end = agent_events("judged")[-1]
    assert end["latency"]["preflight"] == {"result": "hit", "tokens": 2}
    assert "model_latency" not in end["latency"]


def test_a_turn_that_grew_is_transcribed_again() -> None:
    told = agent_events("extended")
    assert [one["transcript"] for one in told if "transcript" in one] == [
        "I would like",
        "I would like a cake",
        "I would like a cake",
    ]


# --- AG-UI and AgentCall ----------------------------------------------------------------------------


@EACH
def test_agentcalls_runs_are_valid_agui(name: str) -> None:
    validator = ag_ui_validate.create_validator()
    in_run = False
    for event in events(name):
        inner = json.loads(AgentCallDialect().project(event))["event"]
        # What belongs to no run stands between them.
        if in_run or inner["type"] != "CUSTOM":
            assert validator.feed(inner) == []
        in_run = inner["type"] not in ("RUN_FINISHED", "RUN_ERROR") and (in_run or inner["type"] == "RUN_STARTED")
    assert validator.finalize() == []


@EACH
def test_whoever_follows_gets_valid_runs_with_all_of_it(name: str) -> None:
    run = FollowedRun(thread_id="s-1", run_id="look")
    streams: list[list[Json]] = []
    for event in events(name):
        if not streams or isinstance(event, e.TurnEnded):
            streams.append(list(map(json.loads, opening(run, event))))
        # What ends a turn comes before its TurnEnded.
        streams[-1] += map(json.loads, run.write(event))
    for stream in streams[:-1]:
        validator = ag_ui_validate.create_validator()
        for sent in stream:
            validator.feed(sent)
        validator.finalize()
        assert validator.report().diagnostics == []
        assert found("agui", [json.dumps(sent).encode() for sent in stream]) == []
    if any(isinstance(event, e.TurnAccepted) for event in events(name)):
        assert len(streams) > 1


def opening(run: FollowedRun, event: e.AnyEvent) -> list[bytes]:
    return run.opening(state=event.state, in_call=True, history=(), body=b'{"messages":[]}', now_ms=event.at_ms)


def test_who_follows_reads_what_the_person_says() -> None:
    run = FollowedRun(thread_id="s-1", run_id="look")
    told = [json.loads(frame) for event in events("exchange") for frame in run.write(event)]
    (said,) = [one for one in told if one["type"] == "TEXT_MESSAGE_CHUNK"]
    assert (said["role"], said["delta"], said["messageId"]) == ("user", "Are you open?", "turn-1")
    names = [one["name"] for one in told if one["type"] == "CUSTOM"]
    assert names[:4] == [
        "duologue.call.began",
        "duologue.voice.listening",
        "duologue.voice.speech_began",
        "duologue.voice.transcript",
    ]
    assert names.count("duologue.voice.word") == 4
    assert told[-2]["type"] == "RUN_FINISHED"


def test_a_run_of_agui_has_what_happens_while_it_goes_on() -> None:
    dialect = AguiDialect()
    told = [event for event in events("interrupted") if event.turn == 1]
    sent = [json.loads(frame) for event in told if (frame := dialect.project(event)) is not None]
    assert sent[-1]["outcome"] == {"type": "cancelled"}
    assert sent[-1]["metadata"]["duologue"]["heard"] == len("one two")
    names = [one["name"] for one in sent if one["type"] == "CUSTOM"]
    assert names == [
        "duologue.voice.prepared",
        "duologue.voice.word",
        "duologue.voice.word",
        "duologue.voice.speech_began",
        "duologue.voice.speaking_paused",
        "duologue.voice.barge_in",
    ]


def test_agentcall_tells_what_a_turn_waited_for() -> None:
    ended = next(value for name, value in custom("exchange") if name == "duologue.turn.ended")
    latency = ended["latency"]
    assert latency == {
        "transcriberMs": 290,
        "turnDetectionMs": 210,
        "modelMs": 40,
        "cuttingMs": 120,
        "voiceMs": 40,
        "totalMs": 700,
    }
    cut = next(value for name, value in custom("interrupted") if name == "duologue.turn.ended")
    assert (cut["heard"], cut["heardEstimated"]) == (len("one two"), True)


# --- Chat -------------------------------------------------------------------------------------------


def test_chat_says_in_diagnostics_what_it_has_no_event_for() -> None:
    sent = [json.loads(frame) for frame in frames(DIALECTS["chat"], events("interrupted"))]
    assert {one["type"] for one in sent} == {
        *("diagnostic", "response.started", "text.delta", "text.completed", "response.completed"),
    }
    cut = next(one for one in sent if one["type"] == "response.completed")
    assert (cut["outcome"], cut["heard"]) == ("interrupted", len("one two"))
    assert next(one for one in sent if one["type"] == "text.completed")["text"] == "one two"


# --- Causes -----------------------------------------------------------------------------------------


@EACH
def test_every_transcript_and_every_sound_was_given(name: str) -> None:
    talk = SPOKEN[name]()
    for record in talk.records:
        for event in record.events:
            match event:
                case e.Transcribed() if event.segment:
                    assert isinstance(record.input, TranscriptHeard)
                case e.SpeechPrepared():
                    assert isinstance(record.input, SpeechMade)
                case _:
                    pass
    words = of(talk.events, e.WordSpoken)
    made = of(talk.events, e.SpeechPrepared)
    assert bool(words) <= bool(made)
