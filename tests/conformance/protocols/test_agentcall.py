"""The AgentCall dialect against its schemas, AG-UI's own models and somebody else's AG-UI validator."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import ag_ui_validate
import msgspec
import pytest
from ag_ui.core import Event as AguiEvent
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from tests.conformance.protocols.agentcall_samples import OBSERVATIONS, OBSERVED_AT, record, tag
from tests.conformance.protocols.event_strategies import EVENTS_OF, KINDS
from tests.conformance.protocols.schema_edges import Edges
from tests.conformance.protocols.schema_instances import Instances, judge

from duologue.model import commands, events, limits
from duologue.model.content import Attachment, Figures, Message, NdefRecord, NfcObservation, PhotoObservation
from duologue.model.errors import Code, Problem
from duologue.model.replies import Repeated
from duologue.protocols.agentcall import AgentCallDialect, wire
from duologue.protocols.observation import wire as seen

# Any: JSON of no known shape.
Json: TypeAlias = Any

DIALECT = AgentCallDialect()
EXAMPLES = settings().max_examples
OBSERVATION_REF = "agentcall-physical-observation.schema.json"


def _schema(name: str) -> Json:
    folder = files("duologue.protocols.agentcall") / "schemas"
    return json.loads((folder / f"{name}.schema.json").read_text("utf-8"))


CLIENT, SERVER, OBSERVATION = (_schema(f"agentcall-{name}") for name in ("client", "server", "physical-observation"))
MESSAGES = Instances(CLIENT, documents=[OBSERVATION], overrides={OBSERVATION_REF: OBSERVATIONS})
OBSERVED = Instances(OBSERVATION)
SENT_BY_SERVER = judge(SERVER, documents=[OBSERVATION])
AGUI: TypeAdapter[AguiEvent] = TypeAdapter(AguiEvent)


def _decoded(instance: Json) -> commands.Decoded:
    return DIALECT.decode(json.dumps(instance).encode())


def _beyond_schema(problem: Problem) -> bool:
    """Whether what the schema allows is refused: not offered, or over a documented bound of ours."""
    return problem.code in (Code.NO_AUDIO, Code.UNSUPPORTED) or problem.limit == limits.TURN_NUMBER_MAX


def _assert_agreement(instance: Json) -> None:
    decoded = _decoded(instance)
    if not isinstance(decoded, Problem):
        assert MESSAGES.accepts(instance), instance
    elif _beyond_schema(decoded):
        # A turn that is too high is refused before its observation is looked at.
        assert MESSAGES.accepts(instance) or "observation" in instance, (instance, decoded)
    elif not decoded.path.startswith("$.observation"):
        assert not MESSAGES.accepts(instance), (instance, decoded)
        assert decoded.code in (Code.BAD_MESSAGE, Code.UNKNOWN_TYPE) and decoded.path.startswith("$")


@settings(max_examples=2 * EXAMPLES)
@given(MESSAGES.valid())
def test_all_that_the_contract_allows_is_accepted(instance: Json) -> None:
    decoded = _decoded(instance)
    if isinstance(decoded, Problem):
        assert _beyond_schema(decoded), decoded


def test_decoder_and_judge_agree_on_every_edge() -> None:
    sample = tag(record(1, "T", b"\x02enhi"))
    edges = [*Edges(MESSAGES, {OBSERVATION_REF: sample}).all()]
    assert len(edges) > 900
    for instance in edges:
        _assert_agreement(instance)


def test_decoder_refuses_every_edge_that_the_observation_schema_refuses() -> None:
    edges = [*Edges(OBSERVED, sparing=frozenset({"text", "uri", "data"})).all()]
    assert len(edges) > 300
    for observation in edges:
        decoded = _decoded({"type": "user.observation", "turn": 1, "observation": observation})
        refused = isinstance(decoded, Problem) and decoded.code is Code.BAD_MESSAGE
        assert refused or OBSERVED.accepts(observation), observation


@settings(max_examples=2 * EXAMPLES)
@given(MESSAGES.mutated())
def test_decoder_and_judge_agree_on_near_misses(instance: Json) -> None:
    _assert_agreement(instance)


@settings(max_examples=EXAMPLES // 2)
@given(OBSERVED.mutated())
def test_an_observation_that_the_schema_refuses_is_refused(observation: Json) -> None:
    decoded = _decoded({"type": "user.observation", "turn": 1, "observation": observation})
    if not OBSERVED.accepts(observation):
        assert isinstance(decoded, Problem)


@pytest.mark.parametrize("kind", wire.TYPES)
def test_every_message_of_the_contract_is_known(kind: str) -> None:
    decoded = _decoded({"type": kind, "turn": 1, "text": "x", "sequence": 1, "sessionId": "s"})
    assert not isinstance(decoded, Problem) or decoded.code is not Code.UNKNOWN_TYPE
    assert any(branch["properties"]["type"] == {"const": kind} for branch in CLIENT["$defs"].values()
               if "type" in branch["properties"])  # fmt: skip


def test_bounds_in_the_schemas_are_those_of_the_code() -> None:
    photo, tag, record = (OBSERVATION["$defs"][name]["properties"] for name in ("photo", "nfc", "record"))
    assert photo["data"]["maxLength"] == seen.BASE64_PHOTO_CHARS
    assert photo["width"]["maximum"] == photo["height"]["maximum"] == limits.PHOTO_SIDE_PIXELS
    assert photo["uploadId"]["maxLength"] == limits.UPLOAD_ID_CHARS
    assert record["payload"]["maxLength"] == seen.BASE64_PAYLOAD_CHARS
    assert record["type"]["maxLength"] == record["id"]["maxLength"] == limits.NFC_FIELD_CHARS
    assert tag["records"]["maxItems"] == limits.NFC_RECORDS
    assert tag["technologies"]["maxItems"] == limits.NFC_TECHNOLOGIES
    assert tag["tagId"]["maxLength"] == 2 * limits.NFC_TAG_ID_BYTES
    prose = json.dumps(OBSERVATION)
    for bound in (limits.PHOTO_PIXELS, limits.UPLOAD_BYTES, limits.NFC_MESSAGE_BYTES):
        assert str(bound) in prose
    assert [code.value for code in Code] == SERVER["$defs"]["code"]["enum"]


SHOWN = st.sampled_from(
    [
        None,
        NfcObservation(
            tag_id="04a1",
            technologies=("NfcA",),
            records=(
                NdefRecord(tnf=1, type="T", payload="AmVuaGk=", text="hi"),
                NdefRecord(tnf=1, type="U", record_id="x", payload="BGE=", uri="https://a"),
            ),
            observed_at=OBSERVED_AT,
        ),
        PhotoObservation(
            photo=Attachment(upload_id="u-1", name="photo.png", media_type="image/png", size_bytes=9, sha256="0" * 64),
            width=1,
            height=1,
            observed_at=OBSERVED_AT,
        ),
    ]
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_is_one_frame_of_the_server_schema_with_one_agui_event(kind: type[events.Event]) -> None:
    @settings(max_examples=15)
    @given(EVENTS_OF[kind], SHOWN)
    def check(event: events.AnyEvent, shown: NfcObservation | PhotoObservation | None) -> None:
        if isinstance(event, events.TurnAccepted):
            event = msgspec.structs.replace(event, observation=shown)
        sent = DIALECT.project(event)
        frame = json.loads(sent)
        assert SENT_BY_SERVER(frame), frame
        assert b"\n" not in sent and sent == DIALECT.project(event)
        assert (frame["sequence"], frame.get("turn", 0)) == (event.seq, event.turn)
        assert AGUI.validate_python(frame["event"]).timestamp == event.at_ms

    check()


def test_control_frames_fit_the_server_schema_and_take_no_sequence() -> None:
    problems = [Problem(code=code, message="m", path="$.x", limit=3, turn=1) for code in Code]
    sent = [DIALECT.refuse(problem, request_id="", now_ms=1) for problem in problems]
    sent.append(DIALECT.refuse(Problem(code=Code.BUSY, message="m"), request_id="r", now_ms=1))
    sent.append(DIALECT.opened("s", after=0, last_seq=0))
    sent.append(DIALECT.repeated(Repeated(turn=1, seq=2), request_id=""))
    for frame in map(json.loads, sent):
        assert SENT_BY_SERVER(frame), frame
        assert "sequence" not in frame
    assert json.loads(sent[-3]) == {"type": "error", "code": "busy", "message": "m", "retryable": True}


FIGURES = Figures(ttft_ms=5, duration_ms=9, total_tokens=2, tps=1.5, quality_pass=True, language="en")


AT_MS = 1_767_322_000_000


def _run(end: events.Outcome, run: str, first: int) -> Iterator[events.AnyEvent]:
    """One run as the engine writes it, from the sequence `first`."""
    yield events.ResponseStarted(
        seq=first, at_ms=AT_MS, state="thinking", turn=1, session_id="s", response_id=run, tier="workhorse"
    )
    yield events.TextStarted(
        seq=first + 1,
        at_ms=AT_MS,
        state="speaking",
        turn=1,
        response_id=run,
        message_id="m",
        tier="workhorse",
    )
    for place, text in enumerate(["Hi", "!"], first + 2):
        yield events.TextDelta(
            seq=place,
            at_ms=AT_MS,
            state="speaking",
            turn=1,
            response_id=run,
            message_id="m",
            text=text,
            length=2,
        )
    yield events.Cited(seq=first + 4, at_ms=AT_MS, state="speaking", turn=1, response_id=run, title="t", url="/docs/x")
    yield events.TextCompleted(
        seq=first + 5, at_ms=AT_MS, state="speaking", turn=1, response_id=run, message_id="m", text="Hi"
    )
    yield _end(end, run, first + 6)


def _end(end: events.Outcome, run: str, seq: int) -> events.AnyEvent:
    if end == "failed":
        return events.ResponseFailed(
            seq=seq,
            at_ms=AT_MS,
            state="error",
            turn=1,
            response_id=run,
            code=Code.AGENT_FAILED,
            message="m",
            retryable=True,
        )
    return events.ResponseEnded(
        seq=seq,
        at_ms=AT_MS,
        state="idle",
        turn=1,
        session_id="s",
        response_id=run,
        outcome=end,
        tier="workhorse",
        figures=FIGURES,
    )


def _agui_run(run: Iterator[events.AnyEvent]) -> list[Json]:
    return [json.loads(DIALECT.project(event))["event"] for event in run]


@pytest.mark.parametrize("end", ["completed", "cancelled", "interrupted", "failed"])
def test_a_run_is_a_valid_agui_stream_and_so_is_the_next(end: events.Outcome) -> None:
    validator = ag_ui_validate.create_validator()
    for inner in [*_agui_run(_run(end, "r-1", 3)), *_agui_run(_run("completed", "r-2", 12))]:
        assert validator.feed(inner) == []
    assert validator.finalize() == []
    last = _agui_run(_run(end, "r-1", 3))[-1]
    outcomes = {"completed": {"type": "success"}, "failed": None}
    assert last.get("outcome") == outcomes.get(end, {"type": "cancelled"})


def test_a_trimmed_history_is_a_snapshot_with_its_epoch() -> None:
    trimmed = events.HistoryTrimmed(
        seq=40,
        at_ms=1,
        state="idle",
        epoch=2,
        messages=(
            Message(role="user", text="hi", turn=1),
            Message(role="assistant", text="He", turn=1, interrupted=True),
        ),
    )
    inner = json.loads(DIALECT.project(trimmed))["event"]
    assert inner["metadata"] == {"duologue": {"epoch": 2}}
    assert [(m["role"], m["content"], m["metadata"]["duologue"]["interrupted"]) for m in inner["messages"]] == [
        ("user", "hi", False),
        ("assistant", "He", True),
    ]


PAGE = (Path(__file__).parents[3] / "docs" / "agentcall.md").read_text("utf-8")
EXAMPLES_IN_DOCS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]


@pytest.mark.parametrize("example", EXAMPLES_IN_DOCS, ids=lambda example: example["type"])
def test_every_example_in_the_docs_is_true(example: Json) -> None:
    if SENT_BY_SERVER(example):
        return
    assert MESSAGES.accepts(example)
    assert not isinstance(_decoded(example), Problem)


def test_every_custom_name_and_message_is_in_the_docs() -> None:
    shapes = [shape.get("properties", {}) for shape in SERVER["$defs"].values()]
    names = {shape["name"]["const"] for shape in shapes if "const" in shape.get("name", {})}
    assert len(names) == 43
    for name in names | set(wire.TYPES) | {"session.opened", "turn.repeated"}:
        assert f"`{name}`" in PAGE
