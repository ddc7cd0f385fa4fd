"""Walk every edge of a JSON Schema: for each constraint of each member, the values on both sides of it.

Chance finds most disagreements between a decoder and its schema, but may miss one bound of one member;
this does not. The judge says which side is right.
"""

import re
from collections.abc import Iterator, Mapping

from tests.conformance.protocols.schema_instances import LONGEST_TEXT, ODD, Instances, Schema, implied

from duologue.model.jsonwire import Json

DATE_TIME = "2026-01-02T03:04:05Z"
URI = "https://a.example/b"
PATTERN_SAMPLES = ("en", "04a1", "a" * 64, DATE_TIME, "AAAA", "x")


class Edges:
    """The edges of one schema.

    Args:
        instances: the schema, with its documents.
        samples: true values to stand where a reference leads, by the reference as written.
        sparing: optional members that are tried, but left out of the instances around other edges.
    """

    def __init__(
        self,
        instances: Instances,
        samples: Mapping[str, Json] | None = None,
        *,
        sparing: frozenset[str] = frozenset(),
    ) -> None:
        self._instances = instances
        self._samples = {**(samples or {})}
        self._sparing = sparing

    def all(self) -> Iterator[Json]:
        """Every value next to a constraint, each inside an otherwise full and right instance."""
        yield from self._near(self._instances.root, self._instances.root)

    def _sample(self, node: Schema) -> Json:
        return None if isinstance(node, bool) else self._samples.get(node.get("$ref"))

    def _near(self, node: Schema, root: Schema) -> Iterator[Json]:
        yield from ODD
        sample = self._sample(node)
        if sample is not None:
            yield sample
            return
        for plain, home in self._instances.branches(node, root):
            if isinstance(plain, bool):
                continue
            yield self._full(plain, home)
            match _kind(plain):
                case "object":
                    yield from self._around_object(plain, home)
                case "array":
                    yield from self._around_array(plain, home)
                case _:
                    yield from _around_leaf(plain)

    def _around_object(self, node: Schema, home: Schema) -> Iterator[Json]:
        properties: dict[str, Schema] = node.get("properties", {})
        whole = self._members(properties, home)
        yield {name: value for name, value in whole.items() if name in node.get("required", ())}
        yield {**whole, "extra": 1}
        for name, child in properties.items():
            yield {other: value for other, value in whole.items() if other != name}
            for value in self._near(child, home):
                yield {**whole, name: value}

    def _around_array(self, node: Schema, home: Schema) -> Iterator[Json]:
        item = self._full(node.get("items", True), home)
        edges = [node[name] for name in ("minItems", "maxItems") if name in node]
        for count in {0, 1, 2, *edges, *(edge - 1 for edge in edges), *(edge + 1 for edge in edges)}:
            yield [item] * count
        for value in self._near(node.get("items", True), home):
            yield [value]
            yield [item, value]

    def _full(self, node: Schema, root: Schema) -> Json:
        """The simplest value with every member that the schema names."""
        sample = self._sample(node)
        if sample is not None:
            return sample
        plain, home = self._instances.branches(node, root)[0]
        if isinstance(plain, bool):
            return 1
        match _kind(plain):
            case "object":
                return self._members(plain.get("properties", {}), home)
            case "array":
                return [self._full(plain.get("items", True), home)] * max(1, plain.get("minItems", 0))
            case _:
                return _leaf(plain)

    def _members(self, properties: dict[str, Schema], home: Schema) -> dict[str, Json]:
        used = {name: child for name, child in properties.items() if name not in self._sparing}
        return {name: self._full(child, home) for name, child in used.items()}


def _kind(node: Schema) -> str:
    if "const" in node or "enum" in node:
        return "constant"
    kind = node.get("type", implied(node))
    return kind if isinstance(kind, str) else kind[0]


def _leaf(node: Schema) -> Json:
    match _kind(node):
        case "constant":
            return node["const"] if "const" in node else node["enum"][0]
        case "string":
            if "pattern" in node:
                return next(text for text in PATTERN_SAMPLES if re.search(node["pattern"], text))
            formats = {"date-time": DATE_TIME, "uri": URI}
            return formats.get(node.get("format"), "x" * max(1, node.get("minLength", 0)))
        case "integer" | "number":
            return max(1, node.get("minimum", 1))
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return 1


def _around_leaf(node: Schema) -> Iterator[Json]:
    match _kind(node):
        case "constant":
            for value in [node["const"]] if "const" in node else node["enum"]:
                yield from (value, [value], f"{value}x", f"{value}"[:-1], f"{value}".upper(), f"{value}\n")
        case "string":
            for name in ("minLength", "maxLength"):
                edge = node.get(name, LONGEST_TEXT)
                yield from ("é" * length for length in (edge - 1, edge, edge + 1) if 0 <= length < LONGEST_TEXT)
            yield from (f"{_leaf(node)}{tail}" for tail in ("x", "\n", " ", "=", "é"))
        case "integer" | "number":
            for edge in (node.get("minimum", 0), node.get("maximum", 2**31 - 1)):
                yield from (edge - 1, edge, edge + 1, float(edge), edge + 0.5, str(edge))
        case _:
            return
