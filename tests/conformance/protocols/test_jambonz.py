"""The jambonz dialect against its schemas and its contract's words."""

import json
from importlib.resources import files
from typing import Any, cast

import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.conformance.protocols.event_strategies import EVENTS, EVENTS_OF
from tests.conformance.protocols.schema_instances import Instances, judge

from duologue.model import events as e
from duologue.model.commands import Ack
from duologue.model.content import Figures
from duologue.model.errors import Code, Problem
from duologue.model.replies import Repeated
from duologue.ports.dialect import Dialect
from duologue.ports.notices import Notices
from duologue.protocols.jambonz import AgentEventNotices, JambonzDialect

JAMBONZ = JambonzDialect()
NOTICES = AgentEventNotices()
AS_NOTICES: Notices = NOTICES
AS_DIALECT: Dialect = JAMBONZ
AT_MS = 1_767_323_045_678
FIGURES = Figures(ttft_ms=12, duration_ms=340, total_tokens=5, tps=15.2, quality_pass=True, language="en")
SOMETIMES = {e.TurnEnded, e.TurnAccepted, e.TextCompleted, e.ResponseEnded, e.TurnExtended}
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
BOUNDED = settings(suppress_health_check=UNHURRIED)
SMALL = settings(max_examples=40, suppress_health_check=UNHURRIED)
NAMES = ["jambonz-agent-event", "jambonz-frame", "jambonz-client"]


def load(name: str) -> Any:
    return json.loads((files("duologue.protocols.jambonz") / "schemas" / f"{name}.schema.json").read_text("utf-8"))


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def said(event: e.AnyEvent) -> Any:
    """The agent event, as a receiver reads it."""
    kind = NOTICES.kind(event)
    if kind is None:
        return None
    body = json.loads(NOTICES.body(event))
    assert body["type"] == kind
    return body


CONTRACT = load("jambonz-agent-event")
CLIENT = Instances(load("jambonz-client"))
is_agent_event = judge(CONTRACT)
is_frame = judge(load("jambonz-frame"), documents=[CONTRACT])


# --- schemas ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_valid(name: str) -> None:
    assert jsonschema_rs.meta.is_valid(load(name))


def test_schema_has_the_constraints_of_the_contract() -> None:
    """jambonz, `callbacks/agent-turn`: types, members, what is required, and that nothing else is allowed."""
    events = {one["properties"]["type"]["const"]: one for one in CONTRACT["oneOf"]}
    text, whole, flag = {"type": "string"}, {"type": "integer"}, {"type": "boolean", "default": False}
    preflight = {
        "type": "object",
        "properties": {"result": {"type": "string", "enum": ["hit", "miss", "pending"]}, "tokens": whole},
        "additionalProperties": False,
    }
    latencies = ["transcriber_latency", "turn_detection_latency", "model_latency", "voice_latency"]
    latency: Any = {
        "type": "object",
        "properties": {**dict.fromkeys(latencies, whole), "preflight": preflight},
        "additionalProperties": False,
    }
    turn_end = {"transcript": text, "response": text, "interrupted": flag, "latency": latency}
    contract: dict[str, Any] = {
        "turn_end": turn_end,
        "user_transcript": {"transcript": text},
        "llm_response": {"response": text},
        "user_interruption": {},
    }
    assert events.keys() == contract.keys()
    for name, members in contract.items():
        assert constraints(events[name]) == {
            "type": "object",
            "properties": {"type": {"const": name}, **members},
            "required": ["type", *members],
            "additionalProperties": False,
        }


WORDS = {"title", "description"}


# Any: a schema is JSON of no known shape.
def constraints(schema: Any) -> Any:
    """A schema without what is said to people."""
    if not isinstance(schema, dict):
        return schema
    members = cast(dict[str, Any], schema)
    return {name: constraints(value) for name, value in members.items() if name not in WORDS}


# --- decode agrees with an independent judge --------------------------------------------------------


@SMALL
@given(CLIENT.valid())
def test_valid_client_frames_are_read(instance: Any) -> None:
    assert not isinstance(JAMBONZ.decode(wire(instance)), Problem)


@BOUNDED
@given(CLIENT.mutated())
@example({"type": "ack", "msgid": "0"})
@example({"type": "ack", "msgid": "01"})
@example({"type": "ack", "msgid": "9" * 16})
@example({"type": "ack", "msgid": "9" * 17})
@example({"type": "ack", "msgid": "7\n"})
@example({"type": "ack", "msgid": "٧"})
@example({"type": "ack", "msgid": 7})
def test_decode_and_judge_agree_on_client_frames(instance: Any) -> None:
    assert CLIENT.accepts(instance) is not isinstance(JAMBONZ.decode(wire(instance)), Problem)


@BOUNDED
@given(st.binary(max_size=60))
@example(b"[" * 5_000)
@example(b'{"type":"ack","msgid":"\\udfff"}')
def test_decode_never_raises(frame: bytes) -> None:
    assert isinstance(JAMBONZ.decode(frame), Problem)


def test_an_ack_names_a_sequence() -> None:
    assert JAMBONZ.decode(b'{"type":"ack","msgid":"12"}') == Ack(seq=12)


@pytest.mark.parametrize("frame", [b'{"type":"command","command":"redirect"}', b'{"type":"session:new"}'])
def test_who_watches_cannot_talk(frame: bytes) -> None:
    problem = JAMBONZ.decode(frame)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.path) == (Code.UNKNOWN_TYPE, "$.type")


# --- projection -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS_OF, ids=lambda kind: kind.__name__)
def test_everything_projected_fits_the_schema(kind: type[e.Event]) -> None:
    @SMALL
    @given(EVENTS_OF[kind])
    def check(event: e.AnyEvent) -> None:
        frame = JAMBONZ.project(event)
        if isinstance(event, e.ToolCalled):
            assert is_frame(json.loads(frame or b"null")), frame
            return
        assert (frame is None) is (said(event) is None)
        assert frame is None or kind in SOMETIMES
        if frame is None:
            return
        read = json.loads(frame)
        assert is_frame(read), frame
        assert is_agent_event(said(event)), frame
        assert read["data"] == said(event)
        assert (read["sequence"], read["msgid"], read["timestamp"]) == (event.seq, str(event.seq), event.at_ms)
        assert (read["turn"], read["request_id"]) == (event.turn, event.request_id)
        assert not {b"\n"[0], b"\r"[0]} & set(frame)

    check()


@BOUNDED
@given(EVENTS)
def test_a_replayed_event_gives_the_same_bytes(event: e.AnyEvent) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(event), type=type(event))
    assert JambonzDialect().project(stored) == JAMBONZ.project(event)
    assert AS_NOTICES.kind(stored) == AS_NOTICES.kind(event)


def test_a_frame_is_a_message_of_jambonz() -> None:
    event = e.TurnAccepted(
        seq=2, at_ms=AT_MS, state="thinking", turn=1, request_id="q", text="Hé\n", source="typed", language="en"
    )
    assert JAMBONZ.project(event) == (
        b'{"type":"agent:event","msgid":"2","sequence":2,"timestamp":1767323045678,"turn":1,"request_id":"q",'
        b'"data":{"type":"user_transcript","transcript":"H\xc3\xa9\\n"}}'
    )


@pytest.mark.parametrize(("whole", "event"), [(True, {"type": "llm_response", "response": "Hi"}), (False, None)])
def test_only_a_whole_answer_is_an_llm_response(whole: bool, event: Any) -> None:
    text = e.TextCompleted(seq=5, at_ms=0, state="idle", response_id="r", message_id="m", text="Hi", whole=whole)
    assert said(text) == event


def test_an_answer_whose_last_words_came_before_a_tool_is_told_at_its_end() -> None:
    ended = msgspec.structs.replace(response_ended("completed"), text="Hi")
    assert said(ended) == {"type": "llm_response", "response": "Hi"}


# Any: an outcome or a state, out of a table.
def response_ended(outcome: Any, state: Any = "idle") -> e.ResponseEnded:
    return e.ResponseEnded(
        seq=5, at_ms=0, state=state, session_id="s", response_id="r", outcome=outcome, tier="gate", figures=FIGURES
    )


# Any: an outcome or a state, out of a table.
def turn_ended(outcome: Any, state: Any = "idle", ttft_ms: int | None = 12) -> e.TurnEnded:
    figures = msgspec.structs.replace(FIGURES, ttft_ms=ttft_ms)
    return e.TurnEnded(
        seq=6,
        at_ms=0,
        state=state,
        turn=1,
        response_id="r",
        outcome=outcome,
        figures=figures,
        text="hello",
        answer="Hi",
    )


@pytest.mark.parametrize(
    ("outcome", "state", "interrupted"),
    [
        ("completed", "idle", False),
        ("completed", "speaking", False),
        ("cancelled", "idle", True),
        ("interrupted", "idle", True),
        ("interrupted", "listening", True),
        ("cancelled", "error", False),
    ],
)
def test_an_interruption_is_what_a_person_does(outcome: str, state: str, interrupted: bool) -> None:
    assert said(response_ended(outcome, state)) == ({"type": "user_interruption"} if interrupted else None)
    assert said(turn_ended(outcome, state))["interrupted"] is interrupted


@pytest.mark.parametrize(("measured", "latency"), [(12, {"model_latency": 12}), (0, {"model_latency": 0}), (None, {})])
def test_turn_end_sums_up(measured: int | None, latency: Any) -> None:
    assert said(turn_ended("completed", ttft_ms=measured)) == {
        "type": "turn_end",
        "transcript": "hello",
        "response": "Hi",
        "interrupted": False,
        "latency": latency,
    }


def test_a_failed_turn_ends_uninterrupted() -> None:
    assert said(turn_ended("failed", "error"))["interrupted"] is False


# --- answers to one connection ----------------------------------------------------------------------


@pytest.mark.parametrize("code", Code)
def test_a_refusal_fits_the_schema(code: Code) -> None:
    problem = Problem(code=code, message="no", path="$.x", limit=3)
    frame = json.loads(JAMBONZ.refuse(problem, request_id="", now_ms=AT_MS))
    assert is_frame(frame)
    data = {"code": code.value, "message": "no", "retryable": problem.retryable, "path": "$.x", "limit": 3}
    assert frame == {"type": "jambonz:error", "data": data}


def test_there_is_no_answer_to_a_join_or_a_repeat() -> None:
    JAMBONZ.opened("s", after=3, last_seq=9)
    JAMBONZ.repeated(Repeated(turn=2, seq=5), request_id="t")
    assert JAMBONZ.name == AS_DIALECT.name == "jambonz"
