"""What clients tell of tool calls, as inputs: what a tool of theirs gave, and what the person decided."""

from duologue.engine.state import SessionState
from duologue.model.commands import Decide, GiveOutput
from duologue.model.inputs import ApprovalDecided, ToolReported


def as_input(state: SessionState, command: GiveOutput | Decide) -> ToolReported | ApprovalDecided:
    """Make the input of what a client tells; whether it fits the session is the engine's to say."""
    match command:
        case GiveOutput():
            return ToolReported(
                call_id=command.call_id,
                status="failed" if command.is_error else "completed",
                output=command.output,
            )
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


def _approval_of(state: SessionState, call_id: str) -> str:
    """The id of the approval that a call waits for; empty where it waits for none."""
    asked = (one for one in state.interrupts if one.tool_call_id == call_id)
    return next((one.interrupt_id for one in asked), "")
