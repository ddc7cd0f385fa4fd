"""HTTP that connects to the very address that was checked."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import httpx2

from duologue.adapters.guarded_http.addresses import Reach
from duologue.model import limits

ADDRESSES: Final = 4
"""Most addresses of a name that are tried: two of each kind."""

Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Looks up a name: gives its addresses in the order in which they are to be tried."""


class Unreachable(httpx2.ConnectError):
    """An address may not be connected to, or its name leads nowhere. Nothing was sent."""


async def look_up(host: str, port: int) -> list[str]:
    """Ask the system for a name's addresses.

    Raises:
        OSError: there are none, or it cannot be told.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [*dict.fromkeys(str(entry[4][0]) for entry in found)]


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Looks up each request's name, checks every address that it has, and connects to one of those.

    A name whose addresses change between the check and the connection (DNS rebinding) leads nowhere else: the
    connection is made to the address, and the name is only what TLS and the header `Host` say. One address of a name
    that may not be reached closes the name as a whole. Connections are kept by name, so that none is used for another.

    Args:
        reach: what may be reached.
        resolve: how names are looked up.
        make: makes what sends the requests of one name.
    """

    def __init__(
        self,
        reach: Reach,
        *,
        resolve: Resolve = look_up,
        make: Callable[[], httpx2.AsyncBaseTransport] | None = None,
    ) -> None:
        self._reach, self._resolve = reach, resolve
        self._make = make or _plain
        self._by_name: dict[str, httpx2.AsyncBaseTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request.

        Raises:
            Unreachable: its address may not be reached; nothing was sent.
            httpx2.TransportError: as any transport.
        """
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await self._checked(url.host, port)
        if url.host not in self._by_name:
            self._by_name[url.host] = self._make()
        inner = self._by_name[url.host]
        extensions = {**request.extensions, "sni_hostname": url.host}
        for place, address in enumerate(addresses):
            aimed = httpx2.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions=extensions,
            )
            try:
                return await inner.handle_async_request(aimed)
            except httpx2.ConnectError:
                if place == len(addresses) - 1:
                    raise
        raise AssertionError("a name has at least one address here")

    async def _checked(self, host: str, port: int) -> list[str]:
        try:
            async with asyncio.timeout(limits.TOOL_CONNECT_MS / 1000):
                found = await self._resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise Unreachable("its name has no address") from error
        if not found:
            raise Unreachable("its name has no address")
        for address in found:
            if (fault := self._reach.fault_of(address)) is not None:
                raise Unreachable(f"{fault}; tools.allow_networks may name it")
        return found[:ADDRESSES]

    async def aclose(self) -> None:
        """Close all connections."""
        inner, self._by_name = [*self._by_name.values()], {}
        for one in inner:
            await one.aclose()


def guarded_client(
    reach: Reach, *, headers: Mapping[str, str] | None = None, read_ms: int | None = None
) -> httpx2.AsyncClient:
    """Make a client that goes where it may: no redirect is followed, no proxy asked, no setting of the machine read.

    Args:
        reach: what may be reached.
        headers: sent with each request.
        read_ms: longest wait for some more of an answer; `None` where the caller bounds it.
    """
    return httpx2.AsyncClient(
        transport=GuardedTransport(reach),
        headers=dict(headers or {}),
        timeout=httpx2.Timeout(None, connect=limits.TOOL_CONNECT_MS / 1000, read=read_ms and read_ms / 1000),
        trust_env=False,
        follow_redirects=False,
    )


def _plain() -> httpx2.AsyncBaseTransport:
    bounds = httpx2.Limits(max_connections=limits.TOOL_CONNECTIONS, max_keepalive_connections=limits.TOOL_CONNECTIONS)
    return httpx2.AsyncHTTPTransport(trust_env=False, limits=bounds)
