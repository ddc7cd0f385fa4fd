"""Making addresses absolute: the contract wants a URI, agents cite pages of this server by path."""

import re
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import quote

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)\Z", re.DOTALL)
_PARTS: Final = re.compile(
    r"(?://(?P<authority>[^/?#]*))?(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#(?P<fragment>.*))?\Z", re.DOTALL
)
_AUTHORITY: Final = re.compile(r"(?:[^@\[\]]*@)?(?:\[(?P<six>[^\]]*)\]|[^@:\[\]]*)(?::[0-9]*)?\Z")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SUB_DELIMS: Final = "!$&'()*+,;="
_EXECUTED: Final = frozenset({"javascript", "vbscript", "data"})
"""Schemes that run or render in the page that opens them: an agent's words must not choose that."""


def absolute(url: str, base: str) -> str:
    """Make a citation's address a valid absolute URI.

    Args:
        url: as the agent gave it: a URI, or a path of this server.
        base: this server's own address, without a slash at its end.
    Returns:
        The same address, with characters that RFC 3986 forbids percent-encoded. A path is put behind `base`;
        so is what has no scheme or one that would run as a script.
    """
    found = _SCHEME.match(url)
    if found is None or found[1].lower() in _EXECUTED:
        found = _SCHEME.match(f"{base}/{url.lstrip('/')}")
        assert found is not None, "the public address has a scheme"
    return f"{found[1]}:{_encoded(found[2])}"


def _encoded(rest: str) -> str:
    parts = _PARTS.match(rest)
    assert parts is not None, "the pattern takes any text"
    authority, query, fragment = parts["authority"], parts["query"], parts["fragment"]
    text = "" if authority is None else f"//{_host(authority)}"
    text += _quoted(parts["path"], "/:@")
    text += "" if query is None else f"?{_quoted(query, '/:@?')}"
    return text + ("" if fragment is None else f"#{_quoted(fragment, '/:@?')}")


def _host(authority: str) -> str:
    found = _AUTHORITY.match(authority)
    if found is None or (found["six"] is not None and not _is_ipv6(found["six"])):
        return _quoted(authority, "")
    return _quoted(authority, ":@[]")


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return "%" not in text


def _quoted(text: str, also_safe: str) -> str:
    return quote(_STRAY_PERCENT.sub("%25", text), safe=f"%{_SUB_DELIMS}{also_safe}")
