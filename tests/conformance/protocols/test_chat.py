"""The chat dialect against its schemas, its contract's rules and its SDK's error table."""

import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.conformance.protocols.agentcall_samples import OBSERVATIONS, photo, png, tag
from tests.conformance.protocols.event_strategies import AT_MS_MAX, EVENTS, EVENTS_OF
from tests.conformance.protocols.schema_instances import Instances, judge

from duologue.model import events as e
from duologue.model import limits
from duologue.model.commands import Decide, GiveOutput, Join, Photo, Refer
from duologue.model.content import (
    Answer,
    Attachment,
    Chip,
    ClientTool,
    ContextItem,
    Figures,
    Message,
    NdefRecord,
    NfcObservation,
    PhotoObservation,
)
from duologue.model.errors import Code, Problem
from duologue.model.inputs import (
    AudioTurnCancelled,
    AudioTurnCommitted,
    AudioTurnStarted,
    CancelRequested,
    EndRequested,
    UserTurn,
)
from duologue.model.replies import Repeated
from duologue.ports.dialect import Dialect
from duologue.protocols.chat import (
    Cancel,
    ChatDialect,
    End,
    Send,
    ToolCall,
    decode_cancel,
    decode_end,
    decode_send,
    decode_tool_call,
    http_status,
)
from duologue.protocols.chat.errors import SDK_RETRYABLE, code_word
from duologue.protocols.chat.links import absolute
from duologue.protocols.chat.moment import rfc3339

BASE = "http://127.0.0.1:8420"
CHAT = ChatDialect(BASE)
AS_DIALECT: Dialect = CHAT
AT_MS = 1_767_323_045_678
FIGURES = Figures(ttft_ms=12, duration_ms=340, total_tokens=5, tps=15.2, quality_pass=True, language="en")
NO_WORD = {
    e.SessionStarted,
    e.TextStarted,
    e.TurnEnded,
    e.SpeechPrepared,
    e.AnswerCompleted,
    e.SupervisorNoted,
    e.LegEnded,
}
SDK_FINAL = {"AUTH_REQUIRED", "AUTH_FAILED", "CONFIG_INVALID"}
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
BOUNDED = settings(suppress_health_check=UNHURRIED)
SMALL = settings(max_examples=40, suppress_health_check=UNHURRIED)


def load(name: str) -> Any:
    return json.loads((files("duologue.protocols.chat") / "schemas" / f"{name}.schema.json").read_text("utf-8"))


def part(name: str) -> Any:
    """One definition of the client schema as a schema of its own."""
    whole = load("chat-client")
    return {
        "$schema": whole["$schema"],
        "$id": whole["$id"],
        "$defs": whole["$defs"],
        "$ref": f"#/$defs/{name}",
    }


def wire(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def shown(event: e.AnyEvent) -> Any:
    frame = CHAT.project(event)
    assert frame is not None
    return json.loads(frame)


OBSERVATION_REF = "agentcall-physical-observation.schema.json"
OBSERVATION = json.loads((files("duologue.protocols.agentcall") / "schemas" / OBSERVATION_REF).read_text("utf-8"))


def instances(schema: Any) -> Instances:
    """Make instances of a schema that may refer to an observation."""
    return Instances(schema, documents=[OBSERVATION], overrides={OBSERVATION_REF: OBSERVATIONS})


CLIENT = instances(load("chat-client"))
BODIES = {
    "sendBody": (instances(part("sendBody")), decode_send),
    "cancelBody": (instances(part("cancelBody")), decode_cancel),
    "endBody": (instances(part("endBody")), decode_end),
    "toolOutputBody": (instances(part("toolOutputBody")), decode_tool_call),
    "decisionBody": (instances(part("decisionBody")), decode_tool_call),
}
is_event = judge(load("chat-event"))
is_control = judge(load("chat-control"))


# --- schemas ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chat-event", "chat-client", "chat-control"])
def test_schema_is_valid(name: str) -> None:
    assert jsonschema_rs.meta.is_valid(load(name))


def test_event_schema_holds_the_whole_contract() -> None:
    parts = [branch["allOf"][1] for branch in load("chat-event")["oneOf"]]
    assert {p["properties"]["type"]["const"]: set(p["required"]) for p in parts} == {
        "response.started": {"responseId"},
        "text.delta": {"responseId", "delta"},
        "text.completed": {"responseId", "text"},
        "rich.payload": {"responseId", "payloadType", "data"},
        "tool.call": {"responseId", "toolCallId", "toolName", "input"},
        "tool.result": {"responseId", "toolCallId", "output"},
        "citation": {"responseId", "title", "url"},
        "suggestion.chips": {"responseId", "chips"},
        "handoff.status": {"responseId", "status"},
        "diagnostic": {"responseId", "category", "message"},
        "error": {"code", "message"},
        "signal.update": {"responseId", "signal", "source", "adapter"},
        "response.completed": {"responseId"},
        "session.ended": {"reason"},
    }


# --- decode agrees with an independent judge --------------------------------------------------------


def agree(instances: Instances, instance: Any, answer: object) -> bool:
    """Whether judge and decoder say the same; what a photo or tag holds, no schema can say."""
    if isinstance(answer, Problem) and answer.path.startswith("$.observation"):
        return True
    return instances.accepts(instance) is not isinstance(answer, Problem)


@SMALL
@given(CLIENT.valid())
def test_valid_client_frames_are_read(instance: Any) -> None:
    assert not isinstance(CHAT.decode(wire(instance)), Problem)


@BOUNDED
@given(CLIENT.mutated())
@example({"type": "session.start", "cursor": 2.0})
@example({"type": "session.start", "cursor": 2.5})
@example({"type": "session.start", "cursor": 2**53})
@example({"type": "session.start", "cursor": True})
@example({"type": "session.start", "sessionId": None})
@example({"type": "session.start", "language": "en\n"})
@example({"type": "message.send", "requestId": "r", "text": ""})
@example({"type": "message.send", "requestId": "r", "text": "", "attachments": []})
@example({"type": "message.send", "requestId": "r", "text": "", "attachments": ["u"]})
@example({"type": "message.send", "requestId": "r", "text": "\U0001f600" * 65_536})
@example({"type": "message.send", "requestId": "r", "text": "x" * 65_537})
@example({"type": "message.send", "requestId": "r", "text": "x", "more": {"deep": [None]}})
def test_decode_and_judge_agree_on_client_frames(instance: Any) -> None:
    assert agree(CLIENT, instance, CHAT.decode(wire(instance)))


@pytest.mark.parametrize("name", BODIES)
def test_decode_and_judge_agree_on_bodies(name: str) -> None:
    instances, read = BODIES[name]

    @BOUNDED
    @given(instances.valid() | instances.mutated())
    def check(instance: Any) -> None:
        assert agree(instances, instance, read(wire(instance)))

    check()


@BOUNDED
@given(st.binary(max_size=60))
@example(b'{"type":"message.send","requestId":"\\ud800","text":"x"}')
@example(b"[" * 5_000)
@example(b'{"type":"session.start","cursor":NaN}')
def test_decode_never_raises(frame: bytes) -> None:
    for read in (CHAT.decode, decode_send, decode_cancel, decode_end):
        assert isinstance(read(frame), Problem)


# --- what client frames mean ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "meaning"),
    [
        ({"type": "session.start"}, Join(session_id=None)),
        (
            {"type": "session.start", "sessionId": "s", "cursor": 7, "language": "de"},
            Join(session_id="s", after=7, language="de"),
        ),
        (
            {
                "type": "message.send",
                "requestId": "q",
                "text": "hi",
                "language": "en",
                "context": [{"description": "page", "value": "/a"}],
            },
            UserTurn(
                text="hi",
                request_id="q",
                language="en",
                context=(ContextItem(description="page", value="/a"),),
            ),
        ),
        (
            {"type": "message.send", "requestId": "q", "text": "", "attachments": ["u1", "u2"]},
            Refer(turn=UserTurn(text="", request_id="q"), upload_ids=("u1", "u2")),
        ),
        (
            {"type": "session.start", "sessionId": "s", "modalities": ["photo"]},
            Join(session_id="s", modalities=("photo",)),
        ),
        (
            {
                "type": "message.send",
                "requestId": "q",
                "text": "hi",
                "tools": [{"name": "t", "description": "d"}],
                "resume": [{"interruptId": "i", "status": "resolved", "payload": {"a": 1}}],
            },
            UserTurn(
                text="hi",
                request_id="q",
                tools=(ClientTool(name="t", description="d"),),
                resume=(Answer(interrupt_id="i", status="resolved", payload={"a": 1}),),
            ),
        ),
        (
            {"type": "tool.output", "toolCallId": "c", "output": {"a": 1}},
            GiveOutput(call_id="c", output='{"a":1}'),
        ),
        ({"type": "tool.output", "toolCallId": "c", "output": "words"}, GiveOutput(call_id="c", output="words")),
        (
            {"type": "tool.output", "toolCallId": "c", "error": "no"},
            GiveOutput(call_id="c", output="no", is_error=True),
        ),
        (
            {"type": "approval.decide", "toolCallId": "c", "decision": "approve", "arguments": {"b": 1}},
            Decide(decision="approve", call_id="c", arguments='{"b":1}'),
        ),
        (
            {"type": "approval.decide", "approvalId": "a", "decision": "deny", "digest": "d", "reason": "no"},
            Decide(decision="deny", approval_id="a", digest="d", reason="no"),
        ),
        ({"type": "response.cancel"}, CancelRequested()),
        ({"type": "response.cancel", "responseId": "r"}, CancelRequested(response_id="r")),
        ({"type": "session.end"}, EndRequested()),
        ({"type": "audio.turn.start", "turn": 3}, AudioTurnStarted(turn=3)),
        ({"type": "audio.turn.commit", "turn": 3}, AudioTurnCommitted(turn=3)),
        ({"type": "audio.turn.cancel", "turn": 3}, AudioTurnCancelled(turn=3)),
    ],
)
def test_client_frames_mean(frame: Any, meaning: object) -> None:
    assert CHAT.decode(wire(frame)) == meaning


@pytest.mark.parametrize(
    ("frame", "code", "path"),
    [
        (b"{", Code.BAD_JSON, ""),
        (b"[]", Code.BAD_MESSAGE, "$"),
        (b"{}", Code.BAD_MESSAGE, "$.type"),
        (b'{"type":"message.sent"}', Code.UNKNOWN_TYPE, "$.type"),
        (b'{"type":"message.send","requestId":"q","text":""}', Code.BAD_MESSAGE, "$.text"),
        (
            b'{"type":"message.send","requestId":"q","text":"x","context":[{"description":"d","value":1}]}',
            Code.BAD_MESSAGE,
            "$.context[0].value",
        ),
    ],
)
def test_bad_frames_are_named_precisely(frame: bytes, code: Code, path: str) -> None:
    problem = CHAT.decode(frame)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.path) == (code, path)


def test_a_tag_is_shown_with_what_it_answers() -> None:
    read = CHAT.decode(
        wire({"type": "message.send", "requestId": "q", "text": "", "interactionId": "i", "observation": tag()})
    )
    assert isinstance(read, UserTurn) and isinstance(read.observation, NfcObservation)
    assert (read.interaction_id, read.text) == ("i", "")


def test_a_photo_is_stored_or_looked_up_before_its_turn() -> None:
    inline = photo(png(2, 1), "image/png", 2, 1)
    uploaded = {name: value for name, value in inline.items() if name != "data"} | {"uploadId": "u"}
    sent = decode_send(wire({"requestId": "q", "text": "look", "observation": inline}))
    assert isinstance(sent, Send) and isinstance(sent.command, Photo)
    assert sent.named(request_id="n", idempotency_key="k").turn.request_id == "n"
    referred = decode_send(wire({"requestId": "q", "text": "", "observation": uploaded}))
    assert isinstance(referred, Send) and isinstance(referred.command, Refer)
    assert referred.command.upload_ids == ("u",)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"attachments": ["u"], "observation": tag()}, "$.attachments"),
        ({"interactionId": "i"}, "$.interactionId"),
        ({"observation": tag() | {"tagId": "04a"}}, "$.observation.tagId"),
        ({"tools": [{"name": "t", "description": "x" * limits.CLIENT_DATA_BYTES}]}, "$.tools"),
    ],
)
def test_what_a_message_may_not_hold_is_named(more: dict[str, object], path: str) -> None:
    problem = CHAT.decode(wire({"type": "message.send", "requestId": "q", "text": "hi"} | more))
    assert isinstance(problem, Problem)
    assert problem.path == path


def test_a_body_of_a_tool_call_is_an_output_or_a_decision() -> None:
    given_out = decode_tool_call(b'{"sessionId":"s","toolCallId":"c","output":[1]}')
    decided = decode_tool_call(b'{"sessionId":"s","toolCallId":"c","decision":"approve"}')
    assert given_out == ToolCall(session_id="s", command=GiveOutput(call_id="c", output="[1]"))
    assert decided == ToolCall(session_id="s", command=Decide(decision="approve", call_id="c"))
    for body, path in (
        (b'{"sessionId":"s","toolCallId":"c"}', "$.output"),
        (b'{"sessionId":"s","decision":"approve"}', "$.toolCallId"),
        (b'{"sessionId":"s","toolCallId":"c","decision":"maybe"}', "$.decision"),
        (b'{"sessionId":"s","toolCallId":"c","decision":"approve","output":{}}', "$.output"),
        (b'{"sessionId":"s","toolCallId":"c","decision":"deny","error":"no"}', "$.error"),
    ):
        problem = decode_tool_call(body)
        assert isinstance(problem, Problem)
        assert problem.path == path


def test_bodies_mean() -> None:
    assert decode_send(b'{"text":"hi"}') == Send(session_id=None, command=UserTurn(text="hi"))
    assert decode_cancel(b'{"sessionId":"s","responseId":"r"}') == Cancel(
        session_id="s", command=CancelRequested(response_id="r")
    )
    assert decode_end(b'{"sessionId":"s"}') == End(session_id="s", command=EndRequested())


def test_a_send_is_named_by_its_transport() -> None:
    plain = decode_send(b'{"sessionId":"s","text":"hi"}')
    referring = decode_send(b'{"sessionId":"s","text":"","attachments":["u"]}')
    assert isinstance(plain, Send) and isinstance(referring, Send)
    assert plain.turn.request_id is None
    named = UserTurn(text="hi", request_id="q", idempotency_key="k")
    assert plain.named(request_id="q", idempotency_key="k").command == named
    assert referring.named(request_id="q", idempotency_key=None) == Send(
        session_id="s", command=Refer(turn=UserTurn(text="", request_id="q"), upload_ids=("u",))
    )


# --- projection -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENTS_OF, ids=lambda kind: kind.__name__)
def test_everything_projected_is_the_contracts(kind: type[e.Event]) -> None:
    @SMALL
    @given(EVENTS_OF[kind])
    def check(event: e.AnyEvent) -> None:
        frame = CHAT.project(event)
        assert (frame is None) is (kind in NO_WORD)
        if frame is None:
            return
        assert is_event(json.loads(frame)), frame
        assert json.loads(frame)["sequence"] == event.seq
        assert not {b"\n"[0], b"\r"[0]} & set(frame)

    check()


@BOUNDED
@given(EVENTS)
def test_a_replayed_event_gives_the_same_bytes(event: e.AnyEvent) -> None:
    stored = msgspec.json.decode(msgspec.json.encode(event), type=type(event))
    assert ChatDialect(BASE).project(stored) == CHAT.project(event)


def test_text_delta() -> None:
    event = e.TextDelta(
        seq=9, at_ms=AT_MS, state="speaking", turn=1, request_id="q", response_id="r", message_id="m",
        text="Hé\n", length=3,
    )  # fmt: skip
    assert CHAT.project(event) == (
        b'{"type":"text.delta","requestId":"q","timestamp":"2026-01-02T03:04:05.678Z","sequence":9,'
        b'"responseId":"r","delta":"H\xc3\xa9\\n"}'
    )


def test_events_of_a_turn_name_it() -> None:
    of_turn = e.ResponseFailed(
        seq=3, at_ms=AT_MS, state="idle", turn=4, response_id="r", code=Code.AGENT_FAILED, message="no", retryable=False
    )
    assert shown(of_turn)["correlationId"] == "turn-4"
    over = e.SessionEnded(seq=9, at_ms=AT_MS, state="idle", reason="user")
    assert "correlationId" not in shown(over)
    assert shown(over)["responseId"] == "session"


def test_response_started_names_a_second_attempt() -> None:
    first = e.ResponseStarted(seq=3, at_ms=AT_MS, state="thinking", session_id="s", response_id="r", tier="reflex")
    assert "attempt" not in shown(first)
    assert shown(first)["requestId"] == "session"
    assert shown(msgspec.structs.replace(first, attempt=2))["attempt"] == 2


def test_response_completed_carries_outcome_and_figures() -> None:
    event = e.ResponseEnded(
        seq=3, at_ms=AT_MS, state="idle", session_id="s", response_id="r", outcome="cancelled", tier="reflex",
        figures=FIGURES,
    )  # fmt: skip
    assert shown(event)["outcome"] == "cancelled"
    assert shown(event)["figures"] == {
        "ttftMs": 12, "durationMs": 340, "totalTokens": 5, "tps": 15.2, "qualityPass": True, "language": "en",
    }  # fmt: skip
    silent = msgspec.structs.replace(event, figures=msgspec.structs.replace(FIGURES, ttft_ms=None))
    assert "ttftMs" not in shown(silent)["figures"]


def test_other_clients_see_what_the_person_said() -> None:
    photo = Attachment(upload_id="u", name="a.png", media_type="image/png", size_bytes=9, sha256="ab")
    event = e.TurnAccepted(
        seq=2, at_ms=AT_MS, state="thinking", turn=4, request_id="q", text="look", source="voice",
        language="de", attachments=(photo,),
        observation=PhotoObservation(photo=photo, width=2, height=3, observed_at="2026-01-02T03:04:05Z"),
    )  # fmt: skip
    frame = shown(event)
    upload = {
        "uploadId": "u", "name": "a.png", "mediaType": "image/png", "sizeBytes": 9, "sha256": "ab",
    }  # fmt: skip
    assert (frame["type"], frame["category"]) == ("diagnostic", "turn.accepted")
    assert (frame["responseId"], frame["requestId"], frame["message"]) == ("turn-4", "q", "look")
    assert frame["details"] == {
        "turn": 4, "text": "look", "source": "voice", "language": "de", "attachments": [upload],
        "observation": {
            "kind": "photo", "observedAt": "2026-01-02T03:04:05Z", "photo": upload, "width": 2, "height": 3,
        },
    }  # fmt: skip


def test_other_clients_see_a_tag_that_was_read() -> None:
    tag = NfcObservation(
        tag_id="04a1",
        technologies=("NfcA",),
        records=(
            NdefRecord(tnf=1, uri="https://example.org/"),
            NdefRecord(tnf=1, text="hi"),
            NdefRecord(tnf=0),
        ),
        observed_at="2026-01-02T03:04:05Z",
    )
    event = e.TurnAccepted(
        seq=2, at_ms=AT_MS, state="thinking", turn=1, text="", source="typed", language="en", observation=tag
    )
    assert shown(event)["details"]["observation"] == {
        "kind": "nfc", "observedAt": "2026-01-02T03:04:05Z", "tagId": "04a1", "technologies": ["NfcA"],
        "records": ["https://example.org/", "hi"],
    }  # fmt: skip


def test_diagnostics_of_the_session() -> None:
    events: dict[str, e.AnyEvent] = {
        "capabilities.changed": e.CapabilitiesChanged(seq=2, at_ms=0, state="idle", modalities=("nfc",)),
        "state.changed": e.StateChanged(
            seq=3, at_ms=0, state="listening", trigger="user_activates_mic", previous="idle"
        ),
        "own": e.Noted(seq=5, at_ms=0, state="idle", response_id="", category="own", message="m"),
    }
    for category, event in events.items():
        frame = shown(event)
        assert (frame["type"], frame["category"], frame["responseId"]) == ("diagnostic", category, "session")


def test_trimmed_history_comes_as_a_payload() -> None:
    asked = Message(role="user", text="a", turn=1)
    answered = Message(role="assistant", text="b", turn=1, interrupted=True)
    event = e.HistoryTrimmed(seq=40, at_ms=0, state="idle", epoch=1, messages=(asked, answered))
    frame = shown(event)
    assert (frame["payloadType"], frame["responseId"]) == ("duologue.history", "history")
    assert frame["data"] == {
        "epoch": 1,
        "messages": [
            {"role": "user", "text": "a", "turn": 1},
            {"role": "assistant", "text": "b", "turn": 1, "interrupted": True},
        ],
    }


def test_a_payload_version_is_at_least_one() -> None:
    event = e.Showed(seq=2, at_ms=0, state="speaking", response_id="r", payload_type="card", data={}, version=0)
    assert shown(event)["payloadVersion"] == 1


# --- addresses and times ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_url", "made"),
    [
        ("/docs/chat#send", f"{BASE}/docs/chat#send"),
        ("docs/chat", f"{BASE}/docs/chat"),
        ("", f"{BASE}/"),
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/%41%zz", "https://example.org/%41%25zz"),
        ("https://u:p@[::1]:80/", "https://u:p@[::1]:80/"),
        ("https://[::zz]/", "https://%5B%3A%3Azz%5D/"),
        ("https://a:b:c/", "https://a%3Ab%3Ac/"),
        ("urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("javascript:alert(1)", f"{BASE}/javascript:alert(1)"),
        ("JavaScript:alert(1)", f"{BASE}/JavaScript:alert(1)"),
        ("data:text/html,x", f"{BASE}/data:text/html,x"),
        ("//evil.example/x", f"{BASE}/evil.example/x"),
    ],
)
def test_citations_are_absolute(given_url: str, made: str) -> None:
    assert absolute(given_url, BASE) == made


def test_a_public_address_may_have_a_path_and_a_slash() -> None:
    event = e.Cited(seq=2, at_ms=0, state="speaking", response_id="r", title="t", url="/docs/chat")
    frame = ChatDialect("https://example.org/talk/").project(event)
    assert frame is not None
    assert json.loads(frame)["url"] == "https://example.org/talk/docs/chat"


is_uri = jsonschema_rs.Draft7Validator({"type": "string", "format": "uri"}, validate_formats=True).is_valid


@BOUNDED
@given(st.text() | st.text().map("http://".__add__) | st.text("[]:/?#@%&a0.é \\", max_size=20).map("x://".__add__))
def test_any_citation_becomes_a_uri(text: str) -> None:
    made = absolute(text, BASE)
    assert is_uri(made), made
    assert absolute(made, BASE) == made


@pytest.mark.parametrize(
    ("at_ms", "written"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (AT_MS, "2026-01-02T03:04:05.678Z"),
        (951_782_400_009, "2000-02-29T00:00:00.009Z"),
        (AT_MS_MAX, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_times_are_written_in_rfc_3339(at_ms: int, written: str) -> None:
    assert rfc3339(at_ms) == written


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", Code)
@pytest.mark.parametrize("retryable", [False, True])
def test_a_code_word_never_contradicts_the_sdks_table(code: Code, retryable: bool) -> None:
    word = code_word(code, retryable=retryable)
    assert word not in (SDK_FINAL if retryable else SDK_RETRYABLE)


@pytest.mark.parametrize("code", Code)
def test_a_refusal_is_an_error_event_without_a_sequence(code: Code) -> None:
    problem = Problem(code=code, message="no", path="$.x", limit=3, turn=2)
    frame = json.loads(CHAT.refuse(problem, request_id="", now_ms=AT_MS))
    assert is_event(frame)
    assert "sequence" not in frame
    assert frame["requestId"] == "session"
    assert (frame["reason"], frame["path"], frame["limit"], frame["turn"]) == (code.value, "$.x", 3, 2)
    assert frame["retryable"] is problem.retryable
    assert 400 <= http_status(problem) < 600


@pytest.mark.parametrize(
    ("code", "word", "status"),
    [
        (Code.BAD_JSON, "BAD_REQUEST", 400),
        (Code.TOO_LARGE, "TOO_LARGE", 413),
        (Code.TURN_CONFLICT, "CONFLICT", 409),
        (Code.BUSY, "BUSY", 409),
        (Code.SESSION_ENDED, "SESSION_ENDED", 410),
        (Code.SESSION_UNKNOWN, "SESSION_EXPIRED", 404),
        (Code.UPLOAD_REFUSED, "FILE_VALIDATION_FAILED", 415),
        (Code.UPLOAD_UNKNOWN, "UPLOAD_FAILED", 400),
        (Code.AUTH_REQUIRED, "AUTH_REQUIRED", 401),
        (Code.AUTH_EXPIRED, "AUTH_EXPIRED", 401),
        (Code.ORIGIN_REFUSED, "AUTH_FAILED", 403),
        (Code.DRAINING, "TRANSPORT_CONNECT_FAILED", 503),
        (Code.STORE_FAILED, "SEND_FAILED", 503),
        (Code.RUN_LOST, "STREAM_INTERRUPTED", 502),
    ],
)
def test_error_words(code: Code, word: str, status: int) -> None:
    problem = Problem(code=code, message="no")
    assert json.loads(CHAT.refuse(problem, request_id="q", now_ms=0))["code"] == word
    assert http_status(problem) == status


def test_a_failed_response_says_whether_another_follows() -> None:
    event = e.ResponseFailed(
        seq=8, at_ms=AT_MS, state="error", request_id="q", response_id="r", code=Code.RUN_LOST, message="cut",
        retryable=True, will_retry=True,
    )  # fmt: skip
    frame = shown(event)
    assert (frame["code"], frame["reason"], frame["retryable"]) == ("STREAM_INTERRUPTED", "run_lost", True)
    assert (frame["willRetry"], frame["responseId"], frame["sequence"]) == (True, "r", 8)
    final = shown(msgspec.structs.replace(event, code=Code.AGENT_FAILED, retryable=False, will_retry=False))
    assert (final["code"], final["retryable"]) == ("AGENT_FAILED", False)
    assert "willRetry" not in final


# --- control frames ---------------------------------------------------------------------------------


def test_control_frames() -> None:
    opened = json.loads(CHAT.opened("s", after=3, last_seq=9))
    repeated = json.loads(CHAT.repeated(Repeated(turn=2, seq=5), request_id="q"))
    assert opened == {"type": "session.opened", "sessionId": "s", "cursor": 3, "lastSequence": 9}
    assert repeated == {"type": "message.repeated", "requestId": "q", "turn": 2, "acceptedSequence": 5}
    assert is_control(opened) and is_control(repeated)
    assert CHAT.name == AS_DIALECT.name == "chat"


# --- the plain answer -------------------------------------------------------------------------------


def one_turn() -> list[e.AnyEvent]:
    """A turn whose first run was lost and whose second answered."""
    # Any: members of three types.
    at: dict[str, Any] = {"at_ms": AT_MS, "turn": 1, "request_id": "q"}
    return [
        e.TurnAccepted(seq=2, state="thinking", text="hi", source="typed", language="en", **at),
        e.ResponseStarted(seq=3, state="thinking", session_id="s", response_id="r1", tier="reflex", **at),
        e.TextDelta(seq=4, state="speaking", response_id="r1", message_id="m1", text="lost", length=4, **at),
        e.ResponseFailed(
            seq=5, state="thinking", response_id="r1", code=Code.RUN_LOST, message="cut", retryable=True,
            will_retry=True, **at,
        ),
        e.ResponseStarted(
            seq=6, state="thinking", session_id="s", response_id="r2", tier="reflex", attempt=2, **at
        ),
        e.TextStarted(seq=7, state="speaking", response_id="r2", message_id="m2", tier="reflex", **at),
        e.TextDelta(seq=8, state="speaking", response_id="r2", message_id="m2", text="Hel", length=3, **at),
        e.TextDelta(seq=9, state="speaking", response_id="r2", message_id="m2", text="lo", length=5, **at),
        e.Cited(seq=10, state="speaking", response_id="r2", title="t", url="/docs/chat", **at),
        e.Suggested(seq=11, state="speaking", response_id="r2", chips=(Chip(label="a", text="b"),), **at),
        e.Showed(seq=12, state="speaking", response_id="r2", payload_type="card", data={"x": 1}, **at),
        e.TextCompleted(seq=13, state="speaking", response_id="r2", message_id="m2", text="Hello", **at),
        e.ResponseEnded(
            seq=14, state="idle", session_id="s", response_id="r2", outcome="completed", tier="reflex",
            figures=FIGURES, **at,
        ),
        e.TurnEnded(seq=15, state="idle", outcome="completed", response_id="r2", figures=FIGURES, **at),
    ]  # fmt: skip


def test_summary_of_an_answered_turn() -> None:
    events = one_turn()
    body = json.loads(CHAT.summary("s", events))
    assert body.pop("events") == [json.loads(f) for f in map(CHAT.project, events) if f is not None]
    assert body.pop("figures")["totalTokens"] == 5
    assert body == {
        "sessionId": "s", "requestId": "q", "turn": 1, "responseId": "r2", "outcome": "completed",
        "text": "Hello",
        "citations": [{"title": "t", "url": f"{BASE}/docs/chat"}],
        "chips": [{"label": "a", "text": "b"}],
        "payloads": [{"payloadType": "card", "payloadVersion": 1, "data": {"x": 1}}],
        "interrupts": [], "pendingToolCalls": [],
    }  # fmt: skip


def test_summary_of_a_failed_turn_and_of_one_without_an_end() -> None:
    failed = [event for event in one_turn() if event.seq <= 5]
    body = json.loads(CHAT.summary("s", failed))
    assert (body["outcome"], body["text"], body["responseId"]) == ("unfinished", "lost", "r1")
    assert body["error"] == {
        "code": "STREAM_INTERRUPTED", "message": "cut", "retryable": True, "reason": "run_lost",
    }  # fmt: skip


@SMALL
@given(st.lists(EVENTS, max_size=6))
def test_summary_takes_any_events(events: list[e.AnyEvent]) -> None:
    body = json.loads(CHAT.summary("s", events))
    assert all(map(is_event, body["events"]))


@pytest.mark.parametrize("text", ["etwa 3 Minuten", ""])
def test_a_wait_is_told_in_the_conversations_words(text: str) -> None:
    moved = e.HandoffMoved(
        seq=1, at_ms=0, state="idle", handoff_id="s~1", status="queued", transfer="bot_to_human", wait_text=text
    )
    frame = json.loads(CHAT.project(moved) or b"")
    assert frame.get("estimatedWaitTime", "") == text
