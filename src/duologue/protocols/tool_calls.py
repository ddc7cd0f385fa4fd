"""What a client tells of tool calls, alike over chat and ghost: what its tool gave, and what the person decided."""

# JSON of the tool's own design: no narrower type exists.
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import limits
from duologue.model.commands import Decide, GiveOutput
from duologue.model.errors import Code, Problem
from duologue.model.tools import Decision

_encode: Final = msgspec.json.Encoder().encode


# Any: see above.
def tool_output(call_id: str, *, output: Any, error: str | UnsetType) -> GiveOutput | Problem:
    """Take what a tool gave, or why it could not; the other one is `UNSET`.

    Args:
        call_id: of the call.
        output: any JSON; text is kept as it is, at most `limits.TOOL_RESULT_CHARS` characters.
        error: for the agent.
    """
    if (output is UNSET) is (error is UNSET):
        return Problem(code=Code.BAD_MESSAGE, message="give either `output` or `error`", path="$.output")
    if error is not UNSET:
        return GiveOutput(call_id=call_id, output=error, is_error=True)
    words = output if isinstance(output, str) else _encode(output).decode()
    if len(words) > limits.TOOL_RESULT_CHARS:
        message = f"the output has {len(words)} characters as JSON; at most {limits.TOOL_RESULT_CHARS} are taken"
        return Problem(code=Code.TOO_LARGE, message=message, path="$.output", limit=limits.TOOL_RESULT_CHARS)
    return GiveOutput(call_id=call_id, output=words)


class Deciding(Protocol):
    """What the person decides about a call that waits for them, however a protocol spells it; `UNSET` is not given."""

    @property
    def decision(self) -> Decision:
        """What they decide."""
        ...

    @property
    def approval_id(self) -> str | UnsetType:
        """The approval's id."""
        ...

    @property
    def tool_call_id(self) -> str | UnsetType:
        """The call's id."""
        ...

    # Any: the tool's own arguments.
    @property
    def arguments(self) -> dict[str, Any] | UnsetType:
        """What it is decided about."""
        ...

    @property
    def digest(self) -> str | UnsetType:
        """Of what it is decided about."""
        ...

    @property
    def reason(self) -> str:
        """In their words."""
        ...


class Names(NamedTuple):
    """How a protocol spells the two members that name a call."""

    call: str
    approval: str


def decision(read: Deciding, names: Names) -> Decide | Problem:
    """Take a decision, which names a call or its approval."""
    if read.approval_id is UNSET and read.tool_call_id is UNSET:
        message = f"name the call by `{names.call}`, or its approval by `{names.approval}`"
        return Problem(code=Code.BAD_MESSAGE, message=message, path=f"$.{names.call}")
    return Decide(
        decision=read.decision,
        approval_id=None if read.approval_id is UNSET else read.approval_id,
        call_id=None if read.tool_call_id is UNSET else read.tool_call_id,
        arguments=None if read.arguments is UNSET else _encode(read.arguments).decode(),
        digest=None if read.digest is UNSET else read.digest,
        reason=read.reason,
    )
