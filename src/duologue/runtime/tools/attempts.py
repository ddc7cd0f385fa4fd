"""Carrying out one call: as often as it may be tried, within its time, and what it gives made fit to be kept."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from duologue.model import limits
from duologue.model.tools import ToolOrder, ToolReported, ToolSpec
from duologue.ports.tool import Tool, ToolContext, ToolFailed
from duologue.runtime.blame import ends_the_task
from duologue.runtime.events_log import EventLog
from duologue.runtime.tools.toolbox import Toolbox

FAILED_INSIDE: Final = "the tool failed; the server's log says how"


class Attempts:
    """Carries out calls. Whatever goes wrong is a report and never an exception.

    Args:
        toolbox: has the tools.
        log: is told of failures; what a tool was given or gave is not in it.
        chance: gives a number from 0 to 1, for the pauses between attempts.
    """

    def __init__(self, toolbox: Toolbox, *, log: EventLog, chance: Callable[[], float]) -> None:
        self._toolbox, self._log, self._chance = toolbox, log, chance

    async def carry_out(self, order: ToolOrder, *, session_id: str, subject: str) -> ToolReported:
        """Carry out a call.

        Args:
            order: the call.
            session_id: the conversation.
            subject: the person.
        Cancellation: what was sent may have been done; nothing is reported.
        """
        tool = self._toolbox.tool(order.spec.name)
        if tool is None:
            return _failed(order, "this tool is not there any more", code="tool_gone", attempts=0)
        attempt = order.attempt
        while True:
            context = ToolContext(
                session_id=session_id,
                subject=subject,
                turn=order.turn,
                call_id=order.call_id,
                key=order.key,
                attempt=attempt,
            )
            report = await self._once(tool, order, context)
            made = attempt - order.attempt + 1
            if not report.again or made > order.spec.retries:
                return msgspec.structs.replace(report.told, attempts=made)
            await asyncio.sleep(_pause_ms(made, self._chance()) / 1000)
            attempt += 1

    async def _once(self, tool: Tool, order: ToolOrder, context: ToolContext) -> "_Outcome":
        spec = order.spec
        limit = asyncio.timeout(spec.timeout_ms / 1000)
        try:
            async with limit:
                output = await tool.call(msgspec.json.decode(order.arguments or "{}", type=dict[str, Any]), context)
        except ToolFailed as error:
            words = error.message[: limits.TOOL_FAULT_CHARS]
            told = _failed(order, words, code=error.code, perhaps_done=error.perhaps_done)
            self._note(order, context, error.code)
            return _Outcome(told, again=error.retryable and (not error.perhaps_done or harmless(spec)))
        except TimeoutError as error:
            if not limit.expired():
                return self._broken(order, context, error)
            self._note(order, context, "timeout")
            words = f"no answer within {spec.timeout_ms / 1000:g} s; it may have been done or not"
            told = ToolReported(call_id=order.call_id, status="timed_out", output=words, code="timeout")
            return _Outcome(told, again=harmless(spec))
        # The boundary of a tool: it may raise anything, and only its own call may suffer.
        except BaseException as error:
            if ends_the_task(error):
                raise
            return self._broken(order, context, error)
        return _Outcome(self._judged(order, context, output), again=False)

    # What a tool gave: JSON of its own design.
    def _judged(self, order: ToolOrder, context: ToolContext, output: Any) -> ToolReported:
        """Judge what a tool gave, and write it as text."""
        if fault := self._toolbox.wrong_with_output(order.spec.name, output):
            self._note(order, context, "bad_output", fault=fault)
            return _failed(
                order, "the tool ran, and what it gave is not what it declares", code="bad_output", perhaps_done=True
            )
        try:
            text = output if isinstance(output, str) else msgspec.json.encode(output).decode()
            text.encode()
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
            self._note(order, context, "bad_output")
            return _failed(order, "the tool ran, and what it gave is no JSON", code="bad_output", perhaps_done=True)
        if len(text) > limits.TOOL_OUTPUT_CHARS:
            self._note(order, context, "output_too_large")
            words = f"the tool ran, and what it gave has more than {limits.TOOL_OUTPUT_CHARS} characters"
            return _failed(order, words, code="output_too_large", perhaps_done=True)
        return ToolReported(call_id=order.call_id, status="completed", output=text)

    def _broken(self, order: ToolOrder, context: ToolContext, error: BaseException) -> "_Outcome":
        self._note(order, context, "tool_failed", error=type(error).__name__, **{"pii.detail": str(error)})
        return _Outcome(_failed(order, FAILED_INSIDE, code="tool_failed", perhaps_done=True), again=False)

    def _note(self, order: ToolOrder, context: ToolContext, code: str, **fields: object) -> None:
        self._log(
            "tool_failed",
            session=context.session_id,
            call=order.call_id,
            tool=order.spec.name,
            code=code,
            attempt=context.attempt,
            **fields,
        )


class _Outcome(NamedTuple):
    """What came of one attempt, and whether another may be made."""

    told: ToolReported
    again: bool


def harmless(spec: ToolSpec) -> bool:
    """Whether a call may be made again where nobody knows whether it was done."""
    idempotency = spec.idempotency
    takes_key = idempotency.mode != "none" and idempotency.safe_to_repeat
    return spec.side_effect in ("none", "read") or spec.repeatable or takes_key


def _failed(order: ToolOrder, words: str, *, code: str, attempts: int = 1, perhaps_done: bool = False) -> ToolReported:
    return ToolReported(
        call_id=order.call_id,
        status="failed",
        output=words,
        code=code,
        attempts=attempts,
        perhaps_done=perhaps_done and not harmless(order.spec),
    )


def _pause_ms(failures: int, chance: float) -> float:
    """Wait longer each time, and not at the same moment as all others that failed with it."""
    return min(limits.TOOL_BACKOFF_MS * 2 ** (failures - 1), limits.TOOL_BACKOFF_MAX_MS) * (0.5 + chance / 2)
