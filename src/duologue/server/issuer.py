"""Tokens of another issuer: signed with its private keys, checked with the public ones that it publishes (JWKS).

Source: RFC 7517 (JWK sets), RFC 7518 (algorithms), RFC 8725 (best current practice).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import httpx2
import jwt
import msgspec
from jwt.algorithms import has_crypto

from duologue.model.errors import SettingsError
from duologue.runtime.events_log import EventLog
from duologue.server.settings_auth import AuthSettings

FRESH_MS: Final = 300_000
"""How long fetched keys are taken as they are: a key that was called back is refused within five minutes."""

RETRY_MS: Final = 10_000
"""Least time between two fetches, whatever tokens come: strangers with invented key ids cannot flood the issuer."""

STALE_MS: Final = 86_400_000
"""How long known keys are used while no new ones can be had: an issuer that is down for a day is noticed."""

FETCH_S: Final = 5.0
"""How long a fetch may take in all: a person waits for it."""

JWKS_BYTES: Final = 256 * 1024
"""Largest set of keys that is read: a hundred RSA keys with their certificates fit."""

KEYS: Final = 100
"""Most keys of a set that are used."""

RSA_BITS: Final = 2_048
"""Shortest RSA key. Source: RFC 7518, section 3.3."""

Fetch: TypeAlias = Callable[[], Awaitable[bytes]]

_ALGORITHMS: Final[Mapping[tuple[str, str], str]] = {
    ("RSA", ""): "RS256",
    ("EC", "P-256"): "ES256",
    ("OKP", "Ed25519"): "EdDSA",
}
"""The one algorithm that a kind of key is used with, so that a token cannot choose another."""


class Jwk(msgspec.Struct, frozen=True, kw_only=True):
    """What matters of a key before it is used."""

    kty: str
    kid: str
    crv: str = ""
    alg: str | None = None
    use: str | None = None
    key_ops: tuple[str, ...] | None = None


class Jwks(msgspec.Struct, frozen=True, kw_only=True):
    """A set of keys, each read by itself: one that is odd does not spoil the others."""

    keys: tuple[msgspec.Raw, ...]


class Issuer:
    """Knows the issuer's keys, and reads its tokens.

    Args:
        settings: with `issuer` and `jwks_url`.
        log: told when keys cannot be had.
        fetch: gets the set of keys; over HTTP if not given. Raises `OSError` or `httpx2.HTTPError`.
    Raises:
        SettingsError: the package that checks such signatures is not installed.
    """

    def __init__(self, settings: AuthSettings, *, log: EventLog, fetch: Fetch | None = None) -> None:
        if not has_crypto:
            raise SettingsError("auth.jwks_url: needs the package cryptography; install duologue[jwks]")
        self.name: Final = settings.issuer
        self._audience, self._url, self._log = settings.issuer_audience, settings.jwks_url, log
        self._fetch = fetch or self._over_http
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_ms: int | None = None
        self._tried_ms: int | None = None
        self._fetching = asyncio.Lock()

    async def prepare(self, token: str, now_ms: int) -> bool:
        """See to it that the key of a token is known, if it can be.

        Returns:
            False where no keys can be had now, so that nothing can be said about the token.
        """
        kid = _kid(token)
        if kid is None:
            return True
        known = kid in self._keys and not self._is_older(STALE_MS, now_ms)
        wanted = not known or self._is_older(FRESH_MS, now_ms)
        # While one request refreshes keys that are still good, the others do not wait for it.
        if wanted and not (known and self._fetching.locked()):
            async with self._fetching:
                if self._tried_ms is None or now_ms - self._tried_ms >= RETRY_MS:
                    await self._refresh(now_ms)
        return not self._is_older(STALE_MS, now_ms)

    def read(self, token: str) -> Any:
        """Check a token's signature and audience; its times and names are the caller's to check.

        Returns:
            The claims. Any: JSON of no known shape.
        Raises:
            jwt.InvalidTokenError: it is none of the issuer's.
        """
        key = self._keys.get(_kid(token) or "")
        if key is None:
            raise jwt.InvalidTokenError("no such key")
        # Times are checked by the caller against its own clock; PyJWT would read the system's.
        return jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            audience=self._audience,
            options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
        )

    def _is_older(self, age_ms: int, now_ms: int) -> bool:
        return self._fetched_ms is None or now_ms - self._fetched_ms >= age_ms

    async def _refresh(self, now_ms: int) -> None:
        self._tried_ms = now_ms
        try:
            async with asyncio.timeout(FETCH_S):
                keys = read_keys(await self._fetch())
        except (httpx2.HTTPError, OSError, TimeoutError, msgspec.MsgspecError) as error:
            self._log("jwks_failed", error=type(error).__name__)
            return
        if not keys:
            self._log("jwks_failed", error="no usable key")
            return
        self._keys, self._fetched_ms = keys, now_ms

    async def _over_http(self) -> bytes:
        body = bytearray()
        async with (
            httpx2.AsyncClient(follow_redirects=False, timeout=FETCH_S) as client,
            client.stream("GET", self._url, headers={"Accept": "application/json"}) as answer,
        ):
            answer.raise_for_status()
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > JWKS_BYTES:
                    raise OSError("the set of keys is too large")
        return bytes(body)


def read_keys(body: bytes) -> dict[str, jwt.PyJWK]:
    """Read a set of keys; those that are no public keys for signatures of a known kind are left out.

    Raises:
        msgspec.MsgspecError: it is no set of keys.
    """
    found: dict[str, jwt.PyJWK] = {}
    for raw in msgspec.json.decode(body, type=Jwks).keys[:KEYS]:
        key = _read_key(bytes(raw))
        if key is not None and key.key_id is not None:
            found[key.key_id] = key
    return found


def _read_key(raw: bytes) -> jwt.PyJWK | None:
    try:
        jwk = msgspec.json.decode(raw, type=Jwk)
        algorithm = _ALGORITHMS.get((jwk.kty, jwk.crv))
        signs = jwk.use in (None, "sig") and (jwk.key_ops is None or "verify" in jwk.key_ops)
        if algorithm is None or not signs or jwk.alg not in (None, algorithm) or not jwk.kid:
            return None
        key = jwt.PyJWK(msgspec.json.decode(raw, type=dict[str, Any]), algorithm)
    except (msgspec.MsgspecError, jwt.PyJWTError, ValueError, TypeError):
        return None
    size: object = getattr(key.key, "key_size", None)
    is_private = hasattr(key.key, "private_bytes")
    is_short = jwk.kty == "RSA" and isinstance(size, int) and size < RSA_BITS
    return None if is_private or is_short else key


def algorithm_of(token: str) -> str | None:
    """What a token says that it is signed with; it is not to be believed, only to choose who checks it."""
    try:
        return str(jwt.get_unverified_header(token).get("alg"))
    except jwt.InvalidTokenError:
        return None


def _kid(token: str) -> str | None:
    try:
        kid: object = jwt.get_unverified_header(token).get("kid")
    except jwt.InvalidTokenError:
        return None
    return kid if isinstance(kid, str) and kid else None
