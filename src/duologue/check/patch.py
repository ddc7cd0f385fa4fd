"""Applying a JSON Patch to a document, to see whether it can be. Source: RFC 6902, RFC 6901."""

import copy
from typing import Final

from duologue.check.findings import shown
from duologue.model.base import Value
from duologue.model.jsonwire import Json

OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")


class Misfit(Value, kw_only=True):
    """Why a patch does not apply: which operation, what was found there, and what it needs."""

    operation: int
    member: str
    found: str
    expected: str


class _MisfitError(Exception):
    def __init__(self, member: str, found: str, expected: str) -> None:
        super().__init__(found)
        self.member, self.found, self.expected = member, found, expected


def misshapen(patch: list[Json]) -> Misfit | None:
    """Find the first operation that is none."""
    for number, operation in enumerate(patch):
        problem = _misshapen(operation)
        if problem is not None:
            member, found, expected = problem
            return Misfit(operation=number, member=member, found=found, expected=expected)
    return None


def apply(document: Json, patch: list[Json]) -> "Json | Misfit":
    """Apply a well-shaped patch; the document that was given is not changed."""
    # A document of one member, so that the whole can be replaced like a part.
    holder: dict[str, Json] = {"": copy.deepcopy(document)}
    for number, operation in enumerate(patch):
        assert isinstance(operation, dict), "the shape was checked"
        try:
            _apply(holder, operation)
        except _MisfitError as misfit:
            return Misfit(operation=number, member=misfit.member, found=misfit.found, expected=misfit.expected)
    return holder[""]


def _misshapen(operation: Json) -> tuple[str, str, str] | None:
    if not isinstance(operation, dict):
        return "", shown(operation), "an object with `op` and `path`"
    name = operation.get("op")
    if name not in OPERATIONS:
        return "op", shown(name), "one of " + ", ".join(OPERATIONS)
    needed = ["path"] + ["from"] * (name in ("move", "copy"))
    for member in needed:
        path = operation.get(member)
        if not isinstance(path, str) or (path and not path.startswith("/")):
            return member, shown(path), "a JSON pointer, which is empty or begins with /"
    if name in ("add", "replace", "test") and "value" not in operation:
        return "", "no member `value`", f"a `value` to {name}"
    return None


def _apply(holder: dict[str, Json], operation: dict[str, Json]) -> None:
    path, source = str(operation["path"]), str(operation.get("from", ""))
    match operation["op"]:
        case "add":
            _put(holder, path, operation["value"], insert=True)
        case "replace":
            _get(holder, path, member="path")
            _put(holder, path, operation["value"], insert=False)
        case "remove":
            _remove(holder, path, member="path")
        case "copy":
            _put(holder, path, copy.deepcopy(_get(holder, source, member="from")), insert=True)
        case "move":
            value = _get(holder, source, member="from")
            _remove(holder, source, member="from")
            _put(holder, path, value, insert=True)
        case _:
            value = _get(holder, path, member="path")
            if value != operation["value"]:
                raise _MisfitError("value", f"{shown(value)} at {path}", shown(operation["value"]))


def _steps(path: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in path.split("/")]


def _get(holder: dict[str, Json], path: str, *, member: str) -> Json:
    value: Json = holder
    for step in _steps(path):
        value = _child(value, step, path, member)
    return value


def _child(value: Json, step: str, path: str, member: str) -> Json:
    match value:
        case dict() if step in value:
            return value[step]
        case list() if step.isdigit() and int(step) < len(value):
            return value[int(step)]
        case _:
            raise _MisfitError(member, f"nothing at {path}", "a place that exists in the document")


def _put(holder: dict[str, Json], path: str, value: Json, *, insert: bool) -> None:
    *above, last = _steps(path)
    parent: Json = holder
    for step in above:
        parent = _child(parent, step, path, "path")
    match parent:
        case dict():
            parent[last] = value
        case list() if last == "-" and insert:
            parent.append(value)
        case list() if last.isdigit() and int(last) < len(parent) + insert:
            place = int(last)
            parent[place : place if insert else place + 1] = [value]
        case _:
            raise _MisfitError("path", f"no place for {path}", "a parent that exists in the document")


def _remove(holder: dict[str, Json], path: str, *, member: str) -> None:
    _get(holder, path, member=member)
    *above, last = _steps(path)
    parent: Json = holder
    for step in above:
        parent = _child(parent, step, path, member)
    match parent:
        case dict():
            del parent[last]
        case list():
            del parent[int(last)]
        case _:
            pass
