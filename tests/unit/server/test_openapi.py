"""The description of the HTTP operations: whole, valid, and made from what the routes declare."""

import json
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.routing import Mount, Route, WebSocketRoute

from duologue.server.app import make_app
from duologue.server.openapi import document
from duologue.server.routes import description, pages
from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_agent import ScriptedAgent

DOCUMENT = document(description.operations(), url="http://127.0.0.1:8420", sockets=["/chat/ws"])


def declared() -> set[tuple[str, str]]:
    """Give what the modules declare."""
    return {(operation.method, operation.path) for operation in description.operations()}


def test_every_address_is_declared_where_it_is_made_and_described(tmp_path: Path) -> None:
    """Who adds a route puts an `Operation` into its module's `OPERATIONS`, or adds a page for people to `PAGES`."""
    app = make_app(Settings(server=ServerSettings(data=str(tmp_path))), agent=ScriptedAgent(["yes"]))
    served: set[tuple[str, str]] = set()
    for route in app.routes:
        match route:
            case Route(path=path, methods=methods):
                served |= {(method, path) for method in (methods or ()) if method != "HEAD"}
            case Mount(path=path):
                assert path in pages.PAGES
            case WebSocketRoute():
                pass
            case _:
                raise AssertionError(f"a route of no known kind: {route}")
    operations = {(method, path) for method, path in served if path not in pages.PAGES}
    assert operations == declared()
    described = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert described == operations


@pytest.mark.counterpart("openapi-spec-validator")
def test_the_description_is_openapi() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


@pytest.mark.counterpart("jsonschema-rs")
def test_its_schemas_are_schemas_without_pythons_own_patterns() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema | {"$schema": "https://json-schema.org/draft/2020-12/schema"})
    assert "\\\\Z" not in json.dumps(DOCUMENT)


def test_every_operation_says_what_it_takes_and_how_it_refuses() -> None:
    for operation in description.operations():
        described = DOCUMENT["paths"][operation.path][operation.method.lower()]
        statuses = set(described["responses"])
        assert any(int(status) < 300 for status in statuses)
        if operation.scope is not None:
            assert {"401", "403", "429", "503"} <= statuses
            assert described["x-scope"] == operation.scope
        if operation.body is not None:
            assert {"400", "413"} <= statuses


def test_what_is_refused_has_the_shape_of_its_protocol() -> None:
    answers = DOCUMENT["paths"]["/ghost/sessions/{session_id}/triggers"]["post"]["responses"]
    assert answers["404"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/GhostError"}
    assert msgspec.json.encode(DOCUMENT)
