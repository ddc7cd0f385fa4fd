from typing import Any

import msgspec
import pytest

from duologue.model import limits
from duologue.model.errors import SettingsError
from duologue.model.tools import ApprovalPolicy, ToolKind, ToolSpec
from duologue.ports.tool import ToolContext
from duologue.runtime.tools.toolbox import Toolbox

COUNT: dict[str, Any] = {
    "type": "object",
    "properties": {"item": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["item"],
    "additionalProperties": False,
}


def spec(name: str = "stock", **more: Any) -> ToolSpec:
    made = ToolSpec(name=name, kind="python", input_schema=COUNT)
    return msgspec.structs.replace(made, **more)


class Plain:
    """A tool that gives back what it is given."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec

    async def call(self, arguments: dict[str, Any], context: ToolContext) -> Any:
        del context
        return arguments


def test_tools_are_known_by_name() -> None:
    tool = Plain(spec())
    box = Toolbox([tool], [spec("where", kind="client")])
    assert box.find("stock") is tool.spec
    assert box.tool("stock") is tool
    assert box.find("where") == spec("where", kind="client")
    assert box.tool("where") is None
    assert box.find("other") is None
    assert [one.name for one in box.specs] == ["stock", "where"]
    assert len(box) == 2


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ('{"item":"tea","count":2}', ""),
        ("{}", '$: "item" is a required property'),
        ('{"item":7}', '$.item: 7 is not of type "string"'),
        ('{"item":"tea","count":0}', "$.count: 0 is less than the minimum of 1"),
        ('{"item":"tea","x":1}', "$: Additional properties are not allowed ('x' was unexpected)"),
    ],
)
def test_bad_arguments_are_told_in_words_for_the_agent(arguments: str, fault: str) -> None:
    assert Toolbox([Plain(spec())]).wrong_with("stock", arguments) == fault


def test_many_faults_are_told_within_bounds() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    box = Toolbox([Plain(spec(input_schema=schema))])
    arguments = "{" + ",".join(f'"{"k" * 900}{n}":"{"v" * 900}"' for n in range(9)) + "}"
    assert len(box.wrong_with("stock", arguments)) == limits.TOOL_FAULT_CHARS


def test_what_is_wrong_with_a_result_repeats_nothing_of_it() -> None:
    box = Toolbox([Plain(spec(output_schema={"type": "object", "properties": {"card": {"type": "integer"}}}))])
    assert box.wrong_with_output("stock", {"card": 1}) == ""
    fault = box.wrong_with_output("stock", {"card": "4111-1111"})
    assert fault == "$.card: does not fit $.properties.card.type of its schema"


@pytest.mark.parametrize(
    ("policy", "kind", "scopes", "granted", "client", "offered"),
    [
        ("auto", "python", (), (), (), True),
        ("denied", "python", (), None, (), False),
        ("auto", "client", (), None, (), False),
        ("auto", "client", (), None, ("stock",), True),
        ("auto", "python", ("refunds", "vip"), ("refunds",), (), False),
        ("auto", "python", ("refunds",), ("refunds", "more"), (), True),
        ("auto", "python", ("refunds",), None, (), True),
        ("supervisor_approve", "http", (), (), (), True),
    ],
)
def test_only_what_may_run_is_offered(
    policy: ApprovalPolicy,
    kind: ToolKind,
    scopes: tuple[str, ...],
    granted: tuple[str, ...] | None,
    client: tuple[str, ...],
    offered: bool,
) -> None:
    box = Toolbox([], [spec(policy=policy, kind=kind, scopes=scopes, description="Counts.")])
    found = box.offered(granted=granted, client=client)
    assert [(one.name, one.description, one.parameters) for one in found] == [("stock", "Counts.", COUNT)] * offered


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([spec(), spec()], "there are two of that name"),
        ([spec("")], "a name has 1 to"),
        ([spec("x" * 129)], "a name has 1 to"),
        ([spec(input_schema={"type": "nothing"})], "its input schema cannot be used"),
        ([spec(output_schema={"$ref": "#/$defs/gone"})], "its output schema cannot be used"),
        ([spec(input_schema={"$ref": "http://169.254.169.254/latest"})], "its input schema cannot be used"),
        ([spec(f"t{n}") for n in range(limits.TOOLS + 1)], "more than"),
    ],
)
def test_what_cannot_be_registered_is_told(tools: list[ToolSpec], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Toolbox([Plain(one) for one in tools])


def test_what_a_source_tells_takes_the_place_of_what_it_told_before() -> None:
    box = Toolbox([Plain(spec("own"))])
    assert box.replace("shop", [Plain(spec("a")), Plain(spec("b"))]) == ()
    faults = box.replace("shop", [Plain(spec("b")), Plain(spec("own")), Plain(spec("c", input_schema={"type": 1}))])
    assert [one.name for one in box.specs] == ["own", "b"]
    assert len(faults) == 2
    box.replace("shop", [])
    assert [one.name for one in box.specs] == ["own"]
    assert box.wrong_with("b", "{}") == ""
