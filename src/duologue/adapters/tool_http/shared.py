"""One client for all endpoints, made in the loop that uses it."""

from collections.abc import Callable

import httpx2


class SharedClient:
    """Gives the client that all endpoints share, and makes it when it is first needed.

    Args:
        make: makes it.
    """

    def __init__(self, make: Callable[[], httpx2.AsyncClient]) -> None:
        self._make = make
        self._client: httpx2.AsyncClient | None = None

    def __call__(self) -> httpx2.AsyncClient:
        """Give the client."""
        if self._client is None:
            self._client = self._make()
        return self._client

    async def aclose(self) -> None:
        """Close its connections. Harmless when called again; another call makes another client."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
