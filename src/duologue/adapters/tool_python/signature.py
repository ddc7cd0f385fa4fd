"""A function's arguments and result as types that JSON is read into, and as JSON Schema."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, cast, get_type_hints

import msgspec

from duologue.adapters.tool_python.docstring import about_arguments
from duologue.model.base import Value
from duologue.ports.tool import ToolContext

_REF: Final = "#/$defs/{name}"


class Signature(Value, kw_only=True):
    """How a function is called.

    Attributes:
        arguments: the type that a call's arguments are read into.
        input_schema: JSON Schema of the arguments.
        output_schema: JSON Schema of the result; `None` where the function says nothing of it.
        context: the name of the argument that takes the `ToolContext`; empty where it takes none.
    """

    # Types made at run time have no static type of their own.
    arguments: Any
    # JSON Schema: JSON of many shapes.
    input_schema: dict[str, Any]
    # JSON Schema: JSON of many shapes.
    output_schema: dict[str, Any] | None
    context: str


def read_signature(function: Callable[..., object], *, name: str) -> Signature:
    """Read how a function is called off its annotations.

    Raises:
        TypeError: an argument has no annotation, or one that is no JSON; it is named.
    """
    hints = _hints(function, name)
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    told = about_arguments(function)
    context = ""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"tool {name!r}: {parameter} cannot be given by name; write each argument out")
        if parameter.name not in hints:
            raise TypeError(f"tool {name!r}: the argument {parameter.name} needs a type, such as {parameter.name}: str")
        kind = hints[parameter.name]
        if kind is ToolContext:
            context = parameter.name
            continue
        fields.append(_field(parameter, kind, told))
    arguments = msgspec.defstruct(_shape_name(name), fields, kw_only=True, forbid_unknown_fields=True, frozen=True)
    return Signature(
        arguments=arguments,
        input_schema=_schema(arguments, f"tool {name!r}: an argument"),
        output_schema=_output(hints.get("return", Any), name),
        context=context,
    )


# Type expressions have no static type of their own before TypeForm (PEP 747).
def _field(parameter: inspect.Parameter, kind: Any, told: Mapping[str, str]) -> tuple[str, Any] | tuple[str, Any, Any]:
    if (about := told.get(parameter.name)) and "description" not in str(kind):
        kind = Annotated[kind, msgspec.Meta(description=about)]
    if parameter.default is parameter.empty:
        return parameter.name, kind
    given: Any = parameter.default
    if type(given) in (list, dict, set):
        # A mutable one is another one for each call.
        return parameter.name, kind, msgspec.field(default_factory=_another(given))
    return parameter.name, kind, given


# As above.
def _another(given: Any) -> Callable[[], Any]:
    return cast(Callable[[], Any], given.copy if given else type(given))


# As above.
def _output(kind: Any, name: str) -> dict[str, Any] | None:
    if kind is Any or kind is object:
        return None
    return _schema(kind, f"tool {name!r}: the result")


# As above.
def _schema(kind: Any, what: str) -> dict[str, Any]:
    """JSON Schema of a type, with what it refers to beside it."""
    try:
        (schema,), others = msgspec.json.schema_components((kind,), ref_template=_REF)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} has a type that is no JSON: {error}") from error
    own = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if own in others and f'"#/$defs/{own}"'.encode() not in msgspec.json.encode(others):
        schema = {key: value for key, value in others.pop(own).items() if key != "title"}
    return {**schema, "$defs": others} if others else schema


# As above.
def _hints(function: Callable[..., object], name: str) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise TypeError(f"tool {name!r}: its annotations cannot be read: {error}") from error


def _shape_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("-", "_").replace(".", "_").split("_")) + "Arguments"
