"""HTTP that connects to the very address that was checked."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Final, TypeAlias, cast

import httpcore2
import httpx2

from duologue.adapters.guarded_http.addresses import Reach
from duologue.model import limits

ADDRESSES: Final = 4
"""Most addresses of a name that are tried: two of each kind."""

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Looks up a name: gives its addresses in the order in which they are to be tried."""


async def look_up(host: str, port: int) -> list[str]:
    """Ask the system for a name's addresses.

    Raises:
        OSError: there are none, or it cannot be told.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [*dict.fromkeys(str(entry[4][0]) for entry in found)]


class GuardedBackend(httpcore2.AsyncNetworkBackend):
    """Looks up the name of each new connection, checks every address that it has, and connects to one of those.

    A name whose addresses change between the check and the connection (DNS rebinding) leads nowhere else: the
    connection is made to the address, and the name is only what TLS and the header `Host` say. One address of a name
    that may not be reached closes the name as a whole.

    Args:
        reach: what may be reached.
        resolve: how names are looked up.
    """

    def __init__(self, reach: Reach, *, resolve: Resolve = look_up) -> None:
        self._reach, self._resolve = reach, resolve
        # The package has two classes of this name, one of them for where anyio is missing.
        self._plain = cast(httpcore2.AsyncNetworkBackend, httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect.

        Raises:
            httpcore2.ConnectError: none of its addresses answers, or one may not be reached; nothing was sent then.
            httpcore2.ConnectTimeout: it takes too long.
        """
        addresses = await self._checked(host, port)
        for place, address in enumerate(addresses):
            try:
                return await self._plain.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if place == len(addresses) - 1:
                    raise
        raise AssertionError("a name has at least one address here")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Refuse: a file is no address.

        Raises:
            httpcore2.ConnectError: always.
        """
        del path, timeout, socket_options
        raise httpcore2.ConnectError("only machines may be reached")

    async def sleep(self, seconds: float) -> None:
        """Wait between two attempts of the pool's own."""
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> list[str]:
        try:
            async with asyncio.timeout(limits.TOOL_CONNECT_MS / 1000):
                found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore2.ConnectError("its name has no address") from error
        if not found:
            raise httpcore2.ConnectError("its name has no address")
        for address in found:
            if (fault := self._reach.fault_of(address)) is not None:
                raise httpcore2.ConnectError(f"{fault}; the settings may name it")
        return found[:ADDRESSES]


class GuardedTransport(httpx2.AsyncHTTPTransport):
    """Sends requests over connections that were made by a `GuardedBackend`.

    Args:
        backend: makes them.
    """

    def __init__(self, backend: GuardedBackend) -> None:
        super().__init__(trust_env=False)
        # httpx2 has no parameter for what makes connections; its own pool has opened none yet.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=httpx2.create_ssl_context(trust_env=False),
            max_connections=limits.TOOL_CONNECTIONS,
            max_keepalive_connections=limits.TOOL_CONNECTIONS,
            keepalive_expiry=limits.TOOL_IDLE_MS / 1000,
            network_backend=backend,
        )


def guarded_client(
    reach: Reach, *, headers: Mapping[str, str] | None = None, resolve: Resolve = look_up
) -> httpx2.AsyncClient:
    """Make a client that goes where it may: no redirect is followed, no proxy asked, no setting of the machine read.

    Args:
        reach: what may be reached.
        headers: sent with each request.
        resolve: how names are looked up.
    """
    return httpx2.AsyncClient(
        transport=GuardedTransport(GuardedBackend(reach, resolve=resolve)),
        headers=dict(headers or {}),
        timeout=httpx2.Timeout(None, connect=limits.TOOL_CONNECT_MS / 1000),
        trust_env=False,
        follow_redirects=False,
    )
