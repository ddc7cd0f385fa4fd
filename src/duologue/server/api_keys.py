"""Keys of backends: known by their hash, each with a name, a time and what it may do."""

import hashlib
import hmac
import secrets
from datetime import datetime
from typing import Final

from duologue.model.base import Value
from duologue.server.settings_auth import SCOPES, AnyApiKey, ApiKey, staff_scopes

KEY_BYTES: Final = 32
"""Size of a new key: nobody guesses 256 bits, so a plain hash is enough to keep it."""

KEY_BEGIN: Final = "duo_"
"""Begins a new key, so that a search for leaked secrets finds it."""

_HASHED: Final = "sha256:"


class KnownKey(Value, kw_only=True):
    """A key as the server holds it. Times in ms since 1970; `None` for no bound."""

    name: str
    digest: bytes
    scopes: frozenset[str]
    from_ms: int | None = None
    until_ms: int | None = None

    def is_good(self, now_ms: int) -> bool:
        """Whether its time has come and is not over."""
        return (self.from_ms is None or self.from_ms <= now_ms) and (self.until_ms is None or now_ms < self.until_ms)


def known_keys(given: tuple[AnyApiKey, ...]) -> tuple[KnownKey, ...]:
    """Read the keys off the settings; one without a name is called by its place, from 1."""
    return tuple(_known(key, f"key-{place}") for place, key in enumerate(given, 1))


def find(credential: str, keys: tuple[KnownKey, ...], now_ms: int) -> KnownKey | None:
    """Find the key that was presented: of several that fit, one whose time it is."""
    presented = hashlib.sha256(credential.encode()).digest()
    # All are compared, so that the time tells nothing about which one it was.
    fitting = [key for key in keys if hmac.compare_digest(presented, key.digest)]
    return next((key for key in fitting if key.is_good(now_ms)), fitting[0] if fitting else None)


def key_names(given: tuple[AnyApiKey, ...]) -> dict[str, str]:
    """The names of the keys in the settings, each with its scopes: what the audit trail says of them."""
    return {f"key {key.name}": " ".join(sorted(key.scopes)) for key in known_keys(given)}


def new_key() -> tuple[str, str]:
    """Make a key; returns it, and its hash for the settings."""
    key = KEY_BEGIN + secrets.token_urlsafe(KEY_BYTES)
    return key, _HASHED + hashlib.sha256(key.encode()).hexdigest()


def _known(key: AnyApiKey, place: str) -> KnownKey:
    if not isinstance(key, ApiKey):
        return KnownKey(name=place, digest=_digest(key), scopes=frozenset(SCOPES))
    return KnownKey(
        name=key.name,
        digest=_digest(key.hash),
        scopes=frozenset(SCOPES if "admin" in key.scopes else {*key.scopes, *staff_scopes(key.scopes)}),
        from_ms=_ms(key.not_before),
        until_ms=_ms(key.expires),
    )


def _digest(text: str) -> bytes:
    if text.startswith(_HASHED):
        return bytes.fromhex(text.removeprefix(_HASHED))
    return hashlib.sha256(text.encode()).digest()


def _ms(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)
