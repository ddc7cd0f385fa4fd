"""Every HTTP operation tried with what its description allows and with what it does not: nothing breaks it.

Whatever comes, the answer has a status, a media type and a shape that `/openapi.json` names, and is no failure of the
server. A wrong description shows here too.
"""

import asyncio
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from tests.e2e.calls import scripted_calls
from tests.e2e.harness import serving
from tests.e2e.wire import fetch

from duologue.server.operations import EVENT_STREAM
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_auth import AuthSettings
from duologue.testing.scripted_agent import ScriptedAgent

pytestmark = [pytest.mark.anyio, pytest.mark.counterpart("schemathesis")]

KEY: Final = "a-key-of-a-backend"

SESSION: Final = "s-1"
"""A session that is there, so that not every id that is tried is unknown."""

TIMEOUT_S: Final = 10.0
"""How long one answer may take: one that does not come is a fault."""

CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


@schemathesis.serializer("application/jsonl")
def write_lines(_context: object, value: object) -> bytes:
    """Write what is tried as lines: bytes as they are, anything else as one line of JSON."""
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode() + b"\n"


@schemathesis.serializer("application/sdp")
def write_sdp(_context: object, value: object) -> bytes:
    """Write what is tried as an offer."""
    return value if isinstance(value, bytes) else str(value).encode()


# Any: schemathesis types its operations and cases by the kind of description, which is known only when it is read.
Case = Any


@pytest.mark.parametrize("headers", [{}, {"Authorization": f"Bearer {KEY}"}, {"Authorization": "Bearer guess"}])
async def test_no_request_breaks_the_server_or_gets_an_answer_that_is_not_described(
    headers: dict[str, str], tmp_path: Path
) -> None:
    auth = AuthSettings(api_keys=(KEY,) if headers else ())
    given_settings = Settings(auth=auth, server=ServerSettings(drain_ms=500))
    async with serving(ScriptedAgent(["yes"]), tmp_path, given_settings, calls=scripted_calls()) as server:
        said = {"sessionId": SESSION, "requestId": "r", "text": "hello"}
        await fetch(server.port, "POST", "/chat/stream", body=said, headers=headers)
        await asyncio.to_thread(_try_all, server.url, headers)
        assert await server.hub.unready() is None


def _try_all(url: str, headers: dict[str, str]) -> None:
    description = requests.get(f"{url}/openapi.json", timeout=TIMEOUT_S).json()
    # Any: see `Case`.
    loaded: Any = schemathesis.openapi.from_dict(description)
    for found in loaded.get_all_operations():
        _attempts(found.ok(), url, headers)()


def _attempts(operation: Any, url: str, headers: dict[str, str]) -> Callable[[], None]:
    # Any: see `Case`.
    known_checks: Any = import_module("schemathesis.checks").CHECKS
    checks = known_checks.get_by_names(CHECKS)
    right, wrong = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)

    # The profile says how often: 100 times would take too long where every push waits for it.
    @settings(
        max_examples=max(6, settings().max_examples // 12),
        database=None,
        suppress_health_check=(HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large),
        phases=(Phase.generate,),
    )
    @given(case=right | wrong, known=st.booleans())
    def attempt(case: Case, known: bool) -> None:
        if known and "session_id" in (case.path_parameters or {}):
            case.path_parameters["session_id"] = SESSION
        if case.operation.method.upper() == "GET" and _streams(case):
            _look(case, url, headers)
        else:
            case.call_and_validate(base_url=url, headers=headers, timeout=TIMEOUT_S, checks=checks)

    return attempt


def _streams(case: Case) -> bool:
    answers = case.operation.definition.raw["responses"].values()
    return any(EVENT_STREAM in answer.get("content", {}) for answer in answers)


def _look(case: Case, url: str, headers: dict[str, str]) -> None:
    """Look at how a stream that has no end begins."""
    asked = case.as_transport_kwargs(base_url=url, headers=headers)
    with requests.request(**asked, stream=True, timeout=TIMEOUT_S) as response:
        described = case.operation.definition.raw["responses"]
        assert str(response.status_code) in described
        kind = response.headers["content-type"].partition(";")[0]
        assert kind in described[str(response.status_code)]["content"]
