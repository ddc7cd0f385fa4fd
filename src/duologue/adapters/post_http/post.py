"""Sending notices over HTTP."""

import asyncio
from collections.abc import Callable
from typing import Final

import httpx2

from duologue.model import limits
from duologue.ports.post import Answered, Letter

CONNECTIONS: Final = httpx2.Limits(
    max_connections=limits.WEBHOOK_SENDS, max_keepalive_connections=limits.WEBHOOK_SENDS_PER_TARGET
)

ANSWER_BYTES: Final = 16 * 1024
"""How much of an answer is read, so that its connection can be used again; nothing of it is kept."""


class HttpPost:
    """A `ports.post.Post` that posts, and takes any answer of 2xx for a receipt.

    It follows no redirect, asks no proxy, and reads no settings of the machine's: it goes where it is sent.

    Args:
        timeout_ms: how long one attempt may take in all.
        client: makes what sends, where it is to decide where letters may go.
    """

    def __init__(
        self, *, timeout_ms: int = limits.WEBHOOK_MS, client: Callable[[], httpx2.AsyncClient] | None = None
    ) -> None:
        self._timeout_ms, self._make = timeout_ms, client or _anywhere
        self._client: httpx2.AsyncClient | None = None

    async def send(self, letter: Letter) -> Answered:
        """Post a letter; see the port."""
        try:
            async with asyncio.timeout(self._timeout_ms / 1000):
                return await self._post(letter)
        except TimeoutError:
            return Answered(error=f"no answer within {self._timeout_ms / 1000:g} s")
        except httpx2.ConnectError:
            return Answered(error="cannot connect")
        # What it says may quote the address, whose query may hold a secret.
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            return Answered(error=f"the exchange broke off ({type(error).__name__})")

    async def close(self) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _post(self, letter: Letter) -> Answered:
        if self._client is None:
            # Made when first needed: reading the system's certificates takes some 30 ms.
            self._client = self._make()
        request = self._client.build_request("POST", letter.url, headers=dict(letter.headers), content=letter.body)
        response = await self._client.send(request, stream=True)
        try:
            read = 0
            async for piece in response.aiter_raw():
                read += len(piece)
                if read > ANSWER_BYTES:
                    break
        finally:
            await response.aclose()
        return _judge(response)


def _anywhere() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(limits=CONNECTIONS, timeout=None, trust_env=False, follow_redirects=False)


def _judge(response: httpx2.Response) -> Answered:
    status = response.status_code
    if 200 <= status < 300:
        return Answered()
    if 300 <= status < 400:
        return Answered(error=f"redirected ({status}), which is not followed")
    return Answered(error=f"answered {status}", wait_ms=_wait_ms(response.headers.get("retry-after", "")))


def _wait_ms(text: str) -> int:
    """Read `Retry-After` where it is in seconds, as far as it is kept to. Source: RFC 9110, section 10.2.3."""
    if not (text.isascii() and text.isdigit()):
        return 0
    return min(int(text[:9]) * 1000, limits.WEBHOOK_BACKOFF_MAX_MS)
