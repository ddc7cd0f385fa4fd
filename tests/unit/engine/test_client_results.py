"""Results of a client's own tools that come one by one: each is kept, and the turn goes on with the last."""

import pytest
from tests.unit.engine.conversation import Conversation, kinds, of, only, refusal

from duologue.engine import tools
from duologue.engine.replay import fold
from duologue.engine.state import SessionState
from duologue.engine.step import Stepped
from duologue.model.content import ClientTool, ToolResult
from duologue.model.effects import RunAgent
from duologue.model.errors import Code
from duologue.model.events import ToolReturned
from duologue.model.inputs import AgentRequested, ServerRestarted, ToolReported, UserTurn
from duologue.model.replies import Ignored

OFFERED = tuple(ClientTool(name=name, description=name) for name in ("where", "when"))


@pytest.fixture
def talk() -> Conversation:
    """A conversation whose last answer has asked the client for two things."""
    talk = Conversation()
    talk.give(UserTurn(text="where and when", tools=OFFERED))
    for tool in OFFERED:
        called = AgentRequested(response_id=talk.response_id, call_id=tool.name, name=tool.name, arguments="{}")
        talk.give(called)
    talk.finish()
    return talk


def report(talk: Conversation, call_id: str, output: str = "Ulm", *, failed: bool = False) -> Stepped:
    """Let the client tell what one of them gave."""
    status = "failed" if failed else "completed"
    return talk.give(ToolReported(call_id=call_id, status=status, output=output))


def bring(talk: Conversation, *results: tuple[str, str], text: str = "") -> Stepped:
    """Let a turn bring results."""
    given = tuple(ToolResult(call_id=call_id, content=content) for call_id, content in results)
    return talk.give(UserTurn(text=text, tool_results=given, tools=OFFERED))


def told(stepped: Stepped) -> list[tuple[str, str, bool]]:
    """What the agent is told of calls."""
    request = only(stepped.effects, RunAgent).request
    return [(one.call_id, one.content, one.is_error) for one in request.tool_results]


def test_the_first_is_told_at_once_and_the_turn_goes_on_with_the_last(talk: Conversation) -> None:
    first = report(talk, "when", "at noon")
    returned = only(first.events, ToolReturned)
    assert (returned.call_id, returned.result, returned.earlier, returned.turn) == ("when", "at noon", True, 1)
    assert returned.response_id == "response-1"
    assert (kinds(first.events), first.effects) == (["ToolReturned"], ())
    assert tools.awaited(talk.state) == ("where",)

    last = bring(talk, ("where", "Ulm"))
    assert told(last) == [("where", "Ulm", False), ("when", "at noon", False)]
    assert [one.call_id for one in of(last.events, ToolReturned)] == ["where"], "nothing is told twice"
    (message,) = [one for one in only(last.effects, RunAgent).request.history if one.calls]
    assert [call.result for call in message.calls] == ["Ulm", "at noon"]


def test_it_is_still_there_when_the_server_comes_back(talk: Conversation) -> None:
    report(talk, "when", "at noon", failed=True)
    talk.give(ServerRestarted())
    again = fold(SessionState(), talk.records)
    assert again == talk.state
    assert tools.given(again, "when") is not None and tools.awaited(again) == ("where",)
    assert told(bring(talk, ("where", "Ulm"))) == [("where", "Ulm", False), ("when", "at noon", True)]


def test_the_first_counts(talk: Conversation) -> None:
    report(talk, "when", "at noon")
    assert isinstance(report(talk, "when", "at one").reply, Ignored)
    assert refusal(bring(talk, ("when", "at one")).reply).code is Code.TOOL_CALL_CLOSED
    assert told(bring(talk, ("when", "at one"), ("where", "Ulm")))[1] == ("when", "at noon", False)


def test_who_goes_on_gives_up_only_what_was_not_given(talk: Conversation) -> None:
    report(talk, "when", "at noon")
    assert told(bring(talk, text="never mind")) == [("when", "at noon", False)]
    assert refusal(bring(talk, ("where", "Ulm")).reply).code is Code.TOOL_CALL_CLOSED


def test_a_call_that_nobody_made_has_no_result(talk: Conversation) -> None:
    assert isinstance(report(talk, "why").reply, Ignored)
    problem = refusal(bring(talk, ("where", "Ulm"), ("why", "so")).reply)
    assert (problem.code, problem.path) == (Code.TOOL_CALL_UNKNOWN, "$.toolResults[1]")
