"""Judging frames by JSON Schema, with findings in our own words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import jsonschema_rs
from jsonschema_rs import ValidationErrorKind as Kind

from duologue.check.findings import JsonObject, shown
from duologue.model.base import Value
from duologue.model.jsonwire import Json

ERRORS: Final = 8
"""Most schema errors that are told of one frame: after some, more of the same help nobody."""


class Fault(Value, kw_only=True):
    """Where a value does not fit its schema. `where` leads from the frame to the value."""

    where: tuple[str | int, ...]
    found: str
    expected: str


class Judge:
    """Knows one schema for each type of frame.

    Args:
        schemas: by type.
        others: schemas that these refer to; nothing else is ever fetched.
    """

    def __init__(self, schemas: Mapping[str, JsonObject], *, others: tuple[JsonObject, ...] = ()) -> None:
        self._schemas = schemas
        self._others = [(str(other["$id"]), other) for other in others]
        self._made: dict[str, jsonschema_rs.Validator] = {}

    def __contains__(self, kind: object) -> bool:
        return isinstance(kind, str) and kind in self._schemas

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def faults(self, kind: str, frame: JsonObject) -> Iterator[Fault]:
        """Compare a frame with the schema of its type."""
        validator = self._made.get(kind)
        if validator is None:
            registry = jsonschema_rs.Registry(self._others)
            validator = self._made[kind] = jsonschema_rs.validator_for(
                self._schemas[kind], registry=registry, validate_formats=True, offline=True
            )
        if validator.is_valid(frame):
            return
        for count, error in enumerate(validator.iter_errors(frame)):
            if count == ERRORS:
                break
            yield from _faults(error)


def branches(schema: JsonObject, *, key: str = "type") -> dict[str, JsonObject]:
    """Take a schema apart that is one of several: the schema of each, by the constant that `key` has there."""
    found: dict[str, JsonObject] = {}
    choices = schema["oneOf"]
    assert isinstance(choices, list), "it is one of several"
    shared: JsonObject = {name: schema[name] for name in ("$schema", "$id", "$defs", "definitions") if name in schema}
    for choice in choices:
        assert isinstance(choice, dict), "each is an object"
        for constant in _constants(schema, choice, key):
            found[constant] = shared | choice
    return found


def _constants(root: JsonObject, schema: JsonObject, key: str) -> Iterator[str]:
    reference, parts, members = schema.get("$ref"), schema.get("allOf"), schema.get("properties")
    if isinstance(reference, str) and reference.startswith("#/"):
        yield from _constants(root, resolved(root, reference), key)
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, dict):
            yield from _constants(root, part, key)
    match members.get(key) if isinstance(members, dict) else None:
        case {"const": str(constant)}:
            yield constant
        case {"enum": list(names)}:
            yield from (name for name in names if isinstance(name, str))
        case _:
            pass


def resolved(root: JsonObject, reference: str) -> JsonObject:
    """Follow a reference inside a schema."""
    value: Json = root
    for step in reference.removeprefix("#/").split("/"):
        assert isinstance(value, dict), reference
        value = value[step]
    assert isinstance(value, dict), reference
    return value


def _faults(error: jsonschema_rs.ValidationError) -> Iterator[Fault]:
    where = tuple(error.instance_path)
    # The library's own type also has decimals, which it is not asked for here.
    value: Json = error.instance  # pyright: ignore[reportAssignmentType]
    match error.kind:
        case Kind.OneOfNotValid(context) | Kind.AnyOf(context):
            yield from _nearest(where, value, context)
        case Kind.Required(name):
            members = ", ".join(sorted(value)) if isinstance(value, dict) else shown(value)
            yield Fault(
                where=where, found=f"only {members or 'an empty object'}", expected=f"a member `{name}` as well"
            )
        case Kind.AdditionalProperties(names) | Kind.UnevaluatedProperties(names):
            for name in names:
                yield Fault(where=(*where, name), found=f"a member `{name}`", expected="no member of this name")
        case kind:
            yield Fault(where=where, found=shown(value), expected=_expected(kind))


def _nearest(
    where: tuple[str | int, ...], value: Json, context: list[list[jsonschema_rs.ValidationError]]
) -> Iterator[Fault]:
    """Tell of the alternative that the value comes nearest to: the one whose constants it has, and fails least."""
    likely = [errors for errors in context if errors and not any(_is_constant(error) for error in errors)]
    if len(likely) == 1:
        for error in likely[0][:ERRORS]:
            yield from _faults(error)
        return
    expected = {_expected(error.kind) for errors in context for error in errors[:1]}
    yield Fault(where=where, found=shown(value), expected=" or ".join(sorted(expected)) or "one of the alternatives")


def _is_constant(error: jsonschema_rs.ValidationError) -> bool:
    match error.kind:
        case Kind.Constant() | Kind.Type():
            return True
        case _:
            return False


def _expected(kind: Kind) -> str:
    match kind:
        case Kind.Type(types):
            return " or ".join(map(_with_article, types))
        case Kind.Constant(value):
            return _json(value)
        case Kind.Enum(options):
            return "one of " + ", ".join(map(_json, options))
        case Kind.Required(name):
            return f"a member `{name}`"
        case Kind.Minimum(limit):
            return f"at least {limit}"
        case Kind.Maximum(limit):
            return f"at most {limit}"
        case Kind.MinLength(limit):
            return f"at least {limit} characters"
        case Kind.MaxLength(limit):
            return f"at most {limit} characters"
        case Kind.MinItems(limit):
            return f"at least {limit} items"
        case Kind.MaxItems(limit):
            return f"at most {limit} items"
        case Kind.Pattern(pattern):
            return f"text that matches {pattern}"
        case Kind.Format(name):
            return _FORMATS.get(name, f"text of the format {name}")
        case Kind.UniqueItems():
            return "no item twice"
        case Kind.FalseSchema():
            return "nothing here"
        case Kind.ExclusiveMinimum(limit):
            return f"more than {limit}"
        case _:
            return f"what the schema's `{kind.name}` asks for"


_FORMATS: Final[Mapping[str, str]] = {
    "date-time": "a moment as RFC 3339 writes it, such as 2026-01-02T03:04:05.678Z",
    "uri": "an absolute address, such as https://example.com/page",
}


def _with_article(kind: str) -> str:
    return kind if kind == "null" else f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


# The library's values may hold decimals; only JSON of a schema comes here.
_json: Final[Callable[..., str]] = shown
