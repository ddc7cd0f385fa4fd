"""The console's pure modules for what is done rather than said, in the browser that runs them."""

from typing import Any

import pytest
from playwright.sync_api import Page
from tests.e2e.conftest import Serve, Visit

Json = Any  # What the page computed: trees of whatever depth.

AT = "2026-01-02T03:04:05.678Z"
LATER = "2026-01-02T04:00:00.000Z"


@pytest.fixture
def page(serve_module: Serve, visit: Visit, served: list[str]) -> Page:
    """A page of the server, from which modules can be imported."""
    if not served:
        served.append(serve_module("--agent", "console_agent:answer").url)
    return visit(served[0])


@pytest.fixture(scope="module")
def served() -> list[str]:
    """The address of the module's server, once there is one."""
    return []


def run(page: Page, module: str, script: str, given: Json = None) -> Json:
    """Run a script with the members of a module."""
    return page.evaluate(
        f"given => import('/console/{module}.js').then(module => ((module, given) => {script})(module, given))", given
    )


def fold(page: Page, *frames: Json) -> Json:
    """The view of the events: given twice over, it has to be the same."""
    return run(page, "transcript", "[...given, ...given].reduce(module.fold, module.EMPTY)", list(frames))


def frame(kind: str, sequence: int, **members: Json) -> Json:
    return {"type": kind, "sequence": sequence, "responseId": "a", "requestId": "r-1", "timestamp": AT, **members}


def accepted(sequence: int, turn: int, **details: Json) -> Json:
    told = {"turn": turn, "text": f"text {turn}", **details}
    return frame("diagnostic", sequence, category="turn.accepted", requestId=f"r-{turn}", details=told)


def asking(*, expires: str = LATER) -> list[Json]:
    """A call that waits for its person."""
    ask = {"interruptId": "ap-1", "reason": "tool_approval", "message": "Refund 5?", "toolCallId": "t-1"}
    return [
        accepted(1, 1),
        frame("response.started", 2),
        frame("tool.call", 3, toolCallId="t-1", toolName="refund", input={"amount": 5}),
        frame("tool.result", 4, toolCallId="t-1", output={}, status="awaiting_approval", approvalPolicy="user_confirm"),
        frame("response.completed", 5, outcome="asked", interrupts=[{**ask, "expiresAt": expires}], figures={}),
    ]


def tool(view: Json) -> Json:
    return view["items"][1]["parts"][0]


def test_a_call_waits_for_its_person_and_walks_on(page: Page) -> None:
    prompt = {"approvalId": "ap-1", "prompt": "Refund 5?", "digest": "d1", "expiresAt": LATER}
    told = frame("tool.result", 4, toolCallId="t-1", output={}, status="awaiting_approval", approval=prompt)
    early = tool(fold(page, *asking()[:3], told))
    assert (early["approval"]["id"], early["approval"]["state"], early["digest"]) == ("ap-1", "open", "d1")
    elsewhere = frame("tool.result", 4, toolCallId="t-1", output={}, status="pending_supervisor", approval=prompt)
    assert tool(fold(page, *asking()[:3], elsewhere))["approval"] is None, "it is not the person's to decide"
    waits = tool(fold(page, *asking()))
    assert (waits["status"], waits["policy"], waits["input"]) == ("awaiting_approval", "user_confirm", {"amount": 5})
    assert (waits["approval"]["id"], waits["approval"]["message"], waits["approval"]["state"]) == (
        "ap-1",
        "Refund 5?",
        "open",
    )
    walk = [
        frame("tool.result", 6, toolCallId="t-1", output={}, status="approved"),
        frame("tool.result", 7, toolCallId="t-1", output={}, status="executing"),
    ]
    runs = tool(fold(page, *asking(), *walk))
    assert (runs["status"], runs["output"]) == ("executing", None), "no result before there is one"
    done = tool(
        fold(page, *asking(), *walk, frame("tool.result", 8, toolCallId="t-1", output={"ok": True}, status="completed"))
    )
    assert (done["status"], done["output"]) == ("completed", {"ok": True})


def test_a_repeat_says_what_became_of_it(page: Page) -> None:
    repeat = frame(
        "tool.result",
        6,
        toolCallId="t-1",
        output={"ok": True},
        status="duplicate",
        duplicateDisposition="replayed",
    )
    assert tool(fold(page, *asking(), repeat))["disposition"] == "replayed"


def test_what_was_asked_is_settled_by_an_answer_and_by_time(page: Page) -> None:
    answers = [{"interruptId": "ap-1", "status": "cancelled"}]
    given_up = fold(page, *asking(), accepted(6, 2, answers=answers))
    assert given_up["items"][1]["asks"][0]["state"] == "cancelled"
    assert tool(given_up)["approval"]["state"] == "cancelled"
    late = fold(page, *asking(expires="2026-01-02T03:04:00Z"), frame("response.started", 6, responseId="b"))
    assert late["items"][1]["asks"][0]["state"] == "expired"


def test_a_better_answer_takes_the_place_of_the_poorer_one(page: Page) -> None:
    view = fold(
        page,
        accepted(1, 1),
        frame("response.started", 2),
        frame("text.delta", 3, delta="Perhaps."),
        frame("response.completed", 4, outcome="replaced", figures={}),
        frame("response.started", 5, responseId="b", replaces="a"),
    )
    _, better = view["items"]
    assert (better["key"], better["responseId"], better["parts"]) == ("a", "b", [])
    assert better["before"] == [{"kind": "text", "text": "Perhaps."}], "it stays to be read until there is more"
    assert better["status"] == "thinking"


def test_an_operator_answers_under_their_name_and_an_agent_that_is_not_asked_says_nothing(page: Page) -> None:
    view = fold(
        page,
        accepted(1, 1),
        frame("response.started", 2),
        frame("response.completed", 3, outcome="passed", figures={}),
        frame("response.started", 4, responseId="b", author="Ada"),
        frame("text.delta", 5, responseId="b", delta="Hello."),
    )
    assert [item["kind"] for item in view["items"]] == ["person", "answer"]
    assert view["items"][1]["author"] == "Ada"


def moved(sequence: int, handoff_id: str, status: str, transfer: str = "bot_to_human") -> Json:
    where = {"queuePosition": 2, "estimatedWaitMs": 90_000}
    return frame("handoff.status", sequence, handoffId=handoff_id, status=status, transferType=transfer, **where)


@pytest.mark.parametrize("status", ["queued", "connected", "on_hold", "transferred", "resolved", "cancelled", "failed"])
def test_a_handoff_goes_on_until_it_is_over(page: Page, status: str) -> None:
    (handoff,) = fold(page, moved(1, "h-1", status))["handoffs"]
    assert (handoff["position"], handoff["waitMs"]) == (2, 90_000)
    assert run(page, "acting", "module.goesOn(given)", handoff) is (status in ("queued", "connected", "on_hold"))
    assert run(page, "acting", "module.goesOn(null)") is False


def test_of_several_handoffs_the_one_that_a_person_has_says_who_answers(page: Page) -> None:
    steps = [moved(1, "h-1", "connected"), moved(2, "h-2", "queued", "warm")]
    assert [each["handoffId"] for each in fold(page, *steps)["handoffs"]] == ["h-1", "h-2"]
    steps += [moved(3, "h-3", "queued", "supervisor_consult"), moved(4, "h-3", "resolved", "supervisor_consult")]
    assert [each["handoffId"] for each in fold(page, *steps)["handoffs"]] == ["h-1", "h-2", "h-3"]
    steps += [moved(5, "h-1", "transferred"), moved(6, "h-2", "connected", "warm")]
    assert [each["handoffId"] for each in fold(page, *steps)["handoffs"]] == ["h-2"]


def test_who_joins_in_the_middle_of_an_answer_ends_it(page: Page) -> None:
    cut = [
        accepted(1, 1),
        frame("response.started", 2),
        frame("text.delta", 3, delta="word"),
        frame("response.completed", 4, outcome="interrupted", figures={}),
    ]
    assert fold(page, *cut)["items"][1]["takenBy"] is None
    joined = {**moved(5, "h-1", "connected"), "operator": {"name": "Ada"}}
    assert fold(page, *cut, joined)["items"][1]["takenBy"] == "Ada"


def felt(sequence: int, name: str, score: float, *, adapter: str = "rules", **members: Json) -> Json:
    signal = {"kind": "sentiment", "category": name, "score": score, "confidence": 0.5}
    return frame("signal.update", sequence, signal=signal, source="rule", adapter=adapter, **members)


def test_moods_belong_to_their_turn_and_a_better_estimate_replaces(page: Page) -> None:
    first = [accepted(1, 1), felt(2, "frustration", 0.4, turn=1), felt(3, "urgency", 0.3, turn=1), accepted(4, 2)]
    late = felt(5, "frustration", 0.9, adapter="model", replaces=True, turn=1)
    moods = fold(page, *first, late, felt(6, "anger", 0.2, turn=2))["moods"]
    assert [(mood["name"], mood["score"], mood["turn"]) for mood in moods] == [
        ("frustration", 0.9, 1),
        ("anger", 0.2, 2),
    ]


NDEF = """[module.textRecord('Grüße', 'de'), module.uriRecord('https://example.com/a'),
  module.readRecord({ recordType: 'mime', mediaType: 'text/vcard', data: new DataView(new Uint8Array([1, 2]).buffer) }),
  module.readRecord({ recordType: 'text', lang: 'en', encoding: 'utf-16', data: new DataView(new ArrayBuffer(2)) }),
  module.readRecord({ recordType: 'example.com:t', data: new DataView(new ArrayBuffer(0)) })]"""


def test_records_of_a_tag_are_written_as_they_stand_on_it(page: Page) -> None:
    text, uri, mime, wide, other = run(page, "ndef", NDEF)
    assert text == {"tnf": 1, "type": "T", "id": "", "payload": "AmRlR3LDvMOfZQ=="}
    assert uri == {"tnf": 1, "type": "U", "id": "", "payload": "AGh0dHBzOi8vZXhhbXBsZS5jb20vYQ=="}
    assert (mime["tnf"], mime["type"], mime["payload"]) == (2, "text/vcard", "AQI=")
    assert wide["payload"] == "gmVuAAA=", "the highest bit says UTF-16"
    assert (other["tnf"], other["type"], other["payload"]) == (4, "example.com:t", "")


@pytest.mark.parametrize(
    ("text", "found"), [("04:A2:2b", "04a22b"), (" 04 a2 ", "04a2"), ("04a", None), ("tag", None), ("", None)]
)
def test_the_number_of_a_tag_is_read(page: Page, text: str, found: str | None) -> None:
    assert run(page, "ndef", "module.tagId(given)", text) == found


PNG = "89504e470d0a1a0a0000000d49484452000001f4000000fa08"
JPEG = "ffd8ffe000104a46494600010100000100010000ffffc0001108010002800301"
"""With a fill byte before the frame."""

WEBP = {
    "VP8X": "524946460000000057454250565038580a00000000000000ff0100f90000",
    "VP8L": "5249464600000000574542505650384c050000002fffc13f00",
    "VP8 ": "524946460000000057454250565038201200000030010009d012a4006e00"[:46] + "9d012a90016000",
}


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (PNG, [500, 250]),
        (JPEG, [640, 256]),
        (WEBP["VP8X"], [512, 250]),
        (WEBP["VP8L"], [512, 256]),
        (WEBP["VP8 "], [400, 96]),
        (PNG[:30], None),
        (JPEG[:20], None),
        ("474946383961", None),
        ("", None),
    ],
)
def test_the_size_of_a_picture_is_read_from_its_header(page: Page, head: str, size: list[int] | None) -> None:
    script = """(() => { const found = module.sizeOf(Uint8Array.from(given).buffer);
        return found && [found.width, found.height]; })()"""
    assert run(page, "image-size", script, list(bytes.fromhex(head))) == size


@pytest.mark.parametrize(
    ("ms", "words"),
    [(0, "0 s"), (59_001, "1:00 min"), (61_000, "1:01 min"), (3_600_000, "1 h 00 min"), (-5, "0 s")],
)
def test_what_is_left_is_told_in_seconds(page: Page, ms: int, words: str) -> None:
    assert run(page, "times", "module.left(given)", ms) == words


@pytest.mark.parametrize(
    ("ms", "words"), [(10_000, "less than a minute"), (150_000, "about 3 min"), (7_200_000, "about 2 h")]
)
def test_a_wait_is_told_roughly(page: Page, ms: int, words: str) -> None:
    assert run(page, "times", "module.roughly(given)", ms) == words


ACTING: list[Json] = [
    {"kind": "turn_accepted", "turn": 1, "text": "hi"},
    {"kind": "turn_routed", "turn": 1, "target": "reflex", "complexity": 0.2},
    {"kind": "tool_called", "turn": 1, "call_id": "t", "name": "refund", "arguments": "{}"},
    {"kind": "tool_moved", "turn": 1, "call_id": "t", "name": "refund", "status": "awaiting_approval"},
    {"kind": "signal_updated", "turn": 1, "signal": {"category": "anger", "score": 0.81}, "adapter": "rules"},
    {"kind": "signal_updated", "turn": 1, "signal": {"category": "neutral", "score": 0.9}, "adapter": "rules"},
    {"kind": "tool_returned", "turn": 1, "call_id": "t", "name": "refund", "status": "completed", "result": ""},
    {"kind": "handoff_moved", "turn": 1, "handoff_id": "h", "status": "queued"},
    {"kind": "handoff_moved", "turn": 1, "handoff_id": "h", "status": "connected", "operator": {"name": "Ada"}},
    {"kind": "memory_stored", "turn": 1, "memory_id": "m", "memory_kind": "fact", "importance": 0.5},
    {"kind": "agent_degraded", "turn": 0, "condition": "minimal", "previous": "full_power", "reason": "ram"},
]

RECORD = """(() => { const recording = new module.Recording();
  given.forEach((event, at) => recording.add({ sequence: at + 1, event: { at_ms: at, ...event }, frames: {} }));
  const row = (at, topic) => recording.rowOf(at, topic);
  return { acts: [...recording.turns[0].acts.values()].map((act) => `${act.words} ${act.tone}`.trim()),
    topics: [...recording.topics].map(([topic, rows]) => [topic, rows.length]),
    tools: [row(1, "tools"), row(2, "tools"), row(5, "tools"), row(10, "tools")] }; })()"""


def test_a_turn_tells_what_was_done_in_it_and_events_are_found_by_topic(page: Page) -> None:
    found = run(page, "recording", RECORD, ACTING)
    assert found["acts"] == [
        "reflex, complexity 0.20",
        "refund: done good",
        "anger 81 % bad",
        "person: connected: Ada good",
        "noted: fact",
        "minimal warn",
    ]
    assert dict(found["topics"]) == {
        "words": 1,
        "tiers": 1,
        "tools": 3,
        "signals": 2,
        "handoff": 2,
        "memory": 1,
        "condition": 1,
    }
    assert found["tools"] == [-1, 0, 1, 2], "the row that shows it, or the one before"


def test_advice_says_what_went_wrong_and_what_to_do(page: Page) -> None:
    advise = "module.adviceFor(given)"
    assert run(page, "advice", advise, {"message": "no such thing", "status": 404, "reason": "x"}) == "No such thing."
    lost = {"message": "The server cannot be reached.", "status": 0, "reason": ""}
    assert run(page, "advice", advise, lost) == "The server cannot be reached. Try again in a moment."
    late = {"message": "the token has expired", "status": 401, "reason": "auth_expired"}
    assert run(page, "advice", advise, late) == "The token has expired. Sign in again."
