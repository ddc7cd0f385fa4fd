"""JSON Patch: what applies, what does not, and why."""

import pytest

from duologue.check.findings import JsonObject
from duologue.check.patch import Misfit, apply, misshapen
from duologue.model.jsonwire import Json

DOCUMENT: JsonObject = {"list": [1, 2], "a/b": {"~": 0}}


@pytest.mark.parametrize(
    ("operation", "after"),
    [
        ({"op": "add", "path": "/new", "value": None}, DOCUMENT | {"new": None}),
        ({"op": "add", "path": "/list/1", "value": 9}, DOCUMENT | {"list": [1, 9, 2]}),
        ({"op": "add", "path": "/list/-", "value": 9}, DOCUMENT | {"list": [1, 2, 9]}),
        ({"op": "replace", "path": "/list/0", "value": 9}, DOCUMENT | {"list": [9, 2]}),
        ({"op": "replace", "path": "", "value": 7}, 7),
        ({"op": "replace", "path": "/a~1b/~0", "value": 7}, DOCUMENT | {"a/b": {"~": 7}}),
        ({"op": "remove", "path": "/list/0"}, DOCUMENT | {"list": [2]}),
        ({"op": "remove", "path": "/a~1b"}, {"list": [1, 2]}),
        ({"op": "copy", "from": "/list", "path": "/again"}, DOCUMENT | {"again": [1, 2]}),
        ({"op": "move", "from": "/list", "path": "/again"}, {"a/b": {"~": 0}, "again": [1, 2]}),
        ({"op": "test", "path": "/list/1", "value": 2}, DOCUMENT),
    ],
)
def test_an_operation_does_what_the_standard_says(operation: JsonObject, after: Json) -> None:
    assert misshapen([operation]) is None
    assert apply(DOCUMENT, [operation]) == after
    assert DOCUMENT == {"list": [1, 2], "a/b": {"~": 0}}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "remove", "path": "/nothing"},
        {"op": "replace", "path": "/list/2", "value": 1},
        {"op": "add", "path": "/list/3", "value": 1},
        {"op": "add", "path": "/nothing/new", "value": 1},
        {"op": "test", "path": "/list/0", "value": 2},
        {"op": "move", "from": "/nothing", "path": "/new"},
    ],
)
def test_what_does_not_apply_says_which_operation(operation: JsonObject) -> None:
    misfit = apply(DOCUMENT, [{"op": "test", "path": "/list/0", "value": 1}, operation])
    assert isinstance(misfit, Misfit)
    assert misfit.operation == 1
    assert misfit.found
    assert misfit.expected


@pytest.mark.parametrize(
    "operation",
    [
        7,
        {},
        {"op": "add"},
        {"op": "put", "path": "/a"},
        {"op": "add", "path": "a", "value": 1},
        {"op": "move", "path": ""},
    ],
)
def test_what_is_no_operation_is_told(operation: Json) -> None:
    misfit = misshapen([operation])
    assert misfit is not None
    assert misfit.operation == 0
