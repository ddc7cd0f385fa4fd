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
        `None` where results of other calls have to come first; what was told is kept until then.
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


def _output(session: LiveSession, given: GiveOutput, toolbox: Toolbox) -> ToolReported | UserTurn | None:
    state = session.state
    if given.call_id in tools.awaited(state):
        return _results(session, given)
    call = next((one for one in state.tools.calls if one.call_id == given.call_id), None)
    if call is None or call.spec.kind != "client" or call.status != "executing":
        raise Refused(_nobody_waits(state, given.call_id))
    if given.is_error:
        return ToolReported(call_id=given.call_id, status="failed", output=given.output, code="client_failed")
    if fault := toolbox.wrong_with_output(call.name, _value(given.output)):
        words = f"the client ran it, and what it gave is not what is declared: {fault}"
        return ToolReported(call_id=given.call_id, status="failed", output=words, code="bad_output")
    return ToolReported(call_id=given.call_id, status="completed", output=given.output)


def _results(session: LiveSession, given: GiveOutput) -> UserTurn | None:
    """The turn that brings what the client's own tools gave, once all that were called have given it."""
    state, waiting = session.state, tools.awaited(session.state)
    kept = {call_id: result for call_id, result in session.outputs.items() if call_id in waiting}
    kept[given.call_id] = ToolResult(call_id=given.call_id, content=given.output, is_error=given.is_error)
    session.outputs = kept
    if set(kept) != set(waiting):
        return None
    session.outputs = {}
    last = state.last.said
    return UserTurn(text="", tool_results=tuple(kept[one] for one in waiting), tools=last.tools, granted=last.granted)


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
