"""The port, and the server that may answer on it."""

import socket
from collections.abc import Iterator
from typing import Final

import httpx2

from duologue.model.base import Value
from duologue.server.doctor.findings import Finding, fail, note, ok, warn
from duologue.server.settings import ServerSettings

PATIENCE_S: Final = 5.0
"""How long a server may take to say how it is."""


class Answered(Value, kw_only=True):
    """What an address said; `status` 0 where nothing answered."""

    status: int
    body: str


def look(server: ServerSettings, *, held: bool) -> Iterator[Finding]:
    """Look at the address of the settings.

    Args:
        held: a process has the data folder open, so a server is expected there.
    """
    if server.port == 0:
        yield note("port.free", "any free port is taken on start")
        return
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server.host, server.host)
    base = f"http://[{host}]:{server.port}" if ":" in host else f"http://{host}:{server.port}"
    health = ask(f"{base}/healthz")
    if health.status == 200 and '"status"' in health.body:
        yield from _running(base, held=held)
    elif _is_free(server):
        yield _free(base, held=held)
    else:
        said = f"it answers {health.status} to /healthz" if health.status else "it does not speak HTTP"
        yield fail("port.free", f"{base} is taken by another program: {said}", "stop it, or set server.port")


def ask(url: str) -> Answered:
    """Ask an address; never raises."""
    try:
        response = httpx2.get(url, timeout=PATIENCE_S)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        return Answered(status=0, body="")
    return Answered(status=response.status_code, body=response.text[:500])


def _running(base: str, *, held: bool) -> Iterator[Finding]:
    yield ok("server.health", f"a server answers at {base}")
    ready = ask(f"{base}/readyz")
    if ready.status == 200:
        yield ok("server.ready", "it takes turns")
    else:
        yield fail("server.ready", f"it takes no turns: {ready.body or ready.status}", "see its log")
    if not held:
        mend = "it serves another folder: give doctor the same settings, or stop one of the two"
        yield warn("server.folder", "the server that answers does not have this data folder open", mend)


def _free(base: str, *, held: bool) -> Finding:
    if held:
        mend = "give doctor the settings of that process, or its --port"
        return warn("port.free", f"the data folder is open elsewhere, and no server answers at {base}", mend)
    return ok("port.free", f"{base} is free")


def _is_free(server: ServerSettings) -> bool:
    """Whether the port could be had; nothing listens on it meanwhile."""
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((server.host, server.port))
        except OSError:
            return False
    return True
