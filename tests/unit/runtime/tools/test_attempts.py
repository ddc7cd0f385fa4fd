import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from duologue.model import limits
from duologue.model.tools import Idempotency, ToolOrder, ToolReported, ToolSpec
from duologue.ports.tool import ToolContext, ToolFailed
from duologue.runtime.tools.attempts import Attempts
from duologue.runtime.tools.toolbox import Toolbox

pytestmark = pytest.mark.anyio


class Scripted:
    """A tool that does what it is told, one step a call."""

    def __init__(self, spec: ToolSpec, *steps: Any) -> None:
        self.spec, self.steps = spec, list(steps)
        self.contexts: list[ToolContext] = []

    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        self.contexts.append(context)
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        if step is FOREVER:
            await asyncio.Event().wait()
        return step(arguments) if callable(step) else step


FOREVER = object()
LATER = ToolFailed("later", code="busy", retryable=True, perhaps_done=False)
PERHAPS = ToolFailed("broke off", code="broken_off", retryable=True)
NO = ToolFailed("no such order", code="no_order")


def spec(**more: Any) -> ToolSpec:
    made = ToolSpec(name="refund", kind="python", timeout_ms=50)
    return msgspec.structs.replace(made, **more)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TOOL_BACKOFF_MS", 0)


def ignore(event: str, **fields: object) -> None:
    del event, fields


def pay(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"paid": arguments["card"]}


async def carried_out(
    tool: Scripted, *, order: Callable[[ToolOrder], ToolOrder] = lambda order: order
) -> tuple[ToolReported, list[dict[str, object]]]:
    noted: list[dict[str, object]] = []

    def log(event: str, **fields: object) -> None:
        noted.append({"event": event, **fields})

    given = ToolOrder(response_id="r", turn=3, call_id="c", arguments='{"card":"4111"}', key="k", spec=tool.spec)
    made = Attempts(Toolbox([tool]), log=log, chance=lambda: 0.5)
    return await made.carry_out(order(given), session_id="s", subject="ada"), noted


async def test_a_call_is_carried_out_for_whom_and_with_what() -> None:
    tool = Scripted(spec(), pay)
    report, noted = await carried_out(tool)
    assert report == ToolReported(call_id="c", status="completed", output='{"paid":"4111"}')
    assert tool.contexts == [ToolContext(session_id="s", subject="ada", turn=3, call_id="c", key="k")]
    assert noted == []


@pytest.mark.parametrize(("given", "output"), [("words", "words"), (None, "null"), ([1], "[1]"), (True, "true")])
async def test_results_are_text_or_json(given: object, output: str) -> None:
    report, _ = await carried_out(Scripted(spec(), given))
    assert (report.status, report.output) == ("completed", output)


@pytest.mark.parametrize(
    ("more", "steps", "status", "code", "times"),
    [
        ({}, [NO, "done"], "failed", "no_order", 1),
        ({"retries": 2}, [NO, "done"], "failed", "no_order", 1),
        ({}, [LATER, "done"], "failed", "busy", 1),
        ({"retries": 1}, [LATER, "done"], "completed", "", 2),
        ({"retries": 2}, [LATER, LATER, LATER, "done"], "failed", "busy", 3),
        ({"retries": 2}, [PERHAPS, "done"], "failed", "broken_off", 1),
        ({"retries": 2, "side_effect": "read"}, [PERHAPS, "done"], "completed", "", 2),
        ({"retries": 2, "repeatable": True}, [PERHAPS, "done"], "completed", "", 2),
        (
            {"retries": 2, "idempotency": Idempotency(mode="input", safe_to_repeat=True)},
            [PERHAPS, "done"],
            "completed",
            "",
            2,
        ),
        ({"retries": 2}, [FOREVER, "done"], "timed_out", "timeout", 1),
        ({"retries": 2, "side_effect": "none"}, [FOREVER, "done"], "completed", "", 2),
        ({"retries": 2, "side_effect": "none"}, [ValueError("a secret"), "done"], "failed", "tool_failed", 1),
        ({"retries": 2, "side_effect": "none"}, [TimeoutError("its own"), "done"], "failed", "tool_failed", 1),
    ],
)
async def test_what_failed_is_made_again_only_where_that_does_no_harm(
    more: dict[str, Any], steps: list[Any], status: str, code: str, times: int
) -> None:
    tool = Scripted(spec(**more), *steps)
    report, _ = await carried_out(tool)
    assert (report.status, report.code, report.attempts, len(tool.contexts)) == (status, code, times, times)
    assert {context.key for context in tool.contexts} == {"k"}
    assert [context.attempt for context in tool.contexts] == list(range(1, times + 1))


@pytest.mark.parametrize(
    ("more", "step", "perhaps_done"),
    [
        ({}, LATER, False),
        ({}, PERHAPS, True),
        ({}, ValueError("half way"), True),
        ({"output_schema": {"type": "integer"}}, "four", True),
        ({}, "x" * (limits.TOOL_OUTPUT_CHARS + 1), True),
        ({}, {1, object()}, True),
        ({"side_effect": "read"}, PERHAPS, False),
        ({"repeatable": True}, ValueError("half way"), False),
        ({"idempotency": Idempotency(mode="input", safe_to_repeat=True)}, PERHAPS, False),
    ],
)
async def test_a_failure_says_whether_making_it_again_may_do_harm(
    more: dict[str, Any], step: object, perhaps_done: bool
) -> None:
    report, _ = await carried_out(Scripted(spec(**more), step))
    assert (report.status, report.perhaps_done) == ("failed", perhaps_done)


async def test_an_order_that_was_begun_before_goes_on_counting() -> None:
    tool = Scripted(spec(), "done")
    await carried_out(tool, order=lambda order: msgspec.structs.replace(order, attempt=2))
    assert tool.contexts[0].attempt == 2


async def test_what_a_tool_raises_is_logged_and_not_told() -> None:
    report, noted = await carried_out(Scripted(spec(), ValueError("password is hunter2")))
    assert report.output == "the tool failed; the server's log says how"
    assert noted[0]["error"] == "ValueError"
    assert noted[0]["pii.detail"] == "password is hunter2"
    assert all("4111" not in str(value) for value in noted[0].values())


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"left": "four"}, "bad_output"),
        ("x" * (limits.TOOL_OUTPUT_CHARS + 1), "output_too_large"),
        ("\ud800", "bad_output"),
        ({1, object()}, "bad_output"),
        (float("nan"), "completed"),
    ],
)
async def test_what_a_tool_gives_is_judged(given: object, code: str) -> None:
    schema = {"properties": {"left": {"type": "integer"}}}
    report, noted = await carried_out(Scripted(spec(output_schema=schema if isinstance(given, dict) else None), given))
    assert (report.code or report.status) == code
    assert all("four" not in str(value) for fields in noted for value in fields.values())


async def test_a_tool_that_is_gone_fails() -> None:
    tool = Scripted(spec(), "never")
    gone = Attempts(Toolbox(), log=ignore, chance=lambda: 0.5)
    order = ToolOrder(response_id="r", turn=1, call_id="c", arguments="{}", key="k", spec=tool.spec)
    report = await gone.carry_out(order, session_id="s", subject="ada")
    assert (report.status, report.code) == ("failed", "tool_gone")
    assert tool.contexts == []


@pytest.mark.parametrize(
    "raised", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), BaseExceptionGroup("all", [SystemExit(1)])]
)
async def test_a_tool_that_would_end_the_process_has_only_failed(raised: BaseException) -> None:
    report, noted = await carried_out(Scripted(spec(), raised))
    assert (report.status, report.code) == ("failed", "tool_failed")
    assert [one["error"] for one in noted] == [type(raised).__name__]
