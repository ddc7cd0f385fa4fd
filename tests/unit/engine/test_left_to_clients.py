"""Declared tools of clients that bring results with their turns: a call is theirs only once it may run."""

import pytest
from tests.unit.engine.conversation import kinds, of, only
from tests.unit.engine.tool_talk import ToolTalk, walk

from duologue.engine.step import Stepped
from duologue.model.content import Answer, ClientTool, ToolResult
from duologue.model.effects import RunAgent, RunTool
from duologue.model.events import AnyEvent, ResponseEnded, ToolCalled, ToolReturned
from duologue.model.inputs import AgentRequested, UserTurn
from duologue.model.tools import ApprovalPolicy, ToolSpec

OFFERED = (ClientTool(name="open_page", description="Open a page."),)
ARGUMENTS = '{"path":"/pay"}'


def declared(policy: ApprovalPolicy, *scopes: str) -> ToolSpec:
    return ToolSpec(name="open_page", kind="client", policy=policy, scopes=scopes)


def asked(spec: ToolSpec, *, wrong: str = "", granted: tuple[str, ...] | None = None) -> tuple[ToolTalk, Stepped]:
    """A turn whose run calls the tool and ends."""
    talk = ToolTalk()
    talk.give(UserTurn(text="pay", tools=OFFERED, granted=granted))
    talk.give(
        AgentRequested(
            response_id=talk.response_id,
            call_id="call-1",
            name=spec.name,
            arguments=ARGUMENTS,
            spec=spec,
            wrong=wrong,
            in_turns=True,
        )
    )
    return talk, talk.finish()


def left(events: list[AnyEvent] | tuple[AnyEvent, ...]) -> tuple[str, ...]:
    """The calls that an answer has left to the client."""
    return only([*events], ResponseEnded).pending_calls


def bring(talk: ToolTalk, content: str = "shown") -> Stepped:
    return talk.give(UserTurn(text="", tool_results=(ToolResult(call_id="call-1", content=content),), tools=OFFERED))


def decided(talk: ToolTalk, payload: object) -> Stepped:
    answer = Answer(interrupt_id=talk.approval.approval_id, status="resolved", payload=payload)
    return talk.give(UserTurn(text="", resume=(answer,), tools=OFFERED, if_asked="refuse"))


def test_what_nobody_has_to_let_run_is_left_to_the_client_with_the_answer() -> None:
    talk, ended = asked(declared("auto"))
    assert left(ended.events) == ("call-1",)
    assert walk(talk.events) == ["requested", "executing"]
    assert not of(talk.effects, RunTool) and not talk.state.tools.calls
    request = only(bring(talk).effects, RunAgent).request
    assert [(one.call_id, one.content) for one in request.tool_results] == [("call-1", "shown")]
    assert request.history[-1].calls[0].result == "shown"


@pytest.mark.parametrize(
    ("spec", "wrong", "status"),
    [
        (declared("denied"), "", "denied"),
        (declared("auto", "pages"), "", "denied"),
        (declared("user_confirm", "pages"), "", "denied"),
        (declared("auto"), "$.path is missing", "failed"),
    ],
)
def test_what_may_not_run_is_never_the_client_s(spec: ToolSpec, wrong: str, status: str) -> None:
    talk, ended = asked(spec, wrong=wrong, granted=())
    assert walk(talk.events)[-1] == status
    assert only(ended.effects, RunAgent).request.tool_results[0].is_error
    talk.speak("I may not.")
    assert left(talk.finish().events) == ()
    assert kinds(bring(talk).events) == [], "nobody waits for a result"


def test_the_person_is_asked_first_and_then_the_client() -> None:
    talk, ended = asked(declared("user_confirm"))
    assert (only(ended.events, ResponseEnded).outcome, left(ended.events)) == ("asked", ())
    assert kinds(bring(talk).events) == [], "it may not run yet"
    stepped = decided(talk, {"approved": True})
    assert walk(talk.events) == ["requested", "awaiting_approval", "approved", "executing"]
    assert (only(stepped.events, ResponseEnded).outcome, left(stepped.events)) == ("completed", ("call-1",))
    assert not of(stepped.effects, RunAgent), "the agent goes on with the result"
    brought = bring(talk)
    assert only(brought.events, ToolReturned).result == "shown"
    request = only(brought.effects, RunAgent).request
    assert request.tool_results[0].content == "shown"
    assert [call.result for one in request.history for call in one.calls] == ["shown"]
    assert len(of(talk.events, ToolCalled)) == 1


def test_a_button_leaves_it_to_the_client_as_well() -> None:
    talk, _ = asked(declared("user_confirm"))
    assert left(talk.decide().events) == ("call-1",)
    assert only(bring(talk).events, ToolReturned).result == "shown"


@pytest.mark.parametrize("words", [{"approved": False}, None])
def test_what_the_person_denies_is_never_the_client_s(words: object) -> None:
    talk, _ = asked(declared("user_confirm"))
    stepped = decided(talk, words) if words else talk.give(UserTurn(text="something else", tools=OFFERED))
    assert only(stepped.events, ToolReturned).status == "denied"
    talk.speak("Then not.")
    assert left(talk.finish().events) == ()
    assert kinds(bring(talk).events) == []


def test_who_goes_on_without_the_result_gives_the_call_up() -> None:
    talk, _ = asked(declared("user_confirm"))
    decided(talk, {"approved": True})
    talk.say("never mind")
    talk.speak("Fine.")
    talk.finish()
    assert kinds(bring(talk).events) == []


@pytest.mark.parametrize("policy", ["supervisor_approve", "async_pending"])
def test_what_others_decide_is_reported_when_it_has_run(policy: ApprovalPolicy) -> None:
    talk, ended = asked(declared(policy))
    assert only(ended.effects, RunAgent).request.tool_results[0].status.endswith(("supervisor", "pending"))
    talk.speak("Somebody looks at it.")
    assert left(talk.finish().events) == ()
    assert kinds(bring(talk).events) == [], "it may not run yet"
    via = "supervisor" if policy == "supervisor_approve" else "callback"
    talk.decide(by="desk", via=via)
    assert walk(talk.events)[-1] == "executing"
    assert only(talk.report("shown").events, ToolReturned).status == "completed"
