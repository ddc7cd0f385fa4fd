"""How much each person and each address gets: rates, open connections, and silence for who guesses credentials."""

import ipaddress
from typing import Final, Literal, TypeAlias

from duologue.model import limits
from duologue.model.errors import Code, Problem, Refused
from duologue.ports.clock import Clock
from duologue.server.auth import BACKEND_SUBJECT, Identity
from duologue.server.rates import Buckets
from duologue.server.settings_limits import LimitsSettings

Asked: TypeAlias = Literal["requests", "turns", "sessions", "frames"]
"""What has a rate."""

V6_BITS: Final = 64
"""Leading bits that make an IPv6 address one client: a household has all addresses that begin with them."""

_WORDS: Final[dict[Asked, str]] = {
    "requests": "requests",
    "turns": "turns",
    "sessions": "new sessions",
    "frames": "messages",
}


class Gate:
    """Counts what people and addresses ask for. Belongs to the event loop's thread.

    Attributes:
        limited: how often something was refused here, by what was asked for.
    """

    def __init__(self, settings: LimitsSettings, *, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._buckets = Buckets(limits.RATE_KEYS)
        self._open: dict[tuple[str, str], int] = {}
        self.limited: dict[str, int] = {}

    def charge(self, identity: Identity, asked: Asked) -> Problem | None:
        """Count something that somebody asks for.

        Returns:
            `RATE_LIMITED` where it is too much; then nothing was counted.
        """
        wait_ms = self._charge(_keys(identity), asked)
        return self._refuse(asked, f"too many {_WORDS[asked]}", wait_ms=wait_ms) if wait_ms else None

    def pace_ms(self, identity: Identity) -> int:
        """How long the next message on a socket is left waiting; 0: it was counted, and is taken now."""
        wait_ms = self._charge(_keys(identity), "frames")
        if wait_ms:
            self.limited["frames"] = self.limited.get("frames", 0) + 1
        return wait_ms

    def visit(self, address: str) -> None:
        """Count a request that needs no credential.

        Raises:
            Refused: there were too many from this address.
        """
        wait_ms = self._charge([("address", address_key(address))], "requests")
        if wait_ms:
            raise Refused(self._refuse("requests", "too many requests from this address", wait_ms=wait_ms))

    def _charge(self, keys: list[tuple[str, str]], asked: Asked) -> int:
        """Count something, or say how long it is too early."""
        rates = self._rates(asked)
        due = [(f"{asked} {kind}", key, rates[kind]) for kind, key in keys if rates[kind]]
        wait_ms = max((self._wait_ms(*one) for one in due), default=0)
        if not wait_ms:
            for one in due:
                self._take(*one)
        return wait_ms

    def check(self, identity: Identity, asked: Asked) -> None:
        """As `charge`.

        Raises:
            Refused: it is too much.
        """
        problem = self.charge(identity, asked)
        if problem is not None:
            raise Refused(problem)

    def listen_to(self, address: str) -> None:
        """See whether credentials from an address are looked at.

        Raises:
            Refused: there were too many wrong ones.
        """
        rate = self._settings.auth_failures_per_address
        wait_ms = self._wait_ms("failures", address_key(address), rate) if rate else 0
        if wait_ms:
            message = "too many wrong credentials from this address"
            raise Refused(self._refuse("credentials", message, wait_ms=wait_ms))

    def failed(self, address: str) -> None:
        """Count a wrong credential."""
        rate = self._settings.auth_failures_per_address
        if rate:
            self._take("failures", address_key(address), rate)

    def room(self, identity: Identity, live_sessions: int) -> Problem | None:
        """Whether somebody who has so many sessions in memory may open a new one; it is counted."""
        bound = self._settings.live_sessions_per_person
        if bound and live_sessions >= bound and any(kind == "person" for kind, _ in _keys(identity)):
            message = f"{bound} sessions of this person are in use; try again once some were left for a minute"
            return self._refuse("live_sessions", message, wait_ms=limits.IDLE_UNLOAD_MS, limit=bound)
        return self.charge(identity, "sessions")

    def hold(self, identity: Identity) -> "Hold":
        """Take a place for an open connection.

        Raises:
            Refused: there is none left, in all or for this person or address.
        """
        settings = self._settings
        bounds = {"person": settings.connections_per_person, "address": settings.connections_per_address}
        keys = [("all", "")] + [(kind, key) for kind, key in _keys(identity) if bounds[kind]]
        for kind, key in keys:
            bound = bounds.get(kind, settings.connections)
            if self._open.get((kind, key), 0) >= bound:
                whose = {"all": "", "person": " of this person", "address": " from this address"}[kind]
                message = f"there are {bound} open connections{whose} already; close some"
                raise Refused(self._refuse("connections", message, wait_ms=limits.HELLO_MS, limit=bound))
        return Hold(self._open, keys)

    def _rates(self, asked: Asked) -> dict[str, int]:
        settings = self._settings
        match asked:
            case "requests":
                return {"person": settings.requests_per_person, "address": settings.requests_per_address}
            case "turns":
                return {"person": settings.turns_per_person, "address": settings.turns_per_address}
            case "sessions":
                return {"person": settings.sessions_per_person, "address": settings.sessions_per_address}
            case "frames":
                return {"person": settings.frames_per_person, "address": settings.frames_per_address}

    def _wait_ms(self, kind: str, key: str, rate: int) -> int:
        return self._buckets.wait_ms(kind, key, per_minute=rate, now_ms=self._clock.now_ms())

    def _take(self, kind: str, key: str, rate: int) -> None:
        self._buckets.take(kind, key, per_minute=rate, now_ms=self._clock.now_ms())

    def _refuse(self, what: str, message: str, *, wait_ms: int, limit: int | None = None) -> Problem:
        self.limited[what] = self.limited.get(what, 0) + 1
        seconds = -(-wait_ms // 1000)
        return Problem(
            code=Code.RATE_LIMITED, message=f"{message}; try again in {seconds} s", limit=limit, retry_after_ms=wait_ms
        )


class Hold:
    """A place that is taken until it is let go."""

    def __init__(self, open_: dict[tuple[str, str], int], keys: list[tuple[str, str]]) -> None:
        self._open, self._keys = open_, keys
        for key in keys:
            open_[key] = open_.get(key, 0) + 1

    def release(self) -> None:
        """Let go of it; a second time does nothing."""
        keys, self._keys = self._keys, []
        for key in keys:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]


def address_key(address: str) -> str:
    """The client that an address stands for."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), V6_BITS), strict=False).network_address)


def _keys(identity: Identity) -> list[tuple[str, str]]:
    """Who is counted: a person, and their address; of backends only the person that they name; nobody without auth."""
    if identity.is_backend:
        counted = identity.name and identity.subject != BACKEND_SUBJECT
        return [("person", identity.subject)] if counted else []
    return [("person", identity.subject), ("address", address_key(identity.address))]
