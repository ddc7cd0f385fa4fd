"""Which machines may be reached: those of the internet, and those that the settings name."""

import ipaddress
from collections.abc import Iterable
from typing import Final, TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

METADATA: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "169.254.0.0/16",
        "fe80::/10",
        "fd00:ec2::/32",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "192.0.0.192/32",
    )
)
"""Where clouds tell a machine its credentials (AWS, Google, Alibaba, Azure, Oracle), and all that is link-local. A wide
network that is allowed does not open them: each has to be named by itself. The last two look like the internet's."""

_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 behind a translator. Source: RFC 6052, section 2.1."""


_GIVEN_OUT: Final = ipaddress.IPv6Network("2000::/3")
"""All of IPv6 that machines of the internet have: IPv4 in any other clothes, and what was once site-local, lie
outside. Source: RFC 4291, section 2.4; IANA, IPv6 Global Unicast Address Assignments."""

EVERYWHERE: Final = ("0.0.0.0/0", "::/0")
"""All networks; not where machines are told their credentials, which each has to be named by itself."""


def read_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Read networks such as `10.0.0.0/8`, or single addresses.

    Raises:
        ValueError: one is neither.
    """
    return tuple(ipaddress.ip_network(text) for text in texts)


class Reach:
    """Says which addresses may be connected to.

    Args:
        allow: networks besides the internet: inner ones, such as the machine's own.
    """

    def __init__(self, allow: Iterable[Network] = ()) -> None:
        self._allow = tuple(allow)

    def fault_of(self, text: str) -> str | None:
        """Say why an address may not be connected to; `None` where it may.

        Args:
            text: an IPv4 or IPv6 address; a zone (`%eth0`) is refused.
        """
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return f"{text!r} is no address"
        inner = _meant(address)
        if any(_within(inner, network) for network in METADATA):
            return None if self._named(inner) else f"{text} is where a machine is told its credentials, or link-local"
        if any(_within(inner, network) for network in self._allow):
            return None
        if inner.is_global and not inner.is_multicast and _given_out(inner):
            return None
        return f"{text} is no address of the internet"

    def _named(self, address: Address) -> bool:
        """Whether a sensitive address is named by itself, and not by a network that is wider than where it lies."""
        home = next(network for network in METADATA if _within(address, network))
        return any(_within(address, network) and network.prefixlen >= home.prefixlen for network in self._allow)


def _meant(address: Address) -> Address:
    """The machine that is reached: IPv6 has several ways of writing an IPv4 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.scope_id is not None:
        return ipaddress.IPv6Address("::")
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _given_out(address: Address) -> bool:
    """Whether machines of the internet have such addresses; Python knows it of IPv4, and of IPv6 by its version."""
    return isinstance(address, ipaddress.IPv4Address) or address in _GIVEN_OUT


def _within(address: Address, network: Network) -> bool:
    return address.version == network.version and address in network
