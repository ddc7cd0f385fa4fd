"""The port: asks a server what texts mean. Source: OpenAI, API reference, Embeddings."""

import asyncio
import math
from collections.abc import Sequence
from typing import Final

import httpx2
import msgspec

from duologue.model import limits
from duologue.model.errors import MemoryFailed
from duologue.ports.memory import Vector

ANSWER_BYTES: Final = 8 * 2**20
"""Largest answer: `limits.MEMORY_EMBED_TEXTS` vectors of 8,192 numbers, as text."""

DIMENSIONS: Final = 8_192
"""Longest vector: the longest of today's have 4,096 numbers."""


class _One(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_One]


class OpenaiEmbedder:
    """A `ports.memory.Embedder`; redirects are not followed, so that the key goes nowhere else.

    Args:
        model: the server's name for it.
        base_url: up to and including `/v1`.
        api_key: empty for none.
    """

    def __init__(self, *, model: str, base_url: str, api_key: str = "") -> None:
        self._model, self._base_url, self._api_key = model, base_url.rstrip("/"), api_key
        self._client: httpx2.AsyncClient | None = None

    @property
    def name(self) -> str:
        """Which model it is."""
        return self._model

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """What each text means; see the port."""
        if not texts:
            return []
        body = msgspec.json.encode({"model": self._model, "input": list(texts), "encoding_format": "float"})
        try:
            async with asyncio.timeout(limits.MEMORY_EMBED_MS / 1000):
                answer = await self._ask(body)
        except TimeoutError as error:
            raise MemoryFailed("the embedding model did not answer in time") from error
        except httpx2.HTTPError as error:
            raise MemoryFailed(f"the embedding model's server cannot be reached ({type(error).__name__})") from error
        return _vectors(answer, len(texts))

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _ask(self, body: bytes) -> bytes:
        if self._client is None:
            # Made when first needed: reading the system's certificates takes some 30 ms.
            headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
            self._client = httpx2.AsyncClient(headers=headers, timeout=None)
        headers = {"Content-Type": "application/json"}
        async with self._client.stream("POST", f"{self._base_url}/embeddings", content=body, headers=headers) as got:
            if not got.is_success:
                # What it says may quote what somebody said.
                raise MemoryFailed(f"the embedding model's server answered {got.status_code}")
            answer = b""
            async for part in got.aiter_bytes():
                answer += part
                if len(answer) > ANSWER_BYTES:
                    raise MemoryFailed(f"the embedding model's server answered more than {ANSWER_BYTES} bytes")
        return answer


def _vectors(answer: bytes, count: int) -> list[Vector]:
    """Read the vectors, in the order of the texts.

    Raises:
        MemoryFailed: they are not what was asked for.
    """
    try:
        data = msgspec.json.decode(answer, type=_Answer).data
    except msgspec.MsgspecError as error:
        raise MemoryFailed("the embedding model's server answered something else than embeddings") from error
    data.sort(key=lambda one: one.index)
    lengths = {len(one.embedding) for one in data}
    whole = [one.index for one in data] == list(range(count)) and len(lengths) == 1
    if not whole or not 0 < min(lengths) <= DIMENSIONS or not all(map(_is_direction, data)):
        raise MemoryFailed("the embedding model's server answered embeddings that cannot be used")
    return [tuple(one.embedding) for one in data]


def _is_direction(one: _One) -> bool:
    return all(map(math.isfinite, one.embedding)) and any(one.embedding)
