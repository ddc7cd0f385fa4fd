"""Events and records without what tools hide: the same numbers, the same kinds, and nothing of it."""

import pytest
from tests.unit.engine.tool_talk import ToolTalk

from duologue.model.content import Answer, ClientTool, ToolResult
from duologue.model.hiding import MARKS, hidden, hidden_record
from duologue.model.inputs import AgentRequested, UserTurn
from duologue.model.records import decode_records, encode_record
from duologue.model.tools import ApprovalPolicy, ToolKind, ToolSpec
from duologue.server.dialects import SPOKEN

ARGUMENTS = '{"amount":40,"iban":"SECRET"}'


def spec(policy: ApprovalPolicy, kind: ToolKind = "python", *redact: str) -> ToolSpec:
    return ToolSpec(name="pay", kind=kind, policy=policy, redact=redact, confirm="Pay {amount} to {iban}?")


def shown(talk: ToolTalk) -> bytes:
    """What others than the person see of all records."""
    whole = [encode_record(record) for record in talk.records]
    hiding = [hidden_record(next(decode_records(line))) for line in whole]
    for before, after in zip(talk.records, hiding, strict=True):
        assert after.events == tuple(hidden(event) for event in before.events)
        assert [event.seq for event in after.events] == [event.seq for event in before.events]
    lines = [encode_record(record) for record in hiding]
    marked = (any(mark in line for mark in MARKS) for line in whole)
    assert all(before == after or found for before, after, found in zip(whole, lines, marked, strict=True))
    return b"".join(lines)


@pytest.mark.parametrize("policy", ["auto", "user_confirm", "supervisor_approve", "denied"])
@pytest.mark.parametrize("result", ['{"iban":"SECRET"}', "it went to SECRET"])
def test_nothing_of_it_is_left_in_any_record(policy: ApprovalPolicy, result: str) -> None:
    talk = ToolTalk()
    talk.asked(spec(policy, "python", "/iban"), ARGUMENTS)
    if policy == "user_confirm":
        talk.decide(arguments=ARGUMENTS)
    if policy == "supervisor_approve":
        talk.speak("Wait.")
        talk.finish()
        talk.decide(via="supervisor", by="mia")
    if policy != "denied":
        talk.report(result)
    assert b"SECRET" not in shown(talk)
    assert b"amount" in shown(talk)


def test_answers_and_results_of_clients_hide_it_too() -> None:
    talk = ToolTalk()
    tools = (ClientTool(name="pay", description=""),)
    talk.give(UserTurn(text="pay", tools=tools))
    called = spec("user_confirm", "client", "/iban")
    talk.give(
        AgentRequested(
            response_id=talk.response_id,
            call_id="call-1",
            name="pay",
            arguments=ARGUMENTS,
            spec=called,
            in_turns=True,
        )
    )
    talk.finish()
    payload = {"approved": True, "arguments": {"amount": 40, "iban": "SECRET"}}
    answer = Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload=payload)
    talk.give(UserTurn(text="", resume=(answer,), tools=tools))
    brought = ToolResult(call_id="call-1", content='{"iban":"SECRET"}')
    talk.give(UserTurn(text="", tool_results=(brought,), tools=tools))
    assert b"SECRET" not in shown(talk)


def test_arguments_that_are_hidden_as_a_whole_stay_an_object() -> None:
    talk = ToolTalk()
    talk.asked(spec("user_confirm", "python", ""), ARGUMENTS)
    talk.decide()
    talk.report('{"iban":"SECRET"}')
    assert b"SECRET" not in shown(talk)
    for event in map(hidden, talk.events):
        for spoken in SPOKEN:
            frame = spoken.make("http://localhost").project(event)
            assert frame is None or b"SECRET" not in frame


def test_a_tool_that_hides_nothing_is_shown_whole() -> None:
    talk = ToolTalk()
    talk.asked(spec("user_confirm"), ARGUMENTS)
    talk.decide()
    talk.report('{"iban":"SECRET"}')
    assert shown(talk) == b"".join(encode_record(record) for record in talk.records)
