"""What a client's tool gave, as the chat and ghost protocols take it alike."""

# JSON of the tool's own design: no narrower type exists.
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import limits
from duologue.model.commands import GiveOutput
from duologue.model.errors import Code, Problem

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
