"""Where a tool's endpoint is, and how a call becomes a request."""

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from duologue.model.base import Value

Method: TypeAlias = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

_PLACE: Final = re.compile(r"\{([A-Za-z_]\w*)\}")
_UP: Final = frozenset({".", ".."})
"""What a server may take for another folder than the one that the address names."""


class Endpoint(Value, kw_only=True):
    """An address and how it is asked.

    Attributes:
        url: an http:// or https:// address; `{argument}` in its path or query stands for an argument.
        method: of HTTP.
        headers: sent with each call; may hold secrets.
    """

    url: str
    method: Method = "POST"
    headers: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Endpoint({self.method} {self.host}, {len(self.headers)} headers)"

    @property
    def host(self) -> str:
        """The name of the machine."""
        return urlsplit(self.url).hostname or ""

    @property
    def places(self) -> tuple[str, ...]:
        """The arguments that stand in the address."""
        return tuple(_PLACE.findall(self.url))


class Asked(NamedTuple):
    """A request: its address and its body."""

    url: str
    body: bytes | None


class Unfit(ValueError):
    """An argument cannot stand in the address; the message is for the agent."""


# A call's arguments: JSON of the tool's own design.
def request_of(endpoint: Endpoint, arguments: Mapping[str, Any]) -> Asked:
    """Make the request of a call.

    Arguments that the address names stand there, encoded, so that none can name another machine or path. The others
    are the query of GET and DELETE, and else the body, as JSON.

    Raises:
        Unfit: one cannot stand in the address.
    """
    places = endpoint.places
    url = _PLACE.sub(lambda found: _in_address(found[1], arguments), endpoint.url)
    rest = {name: value for name, value in arguments.items() if name not in places}
    if endpoint.method not in ("GET", "DELETE"):
        return Asked(url, msgspec.json.encode(rest))
    if not rest:
        return Asked(url, None)
    query = urlencode({name: _text(value) for name, value in rest.items() if value is not None})
    return Asked(f"{url}{'&' if '?' in url else '?'}{query}" if query else url, None)


def _in_address(name: str, arguments: Mapping[str, Any]) -> str:
    value = arguments.get(name)
    if value is None or isinstance(value, dict | list):
        raise Unfit(f"{name} has to be text or a number")
    text = _text(value)
    if not text or text in _UP:
        raise Unfit(f"{name} cannot be {text!r}")
    return quote(text, safe="")


# JSON of the tool's own design.
def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
