import asyncio
import threading
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest

from duologue.adapters.tool_python import PythonTool, load_tools, tool
from duologue.model.errors import SettingsError
from duologue.model.tools import Idempotency
from duologue.ports.tool import ToolContext, ToolFailed
from duologue.runtime.threads import Full, Threads

pytestmark = pytest.mark.anyio

FOR = ToolContext(session_id="s", subject="ada", turn=1, call_id="c-1", key="k-1")


class Order(msgspec.Struct):
    """An order."""

    id: str
    euros: float
    parts: list["Order"] = []


@tool(
    policy="user_confirm",
    idempotency=Idempotency(mode="key", key_arguments=("order_id",)),
    scopes=("refunds",),
    redact=("/iban",),
    confirm="Refund {euros} €?",
)
async def refund(
    order_id: str,
    euros: Annotated[float, msgspec.Meta(gt=0, le=500)],
    context: ToolContext,
    why: Literal["late", "broken"] = "late",
    iban: str | None = None,
    tags: list[str] = [],  # noqa: B006 what is tested is that it is not shared
) -> Order:
    """Pay money back for an order.

    It takes two days.

    Args:
        order_id: which order, as it is printed
            on the bill.
        euros (float): how much: not more than was paid.

    Returns:
        The order.
    """
    tags.append(context.key)
    return Order(id=f"{order_id} {context.subject} {why} {iban} {tags}", euros=euros)


async def test_schemas_come_from_annotations_and_words_from_the_docstring() -> None:
    spec = refund.spec
    assert (spec.name, spec.kind, spec.policy, spec.scopes) == ("refund", "python", "user_confirm", ("refunds",))
    assert spec.description == "Pay money back for an order.\n\nIt takes two days."
    assert spec.input_schema == {
        "type": "object",
        "properties": {
            "order_id": {"type": "string", "description": "which order, as it is printed on the bill."},
            "euros": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": 500,
                "description": "how much: not more than was paid.",
            },
            "why": {"enum": ["broken", "late"], "default": "late"},
            "iban": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        },
        "required": ["order_id", "euros"],
        "additionalProperties": False,
    }
    assert spec.output_schema is not None
    assert spec.output_schema["$ref"] == "#/$defs/Order"


async def test_arguments_are_read_into_types_and_the_result_is_written_as_json() -> None:
    given = {"order_id": "7", "euros": 3, "why": "broken"}
    assert await refund.call(given, FOR) == {"id": "7 ada broken None ['k-1']", "euros": 3.0, "parts": []}
    again = await refund.call({"order_id": "7", "euros": 3}, FOR)
    assert "['k-1']" in again["id"], "a default is not shared between calls"


async def test_arguments_that_do_not_fit_reach_no_function() -> None:
    with pytest.raises(ToolFailed, match=r"euros") as failed:
        await refund.call({"order_id": "7", "euros": "many"}, FOR)
    assert failed.value.code == "bad_arguments"


async def test_a_plain_function_may_block_and_is_called_in_a_thread() -> None:
    loop = asyncio.get_running_loop()

    @tool
    def blocks(seconds: int) -> str:
        """Wait."""
        return asyncio.run_coroutine_threadsafe(asyncio.sleep(0, result=f"after {seconds}"), loop).result(5)

    assert await blocks.call({"seconds": 2}, FOR) == "after 2"
    assert blocks.spec.output_schema == {"type": "string"}


async def test_the_function_itself_can_be_called_as_before() -> None:
    @tool(name="add_up", description="Adds.", side_effect="none")
    def add(a: int, b: int = 2) -> int:
        return a + b

    assert add(1) == 3
    assert (add.spec.name, add.spec.description, add.spec.side_effect) == ("add_up", "Adds.", "none")


async def test_a_function_that_says_nothing_of_its_result_may_give_anything() -> None:
    def anything(given: Any):
        return {"given": given}

    any_of_it = tool(anything)

    assert any_of_it.spec.output_schema is None
    assert await any_of_it.call({"given": [1, None]}, FOR) == {"given": [1, None]}


# What is tested is that the annotation is missing.
def no_type(a) -> None:  # pyright: ignore[reportUnknownParameterType, reportMissingParameterType]
    del a


def no_json(a: object, b: Path) -> None:
    del a, b


def many(*a: int) -> None:
    del a


UNFIT: dict[str, Any] = {"needs a type": no_type, "that is no JSON": no_json, "cannot be given by name": many}


@pytest.mark.parametrize("words", UNFIT)
async def test_a_function_that_cannot_be_a_tool_is_told_why(words: str) -> None:
    with pytest.raises(TypeError, match=words):
        tool(UNFIT[words])


async def test_tools_are_found_in_a_module(tmp_path: Path) -> None:
    (tmp_path / "shop_tools_found.py").write_text(
        "from duologue import tool\n"
        "@tool\ndef first(a: int) -> int:\n    return a\n"
        "@tool\ndef second() -> None: ...\nalias = first\n"
    )
    found = load_tools("shop_tools_found", folder=tmp_path)
    assert [one.spec.name for one in found] == ["first", "second"]
    assert all(isinstance(one, PythonTool) for one in found)


@pytest.mark.parametrize(
    ("source", "name", "words"),
    [
        ("", "tools_empty_x", "has no tool"),
        ("1 / 0", "tools_broken_x", "ZeroDivisionError"),
        ("", "no-name", "is not a module's name"),
        ("", "tools_not_there_x", "there is no module"),
    ],
)
async def test_a_module_without_tools_is_told_so(source: str, name: str, words: str, tmp_path: Path) -> None:
    if "not_there" not in name:
        (tmp_path / f"{name}.py").write_text(source)
    with pytest.raises(SettingsError, match=words):
        load_tools(name, folder=tmp_path)


async def test_a_plain_function_that_hangs_holds_nobody_else_up() -> None:
    gate = threading.Event()

    @tool
    def hang() -> str:
        """Hang."""
        gate.wait()
        return "at last"

    hanging = [asyncio.create_task(hang.call({}, FOR)) for _ in range(40)]
    await asyncio.sleep(0)
    try:
        assert await asyncio.to_thread(lambda: "here") == "here"
    finally:
        gate.set()
    assert set(await asyncio.gather(*hanging)) == {"at last"}


async def test_when_too_many_calls_of_a_plain_function_hang_the_next_is_told_so() -> None:
    gate = threading.Event()
    threads = Threads(1, name="test")
    first = threads.submit(gate.wait)
    with pytest.raises(Full):
        threads.submit(gate.wait)
    gate.set()
    assert first.result() is True


async def test_a_plain_function_that_finds_nothing_has_failed_at_once() -> None:
    @tool
    def first(wanted: int) -> int:
        """Find one."""
        return next(one for one in (1, 2) if one == wanted)

    with pytest.raises(RuntimeError):
        await asyncio.wait_for(first.call({"wanted": 3}, FOR), 5)
