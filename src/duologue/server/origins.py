"""Which web pages may talk to the server: browsers say where a page is from, and only they do."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from duologue.model.base import Value
from duologue.model.errors import Code, Problem
from duologue.server.auth import is_loopback
from duologue.server.settings import ServerSettings

DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443, "ws": 80, "wss": 443}

SHOWN_CHARS: Final = 100
"""How much of a refused origin or host is repeated in the answer."""


class Allowed(Value, kw_only=True):
    """What is let in.

    Attributes:
        origins: besides the server's own, in the spelling of browsers.
        public_host: host of the public address, or empty.
        loopback: the server listens on this machine only.
        here_only: whoever comes from another machine is refused, as nothing else keeps them away.
    """

    origins: frozenset[str]
    public_host: str
    loopback: bool
    here_only: bool = False


def allowed(settings: ServerSettings) -> Allowed:
    """Read from the settings what is let in."""
    public = urlsplit(settings.public_url)
    own = {f"{public.scheme}://{public.netloc}"} if public.netloc else set[str]()
    return Allowed(
        origins=frozenset(origin.lower() for origin in (*settings.allowed_origins, *own)),
        public_host=public.hostname or "",
        loopback=is_loopback(settings.host),
    )


def check_origin(origin: str | None, host: str | None, allowed: Allowed) -> Problem | None:
    """Refuse a page that has no business here.

    A page of a stranger may point its own name at 127.0.0.1 (DNS rebinding); its requests then look like the
    server's own, but for the name in Host. So on a loopback address only names of this machine are answered.

    Args:
        origin: the header Origin; `None` for what is no browser, which is let in.
        host: the header Host.
    Returns:
        `ORIGIN_REFUSED`, or `None` where all is well.
    """
    if allowed.loopback and host is not None and not _is_own_name(host, allowed):
        return _refused(
            f"The server does not answer to the name {_shown(host)};"
            " use 127.0.0.1 or localhost, or set server.public_url."
        )
    if origin is None or origin.lower() in allowed.origins or _is_same(origin, host):
        return None
    return _refused(f"Pages of {_shown(origin)} may not connect; add it to server.allowed_origins to let them.")


def check_address(address: str, allowed: Allowed) -> Problem | None:
    """Refuse who comes from another machine, where everybody who comes is trusted.

    Args:
        address: where the request came from; empty where that is unknown, as on a Unix socket.
    Returns:
        `FORBIDDEN`, or `None` where all is well.
    """
    if not allowed.here_only or not address or is_loopback(address):
        return None
    message = "no auth is configured, so only this machine is served; set auth.api_keys or auth.secret"
    return Problem(code=Code.FORBIDDEN, message=message)


def _is_own_name(host: str, allowed: Allowed) -> bool:
    name = _host_and_port(f"http://{host}")[0]
    return is_loopback(name) or (name != "" and name == allowed.public_host)


def _is_same(origin: str, host: str | None) -> bool:
    if host is None:
        return False
    scheme = origin.partition("://")[0].lower()
    there = _host_and_port(origin)
    return there[0] != "" and there == _host_and_port(f"{scheme}://{host}")


def _host_and_port(address: str) -> tuple[str, int]:
    """Take an address apart; one that is none gives an empty name."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return "", 0
    if parts.scheme not in DEFAULT_PORTS or parts.username is not None:
        return "", 0
    return (parts.hostname or "").rstrip("."), port or DEFAULT_PORTS[parts.scheme]


def _refused(message: str) -> Problem:
    return Problem(code=Code.ORIGIN_REFUSED, message=message)


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…")
