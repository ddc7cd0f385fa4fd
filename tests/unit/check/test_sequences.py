"""Orders of frames that one example a rule does not show."""

import pytest

from duologue.check import ghost
from duologue.check.findings import PROTOCOLS, Protocol
from duologue.check.reading import frames
from duologue.check.recording import Recording, check
from duologue.engine import machine
from duologue.model.events import State
from duologue.server.schemas import for_checks


def found(protocol: Protocol, *lines: str, resumed: bool = False) -> list[str]:
    report = check("\n".join(lines).encode(), protocol, for_checks, resumed=resumed)
    return [finding.rule for finding in report.findings]


@pytest.mark.parametrize("before", machine.STATES)
@pytest.mark.parametrize("after", machine.STATES)
def test_a_state_is_reached_as_the_table_says(before: State, after: State) -> None:
    one = {move.target for move in machine.TRANSITIONS if move.source in (None, before)}
    idle = {move.target for move in machine.TRANSITIONS if move.source in (None, "idle")}
    assert ghost.reachable(before, after) == (after in one | idle | {before})


CHAT = '"requestId":"m","timestamp":"2026-01-02T03:04:05Z","responseId":"r"'
STARTED = f'{{"type":"response.started",{CHAT},"sequence":3}}'
DELTA = f'{{"type":"text.delta",{CHAT},"sequence":5,"delta":"Hi"}}'
COMPLETED = f'{{"type":"response.completed",{CHAT},"sequence":7}}'


def test_chat_frames_may_be_delivered_again_as_they_were() -> None:
    assert found("chat", STARTED, DELTA, STARTED, DELTA, COMPLETED, COMPLETED) == []
    assert found("chat", STARTED, DELTA, DELTA.replace("Hi", "Ho"), COMPLETED) == ["chat-sequence"]


def test_chat_that_begins_in_the_middle_says_so() -> None:
    assert found("chat", DELTA, COMPLETED) == ["chat-response-first"]
    assert found("chat", DELTA, COMPLETED, resumed=True) == []
    opened = '{"type":"session.opened","sessionId":"s","cursor":4,"lastSequence":9}'
    assert found("chat", opened, DELTA, COMPLETED) == []


AGUI_WORD = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}'
TURN = '"timestamp":1,"state":"speaking"'
TOKEN = '{"type":"turn.token","sequence":%d,' + TURN + ',"payload":{"token":"Hi","cumulative_length":%d}}'
MIDDLES: dict[Protocol, str] = {
    "agentcall": f'{{"type":"agui.event","sequence":9,"turn":1,"event":{AGUI_WORD}}}',
    "agui": AGUI_WORD,
    "chat": DELTA,
    "ghost": TOKEN % (9, 24),
}


@pytest.mark.parametrize("protocol", MIDDLES)
def test_what_begins_in_the_middle_is_told_how_to_be_checked(protocol: Protocol) -> None:
    report = check(MIDDLES[protocol].encode(), protocol, for_checks)
    assert "--resumed" in report.findings[0].mend
    # What is left is that it stops there.
    left = found(protocol, MIDDLES[protocol], resumed=True)
    assert [rule for rule in left if not rule.endswith("-open")] == []


def test_what_comes_before_its_beginning_elsewhere_is_not() -> None:
    second = (STARTED + "\n" + DELTA.replace('"r"', '"r-2"')).encode()
    (finding,) = check(second, "chat", for_checks).findings[:1]
    assert finding.rule == "chat-response-first" and "--resumed" not in finding.mend


def test_ghost_that_begins_in_the_middle_is_counted_from_there() -> None:
    assert found("ghost", TOKEN % (9, 24), TOKEN % (10, 26)) == ["ghost-turn-first", "ghost-turn-open"]
    assert "ghost-length" in found("ghost", TOKEN % (9, 24), TOKEN % (10, 25), resumed=True)


def test_agui_that_begins_in_the_middle_says_so() -> None:
    word = '{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}'
    over = '{"type":"TEXT_MESSAGE_END","messageId":"m"}'
    end = '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
    assert found("agui", word, over, end, resumed=True) == []
    assert found("agui", word, over, end) == ["agui-run-first", "agui-text-unopened", "agui-text-unopened"]


def test_agui_chunks_open_and_close_by_themselves() -> None:
    start = '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'
    end = '{"type":"RUN_FINISHED","threadId":"t","runId":"r"}'
    call = '{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"n","delta":"{"}'
    more = '{"type":"TOOL_CALL_CHUNK","delta":"}"}'
    result = '{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":""}'
    assert found("agui", start, call, more, result, end) == []
    assert found("agui", start, call, result, end) == ["agui-tool-args"]


def test_agentcall_goes_on_after_a_reconnect_and_counts_once() -> None:
    start = '{"type":"session.start","sessionId":"s"}'
    again = '{"type":"session.start","sessionId":"s","resumeFromSequence":1}'
    run = '{"type":"agui.event","sequence":1,"turn":1,"event":{"type":"RUN_STARTED","threadId":"s","runId":"r"}}'
    end = '{"type":"agui.event","sequence":2,"turn":1,"event":{"type":"RUN_FINISHED","threadId":"s","runId":"r"}}'

    def opened(resumed: int, last: int) -> str:
        return (
            f'{{"type":"session.opened","sessionId":"s","resumedFrom":{resumed},"lastSequence":{last},"resume":true}}'
        )

    assert found("agentcall", start, opened(0, 0), run, again, opened(1, 2), end) == []
    assert found("agentcall", start, opened(0, 0), run, start, opened(0, 2), run, end) == []
    assert found("agentcall", start, opened(0, 0), run, again, opened(1, 2), run) == ["agentcall-sequence"]


def test_agentcall_judges_the_agui_event_inside() -> None:
    frame = '{"type":"agui.event","sequence":1,"event":{"type":"TEXT_MESSAGE_END","messageId":"m"}}'
    report = check(frame.encode(), "agentcall", for_checks)
    assert [(one.rule, one.pointer) for one in report.findings] == [
        ("agui-run-first", "/event/type"),
        ("agui-text-unopened", "/event/messageId"),
    ]


def test_jambonz_opens_the_sockets_envelope_and_skips_the_rest() -> None:
    lines = (
        '{"type":"session:new","msgid":"1","data":{}}',
        '{"type":"agent:event","msgid":"2","data":{"type":"user_transcript","transcript":7}}',
    )
    report = check("\n".join(lines).encode(), "jambonz", for_checks)
    assert (report.frames, report.skipped) == (2, 1)
    assert [finding.pointer for finding in report.findings] == ["/data/transcript"]


def test_what_a_bound_has_cut_is_not_missed() -> None:
    recording = Recording("agui", for_checks)
    for frame in frames(b'{"type":"RUN_STARTED","threadId":"t","runId":"r"}'):
        recording.take(frame)
    assert recording.end(whole=False).findings == ()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("line", ["[]", "7", "{}", '{"type":null}', '{"type":{}}', '{"type":"error"}', '"', "\x00"])
def test_no_frame_is_too_odd(protocol: Protocol, line: str) -> None:
    recording = Recording(protocol, for_checks)
    for frame in frames(b"\n" + line.encode()):
        recording.take(frame)
    recording.end()
