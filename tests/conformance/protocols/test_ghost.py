"""The ghost dialect against its schemas and its contract's vocabulary."""

import json
from importlib.resources import files
from typing import Any, get_args

import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.conformance.protocols.agentcall_samples import OBSERVATIONS
from tests.conformance.protocols.event_strategies import EVENTS, EVENTS_OF
from tests.conformance.protocols.schema_instances import Instances, judge

from duologue.model import events as e
from duologue.model.commands import Join
from duologue.model.content import Attachment, Chip, ContextItem, Figures, Message, PhotoObservation, SpeechMetadata
from duologue.model.errors import Code, Problem
from duologue.model.inputs import CancelRequested, EndRequested, Trigger, UserTurn, VoiceTriggered
from duologue.model.replies import Repeated
from duologue.ports.dialect import Dialect
from duologue.protocols.ghost import GhostDialect

GHOST = GhostDialect()
AS_DIALECT: Dialect = GHOST
AT_MS = 1_767_323_045_678
FIGURES = Figures(ttft_ms=12, duration_ms=340, total_tokens=5, tps=15.2, quality_pass=True, language="en")
NO_WORD = {
    e.TextCompleted,
    e.TurnEnded,
    e.CapabilitiesChanged,
    e.SpeechPrepared,
    e.SupervisorNoted,
    e.LegEnded,
}
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
BOUNDED = settings(suppress_health_check=UNHURRIED)
SMALL = settings(max_examples=40, suppress_health_check=UNHURRIED)


def load(name: str) -> Any:
    return json.loads((files("duologue.protocols.ghost") / "schemas" / f"{name}.schema.json").read_text("utf-8"))


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def shown(event: e.AnyEvent) -> Any:
    frame = GHOST.project(event)
    assert frame is not None
    return json.loads(frame)


def said(event: e.AnyEvent) -> tuple[str, Any]:
    frame = shown(event)
    return frame["type"], frame["payload"]


OBSERVATION_REF = "agentcall-physical-observation.schema.json"
OBSERVATION = json.loads((files("duologue.protocols.agentcall") / "schemas" / OBSERVATION_REF).read_text("utf-8"))
CLIENT = Instances(load("ghost-client"), documents=[OBSERVATION], overrides={OBSERVATION_REF: OBSERVATIONS})
is_event = judge(load("ghost-event"))


# --- schemas ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ghost-event", "ghost-client"])
def test_schema_is_valid(name: str) -> None:
    assert jsonschema_rs.meta.is_valid(load(name))


def test_event_schema_holds_the_whole_contract() -> None:
    """Ghost AG-UI 1.0, `events`: types and payload members."""
    contract: dict[str, set[str]] = {
        "agent.ready": {"models_loaded", "memory_items", "language"},
        "agent.degraded": {"state", "reason"},
        "turn.start": {"source", "language_detected", "turn_id"},
        "turn.routing": {"complexity_score", "tier_target", "workhorse_required"},
        "turn.thinking": {"tier", "is_thinking"},
        "turn.token": {"token", "cumulative_length"},
        "turn.complete": {"tier_used", "total_tokens", "ttft_ms", "tps", "quality_pass", "language"},
        "turn.upgrade": {"reason"},
        "turn.error": {"error", "recoverable"},
        "voice.listening": set(),
        "voice.speech_start": set(),
        "voice.transcribing": {"language_detected"},
        "voice.transcript": {"text", "confidence", "language", "stt_ms"},
        "voice.speaking": {"word", "language"},
        "voice.barge_in": set(),
        "voice.finished": set(),
        "memory.recalled": {"count", "retrieve_ms"},
        "memory.stored": {"type", "importance"},
        "tool.invoked": {"tool_name", "arguments"},
        "tool.result": {"tool_name", "result", "duration_ms"},
    }
    frames = {f["properties"]["type"]["const"]: f["properties"] for f in load("ghost-event")["oneOf"]}
    assert contract.keys() <= frames.keys()
    for name, members in contract.items():
        payload = frames[name]["payload"]
        ours = {
            member
            for member, schema in payload.get("properties", {}).items()
            if schema.get("description", "").startswith("Ours: ")
        }
        assert set(payload.get("required", ())) - ours == members


def test_client_schema_knows_every_trigger() -> None:
    frames = load("ghost-client")["$defs"].values()
    types = {frame["properties"]["type"]["const"] for frame in frames if "type" in frame.get("properties", {})}
    ours = {"session.open", "session.end", "observation.show", "tool.output", "approval.decide"}
    assert types == {*get_args(Trigger), *ours}


# --- decode agrees with an independent judge --------------------------------------------------------


def agree(instances: Instances, instance: Any, answer: object) -> bool:
    """Whether judge and decoder say the same; what a photo or tag holds, no schema can say."""
    if isinstance(answer, Problem) and answer.path.startswith("$.observation"):
        return True
    return instances.accepts(instance) is not isinstance(answer, Problem)


@SMALL
@given(CLIENT.valid())
def test_valid_client_frames_are_read(instance: Any) -> None:
    assert not isinstance(GHOST.decode(wire(instance)), Problem)


@BOUNDED
@given(CLIENT.mutated())
@example({"type": "session.open", "after": 2.0})
@example({"type": "session.open", "after": 2.5})
@example({"type": "session.open", "after": 2**53})
@example({"type": "session.open", "session_id": None})
@example({"type": "stt_complete", "text": "x", "confidence": 1})
@example({"type": "stt_complete", "text": "x", "confidence": 1.0, "stt_ms": 3.0})
@example({"type": "stt_complete", "text": "x", "confidence": 1.01})
@example({"type": "stt_complete", "text": "x", "stt_ms": True})
@example({"type": "user_sends_text", "text": "\U0001f600" * 65_536})
@example({"type": "user_sends_text", "text": "x" * 65_537})
@example({"type": "user_sends_text", "text": "x", "language": "en\n"})
@example({"type": "cancel", "extra": 1})
def test_decode_and_judge_agree_on_client_frames(instance: Any) -> None:
    assert agree(CLIENT, instance, GHOST.decode(wire(instance)))


@BOUNDED
@given(st.binary(max_size=60))
@example(b"[" * 5_000)
@example(b'{"type":"user_sends_text","text":"\\udfff"}')
def test_decode_never_raises(frame: bytes) -> None:
    assert isinstance(GHOST.decode(frame), Problem)


# --- what client frames mean ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "meaning"),
    [
        ({"type": "session.open"}, Join(session_id=None)),
        (
            {"type": "session.open", "session_id": "s", "after": 7, "language": "de"},
            Join(session_id="s", after=7, language="de"),
        ),
        (
            {
                "type": "user_sends_text",
                "text": "hi",
                "turn_id": "t",
                "language": "en",
                "context": [{"description": "page", "value": "/a"}],
            },
            UserTurn(
                text="hi",
                request_id="t",
                language="en",
                context=(ContextItem(description="page", value="/a"),),
            ),
        ),
        (
            {"type": "stt_complete", "text": "hi", "turn_id": "t", "confidence": 0.9, "stt_ms": 120},
            UserTurn(text="hi", request_id="t", source="voice", speech=SpeechMetadata(confidence=0.9, stt_ms=120)),
        ),
        (
            {"type": "stt_complete", "text": "hi"},
            UserTurn(text="hi", source="voice", speech=SpeechMetadata(stt_ms=0)),
        ),
        ({"type": "cancel"}, CancelRequested()),
        ({"type": "session.end"}, EndRequested()),
    ],
)
def test_client_frames_mean(frame: Any, meaning: object) -> None:
    assert GHOST.decode(wire(frame)) == meaning


@pytest.mark.parametrize(
    "trigger",
    ["user_activates_mic", "speech_end", "first_token", "tts_complete", "auto_resume", "barge_in", "error"],
)
def test_triggers_are_named_as_in_the_state_model(trigger: Trigger) -> None:
    assert GHOST.decode(wire({"type": trigger})) == VoiceTriggered(trigger=trigger)


@pytest.mark.parametrize(
    ("frame", "code", "path"),
    [
        (b"{", Code.BAD_JSON, ""),
        (b'{"type":"shout"}', Code.UNKNOWN_TYPE, "$.type"),
        (b'{"type":"user_sends_text"}', Code.BAD_MESSAGE, "$"),
        (b'{"type":"user_sends_text","text":""}', Code.BAD_MESSAGE, "$.text"),
        (b'{"type":"cancel","now":true}', Code.BAD_MESSAGE, "$"),
    ],
)
def test_bad_frames_are_named_precisely(frame: bytes, code: Code, path: str) -> None:
    problem = GHOST.decode(frame)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.path) == (code, path)


# --- projection -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS_OF, ids=lambda kind: kind.__name__)
def test_everything_projected_fits_the_schema(kind: type[e.Event]) -> None:
    @SMALL
    @given(EVENTS_OF[kind])
    def check(event: e.AnyEvent) -> None:
        frame = GHOST.project(event)
        assert (frame is None) is (kind in NO_WORD or (isinstance(event, e.ResponseEnded) and is_silent(event)))
        if frame is None:
            return
        read = json.loads(frame)
        assert is_event(read), frame
        assert (read["sequence"], read["timestamp"], read["state"]) == (event.seq, event.at_ms, event.state)
        assert not {b"\n"[0], b"\r"[0]} & set(frame)

    check()


@BOUNDED
@given(EVENTS)
def test_a_replayed_event_gives_the_same_bytes(event: e.AnyEvent) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(event), type=type(event))
    assert GhostDialect().project(stored) == GHOST.project(event)


def is_silent(event: e.ResponseEnded) -> bool:
    """Whether all of it was said before: the answer was made, and then heard or interrupted; or it goes on."""
    heard = event.outcome in ("completed", "asked", "passed") or event.state != "idle"
    return event.superseded or event.outcome == "replaced" or (event.made and heard)


def test_turn_token() -> None:
    event = e.TextDelta(
        seq=9, at_ms=AT_MS, state="speaking", turn=1, request_id="q", response_id="r", message_id="m",
        text="Hé\n", length=3,
    )  # fmt: skip
    assert GHOST.project(event) == (
        b'{"type":"turn.token","sequence":9,"timestamp":1767323045678,"state":"speaking",'
        b'"payload":{"token":"H\xc3\xa9\\n","cumulative_length":3}}'
    )


def test_a_session_begins_with_agent_ready() -> None:
    event = e.SessionStarted(
        seq=1, at_ms=AT_MS, state="idle", session_id="s", agent="a", tier="workhorse", language="en"
    )
    payload = {"models_loaded": ["workhorse"], "memory_items": 0, "language": "en"}
    assert said(event) == ("agent.ready", payload)


def test_turn_start_says_what_was_said() -> None:
    photo = Attachment(upload_id="u", name="a.png", media_type="image/png", size_bytes=9, sha256="ab")
    event = e.TurnAccepted(seq=2, at_ms=AT_MS, state="thinking", turn=4, text="look", source="voice", language="de")
    plain = {"source": "voice", "language_detected": "de", "turn_id": "turn-4", "text": "look"}
    assert said(event) == ("turn.start", plain)
    seen = PhotoObservation(photo=photo, width=2, height=3, observed_at="2026-01-02T03:04:05Z")
    shown_too = msgspec.structs.replace(event, request_id="q", attachments=(photo,), observation=seen)
    upload = {"upload_id": "u", "name": "a.png", "media_type": "image/png", "size_bytes": 9}
    payload = plain | {"turn_id": "q", "attachments": [upload], "observation": "photo"}
    assert said(shown_too) == ("turn.start", payload)


def test_thinking_begins_and_ends() -> None:
    began = e.ResponseStarted(seq=3, at_ms=0, state="thinking", session_id="s", response_id="r", tier="reflex")
    spoke = e.TextStarted(seq=4, at_ms=0, state="speaking", response_id="r", message_id="m", tier="reflex")
    assert said(began) == ("turn.thinking", {"tier": "reflex", "is_thinking": True})
    assert said(spoke) == ("turn.thinking", {"tier": "reflex", "is_thinking": False})


def ended(outcome: str, ttft_ms: int | None = 12) -> e.ResponseEnded:
    figures = msgspec.structs.replace(FIGURES, ttft_ms=ttft_ms)
    kind: Any = outcome
    return e.ResponseEnded(
        seq=5,
        at_ms=0,
        state="idle",
        session_id="s",
        response_id="r",
        outcome=kind,
        tier="gate",
        figures=figures,
    )


@pytest.mark.parametrize(("measured", "told"), [(12, 12), (0, 0), (None, 340)])
def test_turn_complete_carries_the_measured_figures(measured: int | None, told: int) -> None:
    assert said(ended("completed", measured)) == (
        "turn.complete",
        {
            "tier_used": "gate", "total_tokens": 5, "ttft_ms": told, "tps": 15.2, "quality_pass": True,
            "language": "en",
        },
    )  # fmt: skip


@pytest.mark.parametrize("outcome", ["cancelled", "interrupted"])
def test_a_stopped_answer_is_a_recoverable_error(outcome: str) -> None:
    assert said(ended(outcome)) == ("turn.error", {"error": outcome, "recoverable": True})


@pytest.mark.parametrize(
    ("retryable", "will_retry", "recoverable"),
    [(False, False, False), (True, False, True), (False, True, True)],
)
def test_a_failed_answer(retryable: bool, will_retry: bool, recoverable: bool) -> None:
    event = e.ResponseFailed(
        seq=5, at_ms=0, state="error", response_id="r", code=Code.AGENT_SILENT, message="nothing came",
        retryable=retryable, will_retry=will_retry,
    )  # fmt: skip
    payload = {"error": "agent_silent: nothing came", "recoverable": recoverable}
    assert said(event) == ("turn.error", payload)


@pytest.mark.parametrize(
    ("trigger", "word", "payload"),
    [
        ("user_activates_mic", "voice.listening", {}),
        ("auto_resume", "voice.listening", {}),
        ("speech_end", "voice.transcribing", {"language_detected": "und"}),
        ("barge_in", "voice.barge_in", {}),
        ("tts_complete", "voice.finished", {}),
        ("cancel", "ghost.state", {"trigger": "cancel", "previous": "speaking"}),
        ("error", "ghost.state", {"trigger": "error", "previous": "speaking"}),
    ],
)
def test_voice_events(trigger: Trigger, word: str, payload: Any) -> None:
    event = e.StateChanged(seq=5, at_ms=0, state="listening", trigger=trigger, previous="speaking")
    assert said(event) == (word, payload)


def test_our_own_events() -> None:
    at: dict[str, Any] = {"seq": 5, "at_ms": 0, "state": "speaking"}
    assert said(e.Cited(**at, response_id="r", title="t", url="/docs/ghost", snippet="s")) == (
        "ghost.citation",
        {"title": "t", "url": "/docs/ghost", "snippet": "s"},
    )
    assert said(e.Suggested(**at, response_id="r", chips=(Chip(label="a", text="b"),))) == (
        "ghost.suggestions",
        {"chips": [{"label": "a", "text": "b"}]},
    )
    assert said(e.Showed(**at, response_id="r", payload_type="card", data={"x": 1})) == (
        "ghost.rich",
        {"payload_type": "card", "version": 1, "data": {"x": 1}},
    )
    assert said(e.Noted(**at, response_id="", category="c", message="m", details={"x": 1})) == (
        "ghost.diagnostic",
        {"category": "c", "message": "m", "details": {"x": 1}},
    )
    messages = (
        Message(role="user", text="a", turn=1),
        Message(role="assistant", text="b", turn=1, interrupted=True),
    )
    assert said(e.HistoryTrimmed(**at, epoch=1, messages=messages)) == (
        "ghost.history",
        {
            "epoch": 1,
            "messages": [
                {"role": "user", "text": "a", "turn": 1},
                {"role": "assistant", "text": "b", "turn": 1, "interrupted": True},
            ],
        },
    )
    assert said(e.SessionEnded(**at, reason="user")) == ("ghost.session_ended", {"reason": "user"})


# --- answers to one connection ----------------------------------------------------------------------


@pytest.mark.parametrize("code", Code)
def test_a_refusal_fits_the_schema(code: Code) -> None:
    problem = Problem(code=code, message="no", path="$.x", limit=3)
    frame = json.loads(GHOST.refuse(problem, request_id="t", now_ms=AT_MS))
    assert is_event(frame)
    assert frame == {
        "type": "ghost.error", "code": code.value, "message": "no", "recoverable": problem.retryable,
        "turn_id": "t", "path": "$.x", "limit": 3,
    }  # fmt: skip


def test_control_frames() -> None:
    opened = json.loads(GHOST.opened("s", after=3, last_seq=9))
    repeated = json.loads(GHOST.repeated(Repeated(turn=2, seq=5), request_id="t"))
    assert opened == {"type": "session.opened", "session_id": "s", "after": 3, "last_sequence": 9}
    assert repeated == {"type": "turn.repeated", "turn_id": "t", "sequence": 5}
    assert is_event(opened) and is_event(repeated)
    assert GHOST.name == AS_DIALECT.name == "ghost"
