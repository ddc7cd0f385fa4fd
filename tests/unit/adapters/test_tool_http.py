import asyncio
import gzip
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec
import pytest
from tests.unit.adapters.loopback import Said, listening

from duologue.adapters.guarded_http import Reach, guarded_client, read_networks
from duologue.adapters.tool_http import Endpoint, HttpTool
from duologue.adapters.tool_http.endpoint import Unfit, request_of
from duologue.model.tools import ToolSpec
from duologue.ports.tool import ToolContext, ToolFailed

pytestmark = pytest.mark.anyio

FOR = ToolContext(session_id="s 1", subject="ada", turn=1, call_id="c-1", key="k-1", attempt=2)
LOOPBACK = Reach(read_networks(["127.0.0.1"]))


@asynccontextmanager
async def reached(endpoint: Endpoint, reach: Reach = LOOPBACK) -> AsyncGenerator[HttpTool]:
    async with guarded_client(reach) as client:
        yield HttpTool(ToolSpec(name="orders", kind="http"), endpoint, client=lambda: client)


async def test_arguments_go_as_json_with_the_key_and_for_whom() -> None:
    async with listening(body=b'{"left": 3}') as server:
        endpoint = Endpoint(url=f"{server.url}/stock", headers=(("authorization", "Bearer secret"),))
        async with reached(endpoint) as tool:
            assert await tool.call({"item": "tea"}, FOR) == {"left": 3}
    received = server.received[0]
    assert (received.method, received.path, received.body) == ("POST", "/stock", b'{"item":"tea"}')
    assert received.headers["idempotency-key"] == "k-1"
    assert received.headers["duologue-session"] == "s%201"
    assert received.headers["duologue-subject"] == "ada"
    assert received.headers["duologue-attempt"] == "2"
    assert received.headers["authorization"] == "Bearer secret"
    assert "secret" not in repr(endpoint)


@pytest.mark.parametrize(
    ("url", "method", "arguments", "path", "body"),
    [
        ("/orders/{id}", "GET", {"id": "A 1", "deep": True, "none": None}, "/orders/A%201?deep=true", b""),
        ("/orders/{id}", "GET", {"id": "../admin"}, "/orders/..%2Fadmin", b""),
        ("/orders/{id}", "DELETE", {"id": "a?b#c&d=e"}, "/orders/a%3Fb%23c%26d%3De", b""),
        ("/orders?id={id}", "GET", {"id": "x&admin=1", "b": [1]}, "/orders?id=x%26admin%3D1&b=%5B1%5D", b""),
        ("/orders/{id}", "PUT", {"id": 7, "state": "late"}, "/orders/7", b'{"state":"late"}'),
        ("/orders/{id}", "GET", {"id": "@evil.example/\r\nx: y"}, "/orders/%40evil.example%2F%0D%0Ax%3A%20y", b""),
    ],
)
async def test_arguments_in_the_address_stay_where_they_are(
    url: str, method: Any, arguments: dict[str, Any], path: str, body: bytes
) -> None:
    async with listening() as server, reached(Endpoint(url=server.url + url, method=method)) as tool:
        await tool.call(arguments, FOR)
    assert (server.received[0].path, server.received[0].body) == (path, body)


@pytest.mark.parametrize("value", ["..", ".", "", None, {"a": 1}, ["a"]])
async def test_what_cannot_stand_in_the_address_is_told(value: Any) -> None:
    with pytest.raises(Unfit):
        request_of(Endpoint(url="https://shop.example/orders/{id}"), {"id": value})


@pytest.mark.parametrize(
    ("said", "code", "retryable", "perhaps_done", "words"),
    [
        (Said(status=404, body=b"no such order"), "http_status", False, False, "answered 404: no such order"),
        (Said(status=401, body=b"who is this"), "http_status", False, False, "answered 401$"),
        (Said(status=500, body=b"stack trace"), "http_status", False, True, "answered 500$"),
        (Said(status=503), "http_status", True, False, "answered 503"),
        (Said(status=429), "http_status", True, False, "answered 429"),
        (Said(status=504), "http_status", True, True, "answered 504"),
        (Said(status=302, headers={"location": "/x"}), "http_status", False, True, "is not followed"),
        (Said(body=b"{", headers={"content-type": "application/json"}), "bad_output", False, True, "no JSON"),
        (Said(body=b"x" * 300_000), "output_too_large", False, True, "larger than"),
        (Said(body=b"{}xxxx", cut=True), "broken_off", True, True, "broke off"),
    ],
)
async def test_other_answers_are_failures_in_words_for_the_agent(
    said: Said, code: str, retryable: bool, perhaps_done: bool, words: str
) -> None:
    async with listening(lambda _: said) as server, reached(Endpoint(url=server.url)) as tool:
        with pytest.raises(ToolFailed, match=words) as failed:
            await tool.call({}, FOR)
    assert (failed.value.code, failed.value.retryable, failed.value.perhaps_done) == (code, retryable, perhaps_done)
    assert len(server.received) == 1, "it is not asked twice by itself"


@pytest.mark.parametrize(
    ("said", "result"),
    [
        (Said(status=204, body=b""), None),
        (Said(body=b"plain words"), "plain words"),
        (Said(body=b'[1, "a"]', headers={"content-type": "application/problem+json; charset=utf-8"}), [1, "a"]),
    ],
)
async def test_results_are_json_text_or_nothing(said: Said, result: object) -> None:
    async with listening(lambda _: said) as server, reached(Endpoint(url=server.url)) as tool:
        assert await tool.call({}, FOR) == result


async def test_an_inner_address_is_not_asked_and_the_agent_learns_of_no_machine() -> None:
    async with listening() as server, reached(Endpoint(url=server.url), Reach()) as tool:
        with pytest.raises(ToolFailed, match=r"^the tool cannot be reached$") as failed:
            await tool.call({}, FOR)
    assert server.received == []
    assert not failed.value.perhaps_done
    assert "127.0.0.1" in str(failed.value.__cause__)


async def test_a_call_that_is_cancelled_closes_its_connection() -> None:
    arrived = asyncio.Event()

    def answer(_: object) -> Said:
        arrived.set()
        return Said(silent=True)

    async with listening(answer) as server, reached(Endpoint(url=server.url)) as tool:
        call = asyncio.ensure_future(tool.call({}, FOR))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_a_result_is_not_unpacked() -> None:
    bomb = gzip.compress(b"0" * 50_000_000)
    said = Said(body=bomb, headers={"content-encoding": "gzip", "content-type": "application/json"})
    async with listening(lambda _: said) as server, reached(Endpoint(url=server.url)) as tool:
        with pytest.raises(ToolFailed, match="compressed"):
            await tool.call({}, FOR)
    assert server.received[0].headers["accept-encoding"] == "identity"


def test_a_body_is_what_the_address_does_not_name() -> None:
    asked = request_of(Endpoint(url="https://a.example/{b}", method="PATCH"), {"b": "1", "c": {"d": None}})
    assert asked.url == "https://a.example/1"
    assert asked.body is not None
    assert msgspec.json.decode(asked.body) == {"c": {"d": None}}
    assert isinstance(httpx2.URL(asked.url), httpx2.URL)
