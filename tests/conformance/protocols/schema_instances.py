"""Make instances of a JSON Schema, and near misses of them, with hypothesis.

`Instances(schema).valid()` draws values that the schema accepts; `.mutated()` draws the same with one thing
changed, which a judge (`jsonschema_rs`) then accepts or refuses. Supports what our contracts use: objects
(required, optional and extra members), `const`, `enum`, `oneOf`, `anyOf`, `allOf`, `$ref` (also into other
documents), bounds, lengths, `pattern`, arrays, `uniqueItems`, `date-time` and `uri`; any draft.
"""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote, urljoin

import jsonschema_rs
from hypothesis import strategies as st

from duologue.model.jsonwire import Json

# Any: a schema is walked by keyword, whatever stands there.
Schema: TypeAlias = Any
# Any: an instance is JSON of no known shape, for tests to index.
Strategy: TypeAlias = st.SearchStrategy[Any]
Path: TypeAlias = tuple[str | int, ...]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALAR: Strategy = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.5]) | TEXT
ANYTHING: Strategy = SCALAR | st.lists(SCALAR, max_size=2) | st.dictionaries(TEXT, SCALAR, max_size=2)
DATE_TIMES = st.datetimes().map(lambda at: at.isoformat() + "Z")
URIS = st.from_regex(r"https://[a-z]{1,8}\.example/[a-z0-9]{0,8}", fullmatch=True)
EXTRA_NAMES = st.sampled_from(["extra", "x-more", "$odd", ""])
ODD: list[Json] = [None, True, 0, 1.0, 1.5, -1, "", [], {}, "9999-99-99T99:99:99Z"]
LONGEST_ARRAY = 3
LONGEST_TEXT = 100_000
"""Bounds above it are not tried by mutations: the text would only cost time."""


class Instances:
    """Strategies for one schema.

    Args:
        schema: the document, already parsed.
        documents: other documents that a `$ref` may name; each has an absolute `$id`.
        overrides: strategies to use instead of the schema, by the reference (`$ref`) that leads there.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        documents: Iterable[Schema] = (),
        overrides: Mapping[str, Strategy] | None = None,
    ) -> None:
        self.root = schema
        self._documents = {document["$id"]: document for document in documents}
        self._overrides = {**(overrides or {})}
        self.accepts = judge(schema, documents=self._documents.values())

    def valid(self) -> Strategy:
        """Draw instances that the schema accepts."""
        return self._of(self.root, self.root).filter(self.accepts)

    def mutated(self) -> Strategy:
        """Draw instances with one member or item dropped, added, nulled, retyped, or moved across a bound."""
        strange = sorted(_landmarks([self.root, *self._documents.values()]), key=repr)
        return self.valid().flatmap(lambda instance: _mutations(instance, strange))

    def branches(self, node: Schema, root: Schema) -> list[tuple[Schema, Schema]]:
        """Resolve a node into plain ones without choice or reference, each with its document."""
        if isinstance(node, bool) or not _nested(node):
            return [(node, root)]
        merged, home = self._flat(node, root)
        return [plain for one in merged for plain in self.branches(one, home)]

    def _of(self, node: Schema, root: Schema) -> Strategy:
        if isinstance(node, bool):
            return ANYTHING if node else st.nothing()
        reference = node.get("$ref")
        if reference in self._overrides:
            return self._overrides[reference]
        for name in ("oneOf", "anyOf"):
            if name in node:
                rest = {key: value for key, value in node.items() if key != name}
                return st.one_of([self._of({**rest, "allOf": [*rest.get("allOf", ()), branch]}, root)
                                  for branch in node[name]])  # fmt: skip
        if reference is not None or "allOf" in node:
            branches, home = self._flat(node, root)
            return st.one_of([self._of(branch, home) for branch in branches])
        return self._plain(node, root)

    def _flat(self, node: Schema, root: Schema) -> tuple[list[Schema], Schema]:
        """Merge `$ref` and `allOf` into one node for each way through the choices below them."""
        rest = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
        parts: list[Schema] = list(node.get("allOf", ()))
        home = root
        if "$ref" in node:
            target, home = self._resolve(node["$ref"], root)
            if home is not root and (parts or _constrains(rest)):
                raise NotImplementedError(f"constraints beside a reference into another document: {node}")
            parts.insert(0, target)
        merged: list[Schema] = [rest]
        for part in parts:
            choices = self._flat(part, home)[0] if not isinstance(part, bool) and _nested(part) else [part]
            merged = [_merge(one, choice) for one in merged for choice in choices]
        return [one for node in merged for one in _choices(node)], home

    def _resolve(self, reference: str, root: Schema) -> tuple[Schema, Schema]:
        address, _, pointer = reference.partition("#")
        home = self._documents[urljoin(root.get("$id", ""), address)] if address else root
        node = home
        for step in pointer.split("/")[1:]:
            node = node[unquote(step).replace("~1", "/").replace("~0", "~")]
        return node, home

    def _plain(self, node: Schema, root: Schema) -> Strategy:
        if "const" in node:
            return st.just(node["const"])
        if "enum" in node:
            return st.sampled_from(node["enum"])
        kinds = node.get("type", implied(node))
        makers: dict[str, Callable[[], Strategy]] = {
            "object": lambda: self._object(node, root),
            "array": lambda: self._array(node, root),
            "string": lambda: _string(node),
            "integer": lambda: _integer(node),
            "number": lambda: _integer(node) | _number(node),
            "boolean": st.booleans,
            "null": st.none,
            "any": lambda: ANYTHING,
        }
        return st.one_of([makers[kind]() for kind in ([kinds] if isinstance(kinds, str) else kinds)])

    def _object(self, node: Schema, root: Schema) -> Strategy:
        properties: dict[str, Schema] = node.get("properties", {})
        required = node.get("required", [])
        known = {name: self._of(child, root) for name, child in properties.items()}
        must = {name: known.get(name, ANYTHING) for name in required}
        may = {name: strategy for name, strategy in known.items() if name not in must}
        fixed = st.fixed_dictionaries(must, optional=may)
        more = node.get("additionalProperties", True)
        if more is False:
            return fixed
        extra = st.dictionaries(EXTRA_NAMES, self._of(more, root), max_size=1)
        return st.tuples(extra, fixed).map(lambda two: {**two[0], **two[1]})

    def _array(self, node: Schema, root: Schema) -> Strategy:
        low = node.get("minItems", 0)
        high = min(node.get("maxItems", low + LONGEST_ARRAY), low + LONGEST_ARRAY)
        items = self._of(node.get("items", True), root)
        unique = json.dumps if node.get("uniqueItems") else None
        return st.lists(items, min_size=low, max_size=high, unique_by=unique)


def judge(schema: Schema, *, documents: Iterable[Schema] = ()) -> Callable[[Schema], bool]:
    """Compile the independent judge of a schema, with formats asserted."""
    registry = jsonschema_rs.Registry([(document["$id"], document) for document in documents])
    return jsonschema_rs.validator_for(schema, registry=registry, validate_formats=True).is_valid


def _nested(node: Schema) -> bool:
    return any(name in node for name in ("$ref", "allOf", "oneOf", "anyOf"))


def _constrains(node: Schema) -> bool:
    return bool(node.keys() - {"description", "title", "default", "examples", "$comment"})


def _choices(node: Schema) -> list[Schema]:
    """Split a node on its own `oneOf` or `anyOf`, left there by a merge."""
    for name in ("oneOf", "anyOf"):
        if name in node:
            rest = {key: value for key, value in node.items() if key != name}
            return [{**rest, "allOf": [*rest.get("allOf", ()), branch]} for branch in node[name]]
    return [node]


def _merge(one: Schema, two: Schema) -> Schema:
    if two is True:
        return one
    merged = {**one, **two}
    if "properties" in one and "properties" in two:
        left, right = one["properties"], two["properties"]
        both = {name: _merge(left[name], right[name]) for name in left.keys() & right.keys()}
        merged["properties"] = {**left, **right, **both}
    if "required" in one and "required" in two:
        merged["required"] = list(dict.fromkeys([*one["required"], *two["required"]]))
    for name, tighter in _TIGHTER.items():
        if name in one and name in two:
            merged[name] = tighter(one[name], two[name])
    return merged


_TIGHTER: dict[str, Callable[[Schema, Schema], Schema]] = {
    "minimum": max, "minLength": max, "minItems": max, "maximum": min, "maxLength": min, "maxItems": min,
    "additionalProperties": lambda one, two: False if one is False or two is False else two,
}  # fmt: skip


def implied(node: Schema) -> str:
    if node.keys() & {"properties", "required", "additionalProperties"}:
        return "object"
    if node.keys() & {"items", "minItems", "maxItems", "uniqueItems"}:
        return "array"
    return "string" if node.keys() & {"minLength", "maxLength", "pattern", "format"} else "any"


def _string(node: Schema) -> Strategy:
    low, high = node.get("minLength", 0), node.get("maxLength")

    def fits(text: str) -> bool:
        return (
            low <= len(text)
            and (high is None or len(text) <= high)
            and ("pattern" not in node or re.search(node["pattern"].removesuffix("$") + r"\Z", text) is not None)
        )

    if node.get("format") == "date-time":
        return DATE_TIMES.filter(fits)
    if node.get("format") in ("uri", "uri-reference"):
        return URIS.filter(fits)
    if "pattern" in node:
        pattern: str = node["pattern"].removesuffix("$") + r"\Z"
        return st.from_regex(pattern).filter(fits)
    longest = low + 12 if high is None else min(high, low + 12)
    usual = st.text(st.characters(exclude_categories=["Cs"]), min_size=low, max_size=longest)
    edges = [low] if high is None else [low, high]
    return usual | st.sampled_from(edges).map(lambda length: "é" * length)


def _integer(node: Schema) -> Strategy:
    low, high = _bounds(node)
    low, high = (None if low is None else -int(-low // 1)), (None if high is None else int(high // 1))
    whole = st.integers(low, high)
    near = st.integers(
        low if low is not None else -2, min(high, (low or 0) + 9) if high is not None else (low or 0) + 9
    )
    # JSON Schema counts 1.0 as an integer.
    return near | whole.filter(lambda value: abs(value) <= 2**53) | near.map(float)


def _number(node: Schema) -> Strategy:
    low, high = _bounds(node)
    return st.floats(low, high, allow_nan=False, allow_infinity=False)


def _bounds(node: Schema) -> tuple[float | None, float | None]:
    return node.get("minimum"), node.get("maximum")


def _landmarks(node: Json) -> Iterator[Json]:
    """Values on both sides of every bound of a schema, and every constant."""
    match node:
        case list():
            for item in node:
                yield from _landmarks(item)
        case dict():
            for name, value in node.items():
                yield from _around(name, value)
        case _:
            return


def _around(name: str, value: Json) -> Iterator[Json]:
    match name, value:
        case (("minimum" | "maximum" | "minItems" | "maxItems"), int() | float()):
            yield from (value - 1, value, value + 1)
        case (("minLength" | "maxLength"), int()):
            yield from ("x" * length for length in (value - 1, value, value + 1) if 0 <= length <= LONGEST_TEXT)
        case "const", str():
            yield value
        case "enum", list():
            yield from value
        case _:
            yield from _landmarks(value)


def _places(node: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    match node:
        case dict():
            for name, child in node.items():
                yield from _places(child, (*path, name))
        case list():
            for place, child in enumerate(node):
                yield from _places(child, (*path, place))
        case _:
            return


def _mutations(instance: Json, strange: list[Json]) -> Strategy:
    return st.sampled_from(list(_places(instance))).flatmap(lambda path: _mutation(instance, path, strange))


def _mutation(instance: Json, path: Path, strange: list[Json]) -> Strategy:
    def put(value: Json) -> Json:
        return _replaced(instance, path, value)

    ways: list[Strategy] = [st.sampled_from(ODD).map(put), _nearby(_at(instance, path)).map(put)]
    if strange:
        ways.append(st.sampled_from(strange).map(put))
    if path:
        ways.append(st.just(path).map(lambda gone: _dropped(instance, gone)))
    return st.one_of(ways)


def _nearby(here: Json) -> Strategy:
    """Values that differ a little from one: a member or item more, one up, one character off."""
    match here:
        case dict():
            return st.tuples(EXTRA_NAMES, ANYTHING).map(lambda more: {**here, more[0]: more[1]})
        case list():
            return st.sampled_from([1, 2, 17]).map(lambda times: [*here, *(here[-1:] or [0]) * times])
        case bool() | None:
            return st.sampled_from(ODD)
        case int() | float():
            return st.sampled_from([-here, here + 1, here + 0.5, float(here), str(here)])
        case str():
            return st.sampled_from([here + "x", here[1:], here.upper(), here + "\n", [here]])


# Any: the way to a place is not in the types.
def _at(instance: Any, path: Path) -> Any:
    for step in path:
        instance = instance[step]
    return instance


def _replaced(instance: Json, path: Path, value: Json) -> Json:
    if not path:
        return value
    changed = copy.deepcopy(instance)
    _at(changed, path[:-1])[path[-1]] = value
    return changed


def _dropped(instance: Json, path: Path) -> Json:
    changed = copy.deepcopy(instance)
    del _at(changed, path[:-1])[path[-1]]
    return changed
