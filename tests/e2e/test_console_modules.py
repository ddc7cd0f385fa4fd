"""The console's pure modules, in the browser that runs them."""

from typing import Any

import pytest
from playwright.sync_api import Page
from tests.e2e.conftest import Serve, Visit

Json = Any  # What the page computed: trees of whatever depth.

STAMP = {"requestId": "r-1", "timestamp": "2026-01-02T03:04:05.678Z"}


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


def blocks(page: Page, text: str) -> Json:
    return page.evaluate("text => import('/console/markdown.js').then(module => module.blocks(text))", text)


def spans(page: Page, text: str) -> Json:
    return page.evaluate("text => import('/console/markdown.js').then(module => module.spans(text))", text)


def fold(page: Page, *frames: Json) -> Json:
    """The view of the events: given twice over, it has to be the same."""
    script = """frames => import('/console/transcript.js').then(({ EMPTY, fold }) =>
        [...frames, ...frames].reduce(fold, EMPTY))"""
    return page.evaluate(script, list(frames))


def frame(kind: str, sequence: int, **members: Json) -> Json:
    return {"type": kind, "sequence": sequence, "responseId": "a", **STAMP, **members}


def kinds(found: list[Json]) -> list[str]:
    return [each["kind"] for each in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\n\nthree", ["paragraph", "paragraph"]),
        ("# Title\ntext", ["heading", "paragraph"]),
        ("before\n```py\n# no heading\n\n- no list\n```\nafter", ["paragraph", "code", "paragraph"]),
        ("```\nnever closed", ["code"]),
        ("words\n- item\n- item\n\nafter", ["paragraph", "list", "paragraph"]),
        ("It was in\n2019. A good year.", ["paragraph"]),
        ("> quoted\n> more\n\n---\n", ["quote", "rule"]),
        ("1. one\n2.", ["list"]),
        ("- a\n1. b", ["list", "list"]),
        (" \n\n", []),
    ],
)
def test_a_text_becomes_blocks(page: Page, text: str, expected: list[str]) -> None:
    assert kinds(blocks(page, text)) == expected


def test_lists_nest_and_keep_their_numbers(page: Page) -> None:
    (found,) = blocks(page, "3. three\n   - inner\n     more\n   - second\n4. four")
    assert (found["ordered"], found["first"], len(found["items"])) == (True, 3, 2)
    assert kinds(found["items"][0]) == ["paragraph", "list"]
    assert len(found["items"][0][1]["items"]) == 2


def test_endless_nesting_ends(page: Page) -> None:
    assert kinds(blocks(page, "> " * 2_000 + "deep")) == ["quote"]
    assert len(spans(page, "**" * 2_000 + "deep" + "**" * 2_000)) < 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold** and *italic*", ["bold", "text", "italic"]),
        ("snake_case_name and 2 * 3 * 4", ["text"]),
        ("`a ** b` ``c ` d``", ["code", "text", "code"]),
        ("[a](https://example.com/x_(y)) b", ["link", "text"]),
        ("see https://example.com/a. Or not", ["text", "link", "text"]),
        ("\\*not italic\\*", ["text"]),
        ("one\ntwo", ["text", "break", "text"]),
        ("**still open", ["text"]),
        ("<b>no</b>", ["text"]),
    ],
)
def test_a_block_becomes_spans(page: Page, text: str, expected: list[str]) -> None:
    assert kinds(spans(page, text)) == expected


@pytest.mark.parametrize("text", ["*" * 20_000, "[" * 20_000, "`a " * 10_000, "_a" * 10_000, "- \n" * 5_000])
def test_no_text_takes_long(page: Page, text: str) -> None:
    script = """text => import('/console/markdown.js').then(({ blocks, spans }) => {
        const start = performance.now(); blocks(text); spans(text); return performance.now() - start; })"""
    assert page.evaluate(script, text) < 2_000


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://example.com", True),
        ("/docs/page#heading", True),
        ("//example.com", False),
        ("/\\example.com", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("docs", False),
        ("", False),
        (None, False),
    ],
)
def test_only_some_links_may_be_followed(page: Page, address: str | None, safe: bool) -> None:
    script = "address => import('/console/dom.js').then(module => module.safeLink(address) !== null)"
    assert page.evaluate(script, address) is safe


def test_events_become_a_conversation(page: Page) -> None:
    told = fold(
        page,
        frame("diagnostic", 2, category="turn.accepted", details={"turn": 1, "text": "hi", "source": "voice"}),
        frame("response.started", 3),
        frame("text.delta", 5, delta="Yes"),
        frame("rich.payload", 6, payloadType="card", data={"title": "T"}),
        frame("text.delta", 7, delta=", it is."),
        frame("citation", 8, title="Page", url="http://x/docs/page"),
        frame("citation", 9, title="Page", url="http://x/docs/page"),
        frame("text.completed", 10, text="Yes, it is."),
        frame("response.completed", 11, outcome="completed", figures={"ttftMs": 3}),
        frame("something.new", 12),
    )
    person, answer = told["items"]
    assert (person["text"], person["spoken"], told["sequence"], told["ended"]) == ("hi", True, 12, None)
    assert [part["kind"] for part in answer["parts"]] == ["text", "payload", "text"]
    assert answer["parts"][2]["text"].startswith(", it is.")
    assert (answer["status"], len(answer["sources"]), answer["figures"]) == ("completed", 1, {"ttftMs": 3})


def test_an_answer_to_this_client_moves_no_cursor(page: Page) -> None:
    accepted = frame("diagnostic", 2, category="turn.accepted", details={"turn": 1, "text": "hi"})
    repeated = {"type": "message.repeated", "requestId": "r-1", "turn": 1, "acceptedSequence": 2}
    assert len(fold(page, repeated, accepted)["items"]) == 1


def test_the_whole_text_has_the_last_word(page: Page) -> None:
    told = fold(
        page,
        frame("response.started", 1),
        frame("text.delta", 2, delta="half"),
        frame("text.completed", 3, text="whole"),
    )
    assert told["items"][0]["parts"] == [{"kind": "text", "text": "whole"}]


def test_a_lost_run_is_marked_and_the_next_one_follows(page: Page) -> None:
    told = fold(
        page,
        frame("response.started", 1),
        frame("error", 2, code="STREAM_INTERRUPTED", message="lost", retryable=True, willRetry=True),
        frame("response.started", 3, responseId="b", attempt=2),
        frame("error", 4, responseId="b", code="AGENT_FAILED", message="no", retryable=False),
        frame("session.ended", 5, reason="client"),
    )
    assert [item["status"] for item in told["items"]] == ["lost", "failed"]
    assert told["ended"] == "client"


def test_trimmed_history_stands_for_what_was_before(page: Page) -> None:
    messages = [
        {"role": "user", "text": "old question", "turn": 1},
        {"role": "assistant", "text": "old ans", "turn": 1, "interrupted": True},
    ]
    told = fold(page, frame("rich.payload", 40, payloadType="duologue.history", data={"messages": messages}))
    assert [item["kind"] for item in told["items"]] == ["person", "answer"]
    assert told["items"][1]["status"] == "interrupted"


def test_a_tool_of_a_later_response_returns_where_it_was_called(page: Page) -> None:
    shown = fold(
        page,
        frame("response.started", 1),
        frame("tool.call", 2, toolCallId="t-1", toolName="find", input={}, runsOn="client"),
        frame("response.completed", 3, outcome="asked", interrupts=[{"interruptId": "i", "reason": "ok?"}]),
        frame("response.started", 4, responseId="b"),
        frame("tool.result", 5, responseId="b", toolCallId="t-1", output={}, status="failed", error="no"),
    )
    first, second = shown["items"]
    called = first["parts"][0]
    assert (called["name"], called["status"], called["byClient"]) == ("find", "failed", True)
    assert (first["status"], [ask["message"] for ask in first["asks"]], second["parts"]) == ("asked", ["ok?"], [])


RECORD = """async (lines) => {
  const { Recording } = await import("/console/recording.js");
  const recording = new Recording();
  for (const line of [...lines, ...lines]) recording.add(line);
  const texts = (view) => view.items.flatMap((item) => item.parts ?? []).map((part) => part.text).join("");
  const there = lines.map((_, at) => texts(recording.viewAt(at)));
  const back = lines.map((_, at) => texts(recording.viewAt(lines.length - 1 - at))).reverse();
  return { length: recording.length, rows: recording.rows, turns: recording.turns, there, back,
    rowOf: lines.map((_, at) => recording.rowOf(at)), placeOf: [0, 12, 10_000].map((at) => recording.placeOf(at)),
    turnAt: lines.map((_, at) => recording.turnAt(at)?.turn ?? 0) };
}"""


def line(sequence: int, kind: str, chat: Json = None, **members: Json) -> Json:
    event = {"kind": kind, "seq": sequence, "at_ms": sequence * 10, "turn": 1, **members}
    return {"sequence": sequence, "event": event, "frames": {"chat": chat}}


def test_a_recording_is_the_same_forwards_and_backwards(page: Page) -> None:
    # It begins with event 11, as a trimmed session does, and has more events than lie between two kept views.
    words = [
        line(14 + at, "text_delta", frame("text.delta", 14 + at, delta=f"{at} "), response_id="a") for at in range(300)
    ]
    lines = [
        line(11, "turn_accepted", text="hello"),
        line(12, "response_started", frame("response.started", 12), response_id="a"),
        line(13, "text_started", response_id="a"),
        *words,
        line(314, "response_ended", response_id="a", outcome="completed", figures={"total_tokens": 3}),
        line(315, "turn_ended", outcome="completed"),
        line(316, "state_changed", turn=0),
    ]
    found = page.evaluate(RECORD, lines)
    assert found["length"] == len(lines)
    assert found["there"] == found["back"]
    assert found["there"][-1] == "".join(f"{at} " for at in range(300))
    assert found["there"][3 + 150] == "".join(f"{at} " for at in range(151))
    assert found["rows"][3] == {"from": 3, "to": 302} and len(found["rows"]) == 7
    assert found["rowOf"][:5] == [0, 1, 2, 3, 3] and found["rowOf"][-1] == 6
    assert found["placeOf"] == [0, 1, len(lines) - 1]
    (turn,) = found["turns"]
    assert (turn["from"], turn["to"], turn["outcome"], turn["acceptedAt"]) == (0, 304, "completed", 110)
    (run,) = turn["runs"]
    assert (run["startedAt"], run["firstTextAt"], run["endedAt"]) == (120, 130, 3140)
    assert found["turnAt"] == [1] * 305 + [0]


def place(page: Page, source: str, drawn: str, begin: int, end: int) -> str:
    """What is marked of a drawing for a stretch of its text."""
    script = """([source, drawn, begin, end]) => import('/console/spoken.js').then(({ place }) => {
        const found = place(source, drawn, { begin, end: end < 0 ? Infinity : end });
        return drawn.slice(found.begin, found.end); })"""
    marked: str = page.evaluate(script, [source, drawn, begin, end])
    return marked


@pytest.mark.parametrize(
    ("source", "drawn", "word", "marked"),
    [
        ("one two three", "one two three", "two", "two"),
        ("a **bold** word", "a bold word", "**bold**", "bold"),
        ("- first\n- second", "firstsecond", "second", "second"),
        ("see [the docs](https://example.com/docs) now", "see the docs now", "docs](https://example.com/docs)", "docs"),
        ("see [the docs](https://example.com/docs) now", "see the docs now", "now", "now"),
        ("# Title\n\ntext", "Titletext", "text", "text"),
        ("👍 fine 👍 good", "👍 fine 👍 good", "good", "good"),
        ("a * b", "a  b", "*", ""),
    ],
)
def test_a_word_is_found_in_what_was_drawn(page: Page, source: str, drawn: str, word: str, marked: str) -> None:
    begin = source.index(word)
    assert place(page, source, drawn, begin, begin + len(word)) == marked
    assert place(page, source, drawn, 0, -1) == drawn.strip()


def test_a_long_answer_is_searched_in_no_time(page: Page) -> None:
    script = """() => import('/console/spoken.js').then(({ place }) => {
        const text = "some *words* and more ".repeat(3000); const drawn = text.replaceAll("*", "");
        const start = performance.now(); place(text, drawn, { begin: 59_000, end: 59_004 });
        return performance.now() - start; })"""
    assert page.evaluate(script) < 100


def noted(category: str, sequence: int, **details: Json) -> Json:
    return frame("diagnostic", sequence, category=category, message="", details=details)


def test_a_call_is_followed_and_its_answer_marked(page: Page) -> None:
    began = [
        noted("call.began", 1, callId="c", mode="open"),
        noted("voice.listening", 2),
        noted("voice.speech_began", 3, agoMs=1),
        noted("voice.transcript", 4, text="hi", soFar="well hi", final=False),
    ]
    voice = fold(page, *began)["voice"]
    assert (voice["callId"], voice["phase"], voice["hearing"]) == ("c", "hearing", "well hi")
    answered = [
        *began,
        noted("turn.accepted", 5, turn=1, text="well hi", source="voice"),
        frame("response.started", 6),
        frame("text.delta", 7, delta="Good morning to you"),
        noted("voice.word", 8, begin=0, end=4),
    ]
    told = fold(page, *answered)
    assert (told["voice"]["phase"], told["voice"]["hearing"], told["turn"]) == ("speaking", "", 1)
    assert told["items"][1]["word"] == {"begin": 0, "end": 4}
    cut = [
        *answered,
        noted("voice.barge_in", 9, heard=4),
        frame("text.completed", 10, text="Good"),
        frame("response.completed", 11, outcome="interrupted", heard=4, figures={}),
        noted("call.ended", 12, callId="c", reason="idle"),
    ]
    told = fold(page, *cut)
    answer = told["items"][1]
    # What was written stays to be read, beyond what was heard.
    assert answer["parts"] == [{"kind": "text", "text": "Good morning to you"}]
    assert (answer["word"], answer["heard"], answer["status"]) == (None, 4, "interrupted")
    assert (told["voice"]["callId"], told["voice"]["ended"]) == (None, "idle")


def test_who_says_more_before_they_are_answered_has_one_turn(page: Page) -> None:
    told = fold(
        page,
        noted("call.began", 1, callId="c", mode="open"),
        noted("turn.accepted", 2, turn=1, text="I want", source="voice"),
        frame("response.started", 3),
        frame("response.completed", 4, outcome="interrupted", superseded=True, figures={}),
        noted("turn.extended", 5, turn=1, text="I want to go", language="en"),
        {**frame("response.started", 6), "responseId": "b"},
    )
    assert [each.get("text", each["key"]) for each in told["items"]] == ["I want to go", "b"]


def test_servers_that_help_peers_are_read(page: Page) -> None:
    link = (
        '<stun:stun.example.com>; rel="ice-server", <https://example.com>; rel="next", '
        '<turn:turn.example.com?transport=udp>; rel="ice-server"; username="u"; '
        'credential="c, d"; credential-type="password"'
    )
    script = "link => import('/console/call.js').then(({ helpers }) => helpers(link))"
    assert page.evaluate(script, link) == [
        {"urls": "stun:stun.example.com"},
        {"urls": "turn:turn.example.com?transport=udp", "username": "u", "credential": "c, d"},
    ]
    assert page.evaluate(script, None) == []
