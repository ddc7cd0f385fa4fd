"""What clients tell of tool calls, as inputs: what a tool of theirs gave, and what the person decided."""

import msgspec

from duologue.engine import tools
from duologue.engine.state import SessionState
from duologue.model.commands import Decide, GiveOutput
from duologue.model.content import ToolResult
from duologue.model.errors import Code, Problem, Refused
from duologue.model.inputs import ApprovalDecided, ToolReported, UserTurn
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox


def as_input(
    session: LiveSession, command: GiveOutput | Decide, toolbox: Toolbox
) -> ToolReported | ApprovalDecided | UserTurn | None:
    """Make the input of what a client tells.

    Returns:
        `None` where it has been told before.
    Raises:
        Refused: no call of the client's waits for that result, or for a decision. A client has no say in the server's
            own calls.
    """
    state = session.state
    match command:
        case GiveOutput():
            return _output(session, command, toolbox)
        case Decide():
            return ApprovalDecided(
                approval_id=command.approval_id or _approval_of(state, command.call_id or ""),
                decision=command.decision,
                by=state.subject,
                via="user",
                digest=command.digest,
                arguments=command.arguments,
                reason=command.reason,
            )


def wrong_results(state: SessionState, said: UserTurn, toolbox: Toolbox) -> Problem | None:
    """What is wrong with the results that a turn brings for calls that wait, by what is declared of their tools."""
    names = {known.call.call_id: known.call.name for known in state.calls}
    for place, result in enumerate(said.tool_results):
        name = names.get(result.call_id)
        if name is None or result.is_error:
            continue
        if fault := toolbox.wrong_with_output(name, _value(result.content)):
            return _undeclared(name, fault, path=f"$.toolResults[{place}]")
    return None


def _undeclared(name: str, fault: str, *, path: str) -> Problem:
    message = f"what {name!r} gave is not what is declared: {fault}; its call waits for another result"
    return Problem(code=Code.BAD_MESSAGE, message=message, path=path)


def _output(session: LiveSession, given: GiveOutput, toolbox: Toolbox) -> ToolReported | UserTurn | None:
    state = session.state
    if given.call_id in tools.awaited(state):
        return _result(state, given, toolbox)
    if (before := tools.given(state, given.call_id)) is not None and before.result == given.output:
        # The client has not seen that it was taken.
        return None
    call = next((one for one in state.tools.calls if one.call_id == given.call_id), None)
    if call is None or call.spec.kind != "client" or call.status != "executing":
        raise Refused(_nobody_waits(state, given.call_id))
    if given.is_error:
        return ToolReported(call_id=given.call_id, status="failed", output=given.output, code="client_failed")
    if fault := toolbox.wrong_with_output(call.name, _value(given.output)):
        words = f"the client ran it, and what it gave is not what is declared: {fault}"
        return ToolReported(call_id=given.call_id, status="failed", output=words, code="bad_output")
    return ToolReported(call_id=given.call_id, status="completed", output=given.output)


def _result(state: SessionState, given: GiveOutput, toolbox: Toolbox) -> ToolReported | UserTurn:
    """What a client's own tool gave: stored by itself, or with the last one the turn that goes on with all of them."""
    last = state.last.said
    result = ToolResult(call_id=given.call_id, content=given.output, is_error=given.is_error)
    said = UserTurn(text="", tool_results=(result,), tools=last.tools, granted=last.granted)
    if (problem := wrong_results(state, said, toolbox)) is not None:
        raise Refused(msgspec.structs.replace(problem, path="$.output"))
    if len(tools.awaited(state)) == 1:
        return said
    status = "failed" if given.is_error else "completed"
    return ToolReported(call_id=given.call_id, status=status, output=given.output)


def _nobody_waits(state: SessionState, call_id: str) -> Problem:
    known = call_id in state.closed_calls or any(
        call.call_id == call_id for message in state.history for call in message.calls if call.result is not None
    )
    if known:
        message = f"the tool call {call_id[:128]!r} has already been answered or given up"
        return Problem(code=Code.TOOL_CALL_CLOSED, message=message, path="$.toolCallId")
    message = f"no tool call {call_id[:128]!r} waits for a result of a client's"
    return Problem(code=Code.TOOL_CALL_UNKNOWN, message=message, path="$.toolCallId")


def _value(output: str) -> object:
    """What a client gave: JSON, or plain words."""
    try:
        return msgspec.json.decode(output)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return output


def _approval_of(state: SessionState, call_id: str) -> str:
    """The id of the approval that a call waits for, or has waited for.

    Raises:
        Refused: it has waited for none.
    """
    waiting = (one.approval for one in state.tools.calls if one.call_id == call_id)
    over = (one for one in reversed(state.tools.decided) if one.call_id == call_id)
    asked = next((one.interrupt_id for one in state.interrupts if one.tool_call_id == call_id), None)
    open_one = next((one.approval_id for one in waiting if one is not None), None)
    known = asked or open_one or next((one.approval_id for one in over), None)
    if known is None:
        message = f"no tool call {call_id[:128]!r} waits for a decision"
        raise Refused(Problem(code=Code.APPROVAL_UNKNOWN, message=message, path="$.toolCallId"))
    return known
