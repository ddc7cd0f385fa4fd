"""The AG-UI dialect against AG-UI's own models and somebody else's validator."""

import copy
import json
from importlib.resources import files
from typing import Any, TypeAlias

import msgspec
import pytest
from ag_ui.core import Event as AguiEvent
from ag_ui.core import RunAgentInput
from ag_ui_validate import create_validator
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from tests.conformance.protocols.agentcall_samples import photo, png, tag
from tests.conformance.protocols.event_strategies import EVENTS_OF, KINDS
from tests.conformance.protocols.schema_instances import judge

from duologue.model import events as e
from duologue.model import limits
from duologue.model.commands import Photo
from duologue.model.content import Figures, Interrupt, NfcObservation, Usage
from duologue.model.errors import Code, Problem
from duologue.protocols.agui import AguiDialect, Run, decode_run

# Any: JSON of no known shape.
Json: TypeAlias = Any

DIALECT = AguiDialect()
AGUI: TypeAdapter[AguiEvent] = TypeAdapter(AguiEvent)
FIGURES = Figures(
    ttft_ms=1, duration_ms=2, total_tokens=3, tps=1.5, quality_pass=True, language="en", usage=(Usage(input_tokens=1),)
)
SILENT = {
    e.SessionStarted,
    e.TurnAccepted,
    e.TurnEnded,
    e.StateChanged,
    e.SessionEnded,
    e.HistoryTrimmed,
    e.SupervisorNoted,
    e.LegEnded,
}
CUSTOM = json.loads((files("duologue.protocols.agui") / "schemas" / "agui-custom.schema.json").read_text("utf-8"))
is_custom = judge(CUSTOM)

BODY: Json = {
    "threadId": "t",
    "runId": "r",
    "protocolVersion": "1.0",
    "parentRunId": "p",
    "state": {"a": [1]},
    "messages": [
        {"id": "1", "role": "system", "content": "s"},
        {"id": "2", "role": "developer", "content": "d", "name": "n"},
        {"id": "3", "role": "user", "content": "u", "metadata": {"k": None}},
        {
            "id": "4",
            "role": "assistant",
            "content": "a",
            "toolCalls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"id": "5", "role": "tool", "content": "x", "toolCallId": "c", "error": "e"},
        {"id": "6", "role": "activity", "activityType": "k", "content": {"k": 1}},
        {"id": "7", "role": "reasoning", "content": "hm", "encryptedValue": "z"},
        {
            "id": "8",
            "role": "user",
            "content": [
                {"type": "text", "text": "one"},
                {"type": "text", "text": "two"},
                {"type": "image", "source": {"type": "data", "value": "AAAA", "mimeType": "image/png"}},
                {"type": "document", "source": {"type": "file", "value": "upload-1", "provider": "p"}},
            ],
        },
    ],
    "tools": [{"name": "f", "description": "d", "parameters": {"type": "object"}}],
    "context": [{"description": "d", "value": "v"}],
    "forwardedProps": {"p": 1},
    "resume": [{"interruptId": "i", "status": "resolved", "payload": [1], "metadata": {"k": 1}}],
}
LEAVES: tuple[Json, ...] = (None, 1, 1.5, True, "", "x", [], {}, [None], {"type": "x"}, {"role": "user"})


def _decoded(body: Json) -> Run | Problem:
    return decode_run(json.dumps(body).encode())


def _official(body: Json) -> bool:
    try:
        RunAgentInput.model_validate(body)
    except ValidationError:
        return False
    return True


def _paths(value: Json, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The places of all members, of the whole and of each."""
    here = [path] if path else []
    members: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        members += msgspec.convert(value, dict[str, Any]).items()
    elif isinstance(value, list):
        members += enumerate(msgspec.convert(value, list[Any]))
    return here + [inner for name, member in members for inner in _paths(member, (*path, name))]


def _changed(path: tuple[str | int, ...], leaf: Json, *, drop: bool) -> Json:
    body = copy.deepcopy(BODY)
    place = body
    for name in path[:-1]:
        place = place[name]
    if drop:
        del place[path[-1]]
    else:
        place[path[-1]] = leaf
    return body


def _bound_of_ours(problem: Problem) -> bool:
    """Whether it is refused for what this server does not do, or takes less of."""
    return (
        problem.code in (Code.UNSUPPORTED, Code.TOO_LARGE) or "length" in problem.message or "base64" in problem.message
    )


def test_the_whole_input_is_read() -> None:
    run = _decoded(BODY)
    assert isinstance(run, Run) and run.turn is not None
    turn = run.turn
    assert (run.thread_id, run.run_id, turn.request_id, turn.message_id) == ("t", "r", "r", "8")
    assert (turn.text, turn.if_busy, turn.if_asked) == ("one\n\ntwo", "refuse", "refuse")
    assert ([len(file.data) for file in run.files], run.upload_ids) == ([3], ("upload-1",))
    (result,) = turn.tool_results
    assert (result.call_id, result.content, result.is_error, result.message_id) == ("c", "x", True, "5")
    assert (turn.resume[0].interrupt_id, turn.resume[0].payload) == ("i", [1])
    assert (turn.state, turn.forwarded_props, turn.tools[0].name) == ({"a": [1]}, {"p": 1}, "f")


def test_what_is_shown_answers_the_interrupt_that_asked_for_it() -> None:
    entry = {"interruptId": "interaction-1", "status": "resolved", "payload": tag()}
    run = _decoded(BODY | {"messages": [], "resume": [entry]})
    assert isinstance(run, Run) and run.turn is not None
    assert (run.turn.interaction_id, run.turn.resume, run.shown) == ("interaction-1", (), None)
    assert isinstance(run.turn.observation, NfcObservation)
    picture = photo(png(2, 1), "image/png", 2, 1)
    run = _decoded(BODY | {"messages": [], "resume": [entry | {"payload": picture}]})
    assert isinstance(run, Run) and isinstance(run.shown, Photo)
    given_up = _decoded(BODY | {"messages": [], "resume": [entry | {"status": "cancelled", "payload": None}]})
    assert isinstance(given_up, Run) and given_up.turn is not None
    assert given_up.turn.resume[0].status == "cancelled"
    problem = _decoded(BODY | {"messages": [], "resume": [entry | {"payload": {"kind": "photo"}}]})
    assert isinstance(problem, Problem)
    assert problem.path == "$.resume[0].payload"


@pytest.mark.parametrize("leaf", [*LEAVES, "drop"], ids=repr)
def test_what_the_official_type_refuses_is_refused(leaf: Json) -> None:
    """Every member of a full input in turn, replaced by this or taken away."""
    for path in _paths(BODY):
        body = _changed(path, leaf, drop=leaf == "drop")
        decoded = _decoded(body)
        if not _official(body):
            assert isinstance(decoded, Problem), (path, leaf)
        elif isinstance(decoded, Problem):
            assert _bound_of_ours(decoded), (path, leaf, decoded)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"threadId": "x" * (limits.SESSION_ID_CHARS + 1)}, "$.threadId"),
        ({"runId": ""}, "$.runId"),
        ({"state": "x" * limits.CLIENT_DATA_BYTES}, "$.state"),
        ({"context": [{"description": "d", "value": "v"}] * (limits.CONTEXT_ITEMS + 1)}, "$.context"),
        ({"tools": [{"name": "x" * (limits.TOOL_NAME_CHARS + 1), "description": ""}]}, "$.tools[0].name"),
    ],
)
def test_bounds_are_told_with_their_place(change: Json, path: str) -> None:
    problem = _decoded(BODY | change)
    assert isinstance(problem, Problem)
    assert (problem.path, problem.limit is not None) == (path, True)


def _goes_on(event: e.AnyEvent) -> bool:
    """Whether the run goes on with another answer, which needs no word."""
    match event:
        case e.ResponseEnded():
            return event.superseded or event.outcome == "replaced"
        case e.ResponseStarted():
            return bool(event.replaces)
        case _:
            return False


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_is_at_most_one_agui_event(kind: type[e.Event]) -> None:
    @settings(max_examples=60)
    @given(EVENTS_OF[kind])
    def check(event: e.AnyEvent) -> None:
        frame = DIALECT.project(event)
        if frame is None:
            assert kind in SILENT or _goes_on(event) or isinstance(event, e.ResponseFailed | e.ToolReturned)
            return
        assert b"\n" not in frame and frame == DIALECT.project(event)
        read = json.loads(frame)
        AGUI.validate_python(read)
        assert read["timestamp"] == event.at_ms
        assert read["type"] != "CUSTOM" or is_custom(read), frame

    check()


@st.composite
def runs(draw: st.DrawFn) -> list[e.AnyEvent]:
    """The events of one turn, as the engine would order them."""
    seq = iter(range(1, 10_000))
    told: list[e.AnyEvent] = []

    # Any: the fields are those of the kind.
    def tell(kind: type[e.AnyEvent], **fields: Any) -> None:
        told.append(kind(seq=next(seq), at_ms=1, state="thinking", turn=1, request_id="r", **fields))

    tell(e.ResponseStarted, session_id="t", response_id="r-1", tier="workhorse")
    pending: list[str] = []
    for number in range(draw(st.integers(0, 4))):
        message = f"m-{number}"
        if draw(st.booleans()):
            tell(e.TextStarted, response_id="r-1", message_id=message, tier="workhorse")
            tell(e.TextDelta, response_id="r-1", message_id=message, text="x", length=1)
            tell(e.TextCompleted, response_id="r-1", message_id=message, text="x")
        else:
            message = ""
        called = {"response_id": "r-1", "call_id": f"c-{number}", "name": "f", "arguments": "{}"}
        runs_on = draw(st.sampled_from(["agent", "client"]))
        tell(e.ToolCalled, **called, runs_on=runs_on, message_id=message)
        if runs_on == "agent":
            tell(e.ToolReturned, **called, runs_on=runs_on, result=draw(st.text()))
        else:
            pending.append(f"c-{number}")
    ending = draw(st.sampled_from(["completed", "asked", "cancelled", "interrupted", "failed"]))
    if ending == "failed":
        tell(e.ResponseFailed, response_id="r-1", code=Code.AGENT_FAILED, message="no", retryable=True, figures=FIGURES)
    else:
        asked = (Interrupt(interrupt_id="i", reason="r"),) if ending == "asked" else ()
        calls = tuple(pending) if ending == "completed" else ()
        ended = {"session_id": "t", "response_id": "r-1", "tier": "workhorse", "figures": FIGURES}
        tell(e.ResponseEnded, **ended, outcome=ending, interrupts=asked, pending_calls=calls)
    return told


@given(runs())
def test_a_run_is_a_stream_that_the_validator_finds_nothing_in(told: list[e.AnyEvent]) -> None:
    validator = create_validator()
    for event in told:
        frame = DIALECT.project(event)
        if frame is not None:
            validator.feed(json.loads(frame))
    validator.finalize()
    assert validator.report().diagnostics == []
