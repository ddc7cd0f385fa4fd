"""What a client's tools return."""

from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.content import ClientTool, ToolResult
from duologue.model.events import ToolReturned
from duologue.model.inputs import AgentFinished, AgentRequested, SessionOpened, UserTurn


def test_of_two_results_for_a_call_the_first_counts() -> None:
    state = SessionState()
    opened = SessionOpened(session_id="s", subject="ann", agent="a", silence_ms=60_000, response_ms=60_000)
    tool = ClientTool(name="look", description="Looks.", parameters={"type": "object"})
    for happened in (
        opened,
        UserTurn(text="look", request_id="q1", tools=(tool,)),
        AgentRequested(response_id="response-1", call_id="call-1", name="look", arguments="{}"),
        AgentFinished(response_id="response-1"),
    ):
        step(state, happened, now_ms=1)
    first = ToolResult(call_id="call-1", content="seen")
    second = ToolResult(call_id="call-1", content="broken", is_error=True)
    stepped = step(state, UserTurn(text="", request_id="q2", tool_results=(first, second)), now_ms=2)
    [returned] = [event for event in stepped.events if isinstance(event, ToolReturned)]
    assert (returned.result, returned.is_error) == ("seen", False)
