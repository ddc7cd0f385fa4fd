"""The description of the HTTP operations, made from the routes' own tables. Source: OpenAPI 3.1.1."""

import json
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

import msgspec

from duologue.server.operations import JSON, Body, Json, Operation

GUARDED: Final = (401, 403, 429, 503)
"""Refusals that every operation with a scope may give."""

OPEN: Final = (429,)
"""Refusals that every operation without a scope may give, unless it is a probe."""

WITH_NAMES: Final = (400,)
"""Refusals that every operation with a scope and names in its address may give: no id is like that."""

WITH_BODY: Final = (400, 413)
"""Refusals that every operation that takes a body may give."""

ABOUT: Final = (
    "The HTTP part of Duologue. WebSockets ({sockets}) and what streams carry are described"
    " by the schemas under `/schemas` and by the documentation under `/docs`."
)


def document(operations: Iterable[Operation], *, url: str, sockets: Iterable[str] = ()) -> Json:
    """Describe operations.

    Args:
        operations: all of them.
        url: this server's address as its clients reach it.
        sockets: where WebSockets are.
    """
    described = list(operations)
    about = ABOUT.format(sockets=", ".join(f"`{path}`" for path in sockets))
    shapes, components = _components(described)
    paths: dict[str, Json] = {}
    for operation in described:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, shapes)
    return {
        "openapi": "3.1.1",
        "info": {"title": "Duologue", "version": version("duologue"), "description": about},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "An API key or a token."}
            },
        },
    }


def _operation(operation: Operation, shapes: Mapping[int, Json]) -> Json:
    described: Json = {
        "summary": operation.summary,
        "operationId": f"{operation.method.lower()} {operation.path}",
        "responses": _answers(operation, shapes),
    }
    if parameters := list(_parameters(operation)):
        described["parameters"] = parameters
    if operation.body is not None:
        described["requestBody"] = {
            "required": operation.body.required,
            "content": {operation.body.media_type: _media(operation.body, shapes)},
        }
    if operation.scope is not None:
        described["security"] = [{"bearer": []}, {}]
        described["x-scope"] = operation.scope
    return described


def _parameters(operation: Operation) -> Iterator[Json]:
    for name in _names(operation.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    for parameter in operation.parameters:
        yield {
            "name": parameter.name,
            "in": parameter.place,
            "description": parameter.about,
            "schema": parameter.shape,
        }


def _answers(operation: Operation, shapes: Mapping[int, Json]) -> Json:
    answers: dict[int, Json] = {}
    for status, body in operation.answers:
        content = answers.setdefault(status, {"description": HTTPStatus(status).phrase, "content": {}})["content"]
        content[body.media_type] = _media(body, shapes)
    refused = [*operation.problems]
    refused += GUARDED if operation.scope is not None else () if operation.probe else OPEN
    refused += WITH_NAMES if operation.scope is not None and "{" in operation.path else ()
    refused += WITH_BODY if operation.body is not None else ()
    for status in refused:
        given = answers.setdefault(status, {"description": HTTPStatus(status).phrase, "content": {}})["content"]
        refusal = shapes[id(operation.refusal)]
        before = given.get(JSON, {}).get("schema")
        given[JSON] = {"schema": refusal if before is None else {"anyOf": [before, refusal]}}
    return {str(status): answers[status] for status in sorted(answers)}


def _media(body: Body, shapes: Mapping[int, Json]) -> Json:
    if body.schema is not None:
        return {"schema": body.schema}
    known = [shapes[id(kind)] for kind in body.types()]
    if not known:
        return {}
    return {"schema": known[0] if len(known) == 1 else {"anyOf": known}}


def _components(operations: Iterable[Operation]) -> tuple[dict[int, Json], Json]:
    """The schemas of all types, by the type's identity, and the components that they refer to."""
    found: dict[int, Any] = {}
    for operation in operations:
        bodies = [body for _, body in operation.answers]
        types = [kind for body in (*bodies, operation.body) if body is not None for kind in body.types()]
        found |= {id(kind): kind for kind in (operation.refusal, *types)}
    schemas, components = msgspec.json.schema_components(found.values(), ref_template="#/components/schemas/{name}")
    # `\Z` is Python's; JSON Schema has the patterns of ECMA-262, where `$` means what `\Z` does.
    return dict(zip(found, schemas, strict=True)), json.loads(json.dumps(components).replace("\\\\Z", "$"))


def _names(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]
