"""The port around a user's function, and the decorator that declares one."""

import asyncio
import contextvars
import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, TypeAlias, overload

import msgspec

from duologue.adapters.tool_python.docstring import about
from duologue.adapters.tool_python.signature import read_signature
from duologue.model import limits
from duologue.model.tools import ApprovalPolicy, Idempotency, SideEffect, ToolSpec
from duologue.ports.tool import ToolContext, ToolFailed
from duologue.runtime.threads import Full, Threads

# What a user's function takes and gives is read off its annotations when the tool is made.
Function: TypeAlias = Callable[..., Any]

TIMEOUT_MS: Final = 30_000
APPROVAL_TTL_MS: Final = 900_000


class PythonTool:
    """Carries out calls with a function.

    Arguments are read into the types that the function's annotations name, and its result is written as they say. A
    plain function runs in a thread, so that it may block. The function itself can be called as before.
    Source: `duologue.ports.tool.Tool`.

    Args:
        function: takes its arguments by name, and perhaps a `ToolContext`. It serves all sessions at once.
        spec: what is declared of it.
    Cancellation: a coroutine is cancelled. A plain function cannot be stopped: its thread runs on, and what it gives
        is dropped. It holds up no other tool, and not the end of the server.
    """

    def __init__(self, function: Function, spec: ToolSpec) -> None:
        signature = read_signature(function, name=spec.name)
        self.function = function
        self._signature = signature
        self._threads = Threads(limits.TOOL_THREADS, name="duologue-tool")
        self._spec = msgspec.structs.replace(
            spec, input_schema=signature.input_schema, output_schema=signature.output_schema
        )

    @property
    def spec(self) -> ToolSpec:
        """What is declared of it."""
        return self._spec

    # The function's own arguments and result.
    def __call__(self, *given: Any, **named: Any) -> Any:
        """Call the function as if it were no tool."""
        return self.function(*given, **named)

    # The function's own result.
    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        """Carry out a call; see the port.

        Raises:
            ToolFailed: the arguments do not fit the annotations, in a way that a JSON Schema cannot say; or too many
                earlier calls of a plain function hang.
            TypeError: the function gave what is no JSON.
        """
        signature = self._signature
        try:
            read = msgspec.convert(arguments, signature.arguments)
        except msgspec.ValidationError as error:
            raise ToolFailed(f"the arguments do not fit: {error}", code="bad_arguments", perhaps_done=False) from error
        named = {name: getattr(read, name) for name in signature.arguments.__struct_fields__}
        if signature.context:
            named[signature.context] = context
        return msgspec.to_builtins(await self._carry_out(named), str_keys=True)

    # The function's own result.
    async def _carry_out(self, named: dict[str, Any]) -> Any:
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**named)
        # As `asyncio.to_thread` does, in threads of its own.
        call = functools.partial(contextvars.copy_context().run, self.function, **named)
        try:
            running = asyncio.get_running_loop().run_in_executor(self._threads, call)
        except Full as error:
            message = "earlier calls of this tool hang, and no more are begun"
            raise ToolFailed(message, code="too_busy", retryable=True, perhaps_done=False) from error
        result: Any = await running
        return await result if inspect.isawaitable(result) else result


@overload
def tool(function: Function, /) -> PythonTool: ...


@overload
def tool(
    *,
    name: str = ...,
    description: str = ...,
    policy: ApprovalPolicy = ...,
    side_effect: SideEffect = ...,
    idempotency: Idempotency = ...,
    scopes: tuple[str, ...] = ...,
    redact: tuple[str, ...] = ...,
    timeout_ms: int = ...,
    retries: int = ...,
    confirm: str = ...,
    approval_ttl_ms: int = ...,
    repeatable: bool = ...,
) -> Callable[[Function], PythonTool]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    description: str = "",
    policy: ApprovalPolicy = "auto",
    side_effect: SideEffect = "write",
    idempotency: Idempotency | None = None,
    scopes: tuple[str, ...] = (),
    redact: tuple[str, ...] = (),
    timeout_ms: int = TIMEOUT_MS,
    retries: int = 0,
    confirm: str = "",
    approval_ttl_ms: int = APPROVAL_TTL_MS,
    repeatable: bool = False,
) -> PythonTool | Callable[[Function], PythonTool]:
    """Make a tool of a function: its schemas from the annotations, what it is for from the docstring.

    Args:
        function: to be called with its arguments by name.
        name: in place of the function's own.
        description: in place of the docstring.
        policy: who lets a call run.
        side_effect: what running it does to the world.
        idempotency: how a repeated call is recognised.
        scopes: all that the person has to be granted.
        redact: JSON pointers of arguments and results that audit trail, approvals and operators are not told.
        timeout_ms: how long one attempt may take.
        retries: how often a failed attempt is made again; only where repeating does no harm.
        confirm: what the person is asked, with `{argument}` in places.
        approval_ttl_ms: how long a decision is waited for.
        repeatable: a second run does no harm, whatever the side effect says.
    Raises:
        TypeError: an argument has no annotation, or one that is no JSON.
    """

    def made(function: Function) -> PythonTool:
        spec = ToolSpec(
            name=name or str(getattr(function, "__name__", "")),
            kind="python",
            description=description or about(function),
            policy=policy,
            side_effect=side_effect,
            idempotency=idempotency or Idempotency(),
            scopes=scopes,
            redact=redact,
            timeout_ms=timeout_ms,
            retries=retries,
            confirm=confirm,
            approval_ttl_ms=approval_ttl_ms,
            repeatable=repeatable,
        )
        return PythonTool(function, spec)

    return made if function is None else made(function)
