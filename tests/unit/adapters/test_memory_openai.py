"""Servers of embeddings that answer something else than they should."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from duologue.adapters.memory_openai import OpenaiEmbedder, embedder
from duologue.model.errors import MemoryFailed

pytestmark = pytest.mark.anyio

# Any: JSON of no known shape.
Answer = Callable[[httpx2.Request], httpx2.Response]


def asked(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> OpenaiEmbedder:
    """An embedder whose server is a function."""
    client = httpx2.AsyncClient

    def make(**options: Any) -> httpx2.AsyncClient:
        return client(**options, transport=httpx2.MockTransport(answer))

    monkeypatch.setattr(embedder.httpx2, "AsyncClient", make)
    return OpenaiEmbedder(model="m", base_url="http://models.example/v1/", api_key="key")


async def test_vectors_come_in_the_order_of_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(
            200, json={"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}
        )

    made = asked(answer, monkeypatch)
    assert await made.embed(["a", "b"]) == [(1.0, 0.0), (0.0, 1.0)]
    await made.aclose()
    (request,) = seen
    assert str(request.url) == "http://models.example/v1/embeddings"
    assert request.headers["authorization"] == "Bearer key"
    assert json.loads(request.content) == {"model": "m", "input": ["a", "b"], "encoding_format": "float"}


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
    ],
)
async def test_what_is_no_answer_is_refused(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(lambda _: httpx2.Response(200, content=body), monkeypatch)
    with pytest.raises(MemoryFailed):
        await made.embed(["a"])
    await made.aclose()


@pytest.mark.parametrize("status", [307, 401, 429, 500])
async def test_a_refusal_is_told_by_its_status_alone(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = asked(lambda _: httpx2.Response(status, text="what was said", headers={"location": "/"}), monkeypatch)
    with pytest.raises(MemoryFailed, match=str(status)) as failed:
        await made.embed(["a"])
    assert "said" not in str(failed.value)
    await made.aclose()
