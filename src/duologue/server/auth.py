"""Who is asking: API keys for backends, signed tokens for people, and nothing on this machine alone."""

import ipaddress
import re
import secrets
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeGuard
from urllib.parse import urlsplit

import msgspec

from duologue.model import limits
from duologue.model.base import Value
from duologue.model.errors import Code, Problem, Refused, SettingsError
from duologue.server.api_keys import KnownKey, find, known_keys
from duologue.server.settings_auth import SCOPES, TOKEN_SECONDS_MAX, AuthSettings, Scope, staff_scopes

if TYPE_CHECKING:
    from duologue.server.issuer import Issuer

# PyJWT brings a cryptography library and the issuer an HTTP client: 150 ms of a start, for which a server that knows
# no tokens need not wait. They are imported where they are used, and when auth is on, at the start.

HOSTS_KEPT: Final = 1_024
"""Hosts of which is kept whether they are this machine: it is asked of each request, twice."""

AUDIENCE: Final = "duologue"
ISSUER: Final = "duologue"
"""Who has made a token that is signed with `auth.secret`, whoever signed it."""

ALGORITHM: Final = "HS256"
SESSION_CLAIM: Final = "sid"
"""The claim of our own tokens that names the one session a token is for."""

STAFF_PREFIX: Final = "duologue:"
"""Begins our scopes in another issuer's tokens, whose own words may mean something else."""

LOCAL_SUBJECT: Final = "local"
BACKEND_SUBJECT: Final = "backend"
SUBJECT_HEADER: Final = "duologue-subject"

SUBPROTOCOL: Final = "duologue"
"""What the server answers to a WebSocket that offers it; the token beside it is never echoed."""

TOKEN_PROTOCOL: Final = "bearer."
"""Begins the subprotocol that carries a token: a browser's WebSocket cannot send headers."""

CREDENTIAL_CHARS: Final = 4_096
"""Longest credential: a token of ours has about 250 characters, and hashing is bounded."""

SUBJECT_CHARS: Final = 256
"""Longest subject: the ids of other systems fit."""

SECRET_BYTES: Final = 32
"""Size of the random secret. Source: RFC 7518, section 3.2 (a key as long as the hash)."""

CLOCK_SKEW_S: Final = 60
"""How far ahead the clock of a backend that signs tokens may be, for `nbf` and `iat`."""

PERSON_SCOPES: Final[frozenset[str]] = frozenset({"sessions:read", "sessions:write", "sessions:delete"})
"""What a token allows: everything about its subject's own sessions. One of the staff's allows more."""

ALL_SCOPES: Final[frozenset[str]] = frozenset(SCOPES)


class Identity(Value, kw_only=True):
    """Who is asking.

    Attributes:
        subject: the person whose sessions these are.
        session_id: the one session that the token is for, or `None` for any of the subject's.
        is_backend: is trusted with every subject: an API key, or anybody on this machine where no auth is
            configured.
        scopes: what they may do.
        name: of the key that was used; empty for a token and where no auth is configured.
        address: where the request came from, as far as it is known.
        granted: scopes of tools that the person has; `None` for all of them, where a backend or nobody is asked.
    """

    subject: str
    session_id: str | None = None
    is_backend: bool = False
    scopes: frozenset[str] = PERSON_SCOPES
    name: str = ""
    address: str = ""
    granted: tuple[str, ...] | None = ()

    def check(self, scope: Scope) -> None:
        """Let this caller do something, or not.

        Raises:
            Refused: they may not.
        """
        if scope not in self.scopes:
            who = "this API key" if self.is_backend else "a token"
            message = f"{who} may not do this; it takes the scope {scope}"
            raise Refused(Problem(code=Code.FORBIDDEN, message=message))


ANYBODY: Final = Identity(subject="", scopes=frozenset())
"""Who asks for what is open to all."""


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    """The claims of a token that matter here; others are left alone."""

    iss: str
    sub: str
    exp: int | float
    nbf: int | float | None = None
    iat: int | float | None = None
    scope: str = ""
    tool_scopes: str = ""


class Auth:
    """Tells who is asking and makes tokens. Holds secrets, so it shows none of its fields."""

    __slots__ = ("_issuer", "_keys", "_secret", "_session_claim", "_token_seconds", "configured")

    def __init__(self, settings: AuthSettings, *, issuer: "Issuer | None" = None) -> None:
        self.configured: Final = bool(settings.api_keys or settings.secret or settings.jwks_url)
        self._issuer, self._session_claim = issuer, settings.issuer_session_claim
        self._keys = known_keys(settings.api_keys)
        self._secret = settings.secret.encode() if settings.secret else secrets.token_bytes(SECRET_BYTES)
        self._token_seconds = settings.token_seconds

    async def prepare(self, headers: Mapping[str, str], *, now_ms: int) -> Problem | None:
        """Fetch what `identify` needs to know about a request's credential, where it is another issuer's token.

        Returns:
            `AUTH_UNAVAILABLE` where that cannot be had now.
        Cancellation: safe.
        """
        credential = _credential(headers)
        if self._issuer is None or not isinstance(credential, str) or not _is_foreign(credential):
            return None
        return None if await self._issuer.prepare(credential, now_ms) else _UNAVAILABLE

    def identify(self, headers: Mapping[str, str], *, now_ms: int) -> Identity | Problem:
        """Tell who sent a request, after `prepare`.

        Args:
            headers: by name, case-insensitive or in lower case.
            now_ms: ms since 1970.
        Returns:
            The sender; or `AUTH_REQUIRED` without a credential, `AUTH_EXPIRED` for a token past its time,
            `AUTH_FAILED` for any other that is not good (also where none is needed: its sender relies on it),
            `BAD_MESSAGE` for a subject that cannot be one, `FORBIDDEN` for a person who names another.
        """
        credential = _credential(headers)
        if isinstance(credential, Problem):
            return credential
        named = headers.get(SUBJECT_HEADER)
        if credential is None:
            return _REQUIRED if self.configured else _trusted(named, LOCAL_SUBJECT, scopes=ALL_SCOPES)
        key = find(credential, self._keys, now_ms)
        if key is not None:
            return _backend(key, named, now_ms)
        identity = self._read_token(credential, now_ms)
        if isinstance(identity, Identity) and named not in (None, identity.subject):
            return _NOT_YOURS
        return identity

    def mint(
        self,
        subject: str,
        session_id: str | None,
        now_ms: int,
        *,
        scopes: frozenset[Scope] = frozenset(),
        tool_scopes: Iterable[str] = (),
    ) -> tuple[str, int]:
        """Make a token for a subject, or for one session of theirs; one of the staff's has `scopes` as well.

        `tool_scopes` are words without spaces: what tools may ask of the person.

        Returns:
            The token, and when it expires in ms since 1970, a whole second.
        Raises:
            ValueError: that is no subject or session id.
        """
        if not _is_subject(subject) or not _is_session(session_id):
            raise ValueError("not a subject or session id")
        expires_s = now_ms // 1000 + self._token_seconds
        claims: dict[str, str | int] = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "exp": expires_s}
        if session_id is not None:
            claims["sid"] = session_id
        if scopes:
            claims["scope"] = " ".join(sorted(scopes))
        if tool_scopes:
            claims["tool_scopes"] = " ".join(sorted(tool_scopes))
        import jwt

        return jwt.encode(claims, self._secret, algorithm=ALGORITHM), expires_s * 1000

    def _read_token(self, token: str, now_ms: int) -> Identity | Problem:
        """Check a token; its algorithm says whether with our secret or with the issuer's keys, never both."""
        import jwt

        issuer = self._issuer if _is_foreign(token) else None
        try:
            decoded = self._decode(token) if issuer is None else issuer.read(token)
            claims = msgspec.convert(decoded, Claims)
        except (jwt.InvalidTokenError, msgspec.ValidationError):
            return _FAILED
        claim = SESSION_CLAIM if issuer is None else self._session_claim
        session_id: object = decoded.get(claim) if claim else None
        if claims.iss != (ISSUER if issuer is None else issuer.name) or not _is_timely(claims, now_ms):
            return _FAILED
        if not _is_subject(claims.sub) or not _is_session(session_id):
            return _FAILED
        if now_ms >= claims.exp * 1000:
            return _EXPIRED
        staff = staff_scopes(claims.scope.split(), prefix="" if issuer is None else STAFF_PREFIX)
        granted = tuple(sorted(claims.tool_scopes.split()))
        return Identity(subject=claims.sub, session_id=session_id, scopes=PERSON_SCOPES | staff, granted=granted)

    def _decode(self, token: str) -> dict[str, Any]:
        import jwt

        # Times are checked against the caller's clock; PyJWT would read its own.
        return jwt.decode(
            token,
            self._secret,
            algorithms=[ALGORITHM],
            audience=AUDIENCE,
            options={"verify_exp": False, "verify_nbf": False, "verify_iat": False},
        )


def _is_foreign(token: str) -> bool:
    from duologue.server.issuer import algorithm_of

    return algorithm_of(token) not in (None, ALGORITHM)


def _is_timely(claims: Claims, now_ms: int) -> bool:
    """Whether a token's time has come, and it does not live longer than one of ours may."""
    latest_s = now_ms / 1000 + CLOCK_SKEW_S
    return max(claims.nbf or 0, claims.iat or 0) <= latest_s and claims.exp <= latest_s + TOKEN_SECONDS_MAX


def check_bind(host: str, auth: Auth, *, public_url: str = "") -> None:
    """Refuse to be reached from beyond this machine without auth, directly or through a proxy.

    Args:
        host: where the server listens.
        auth: who may come in.
        public_url: where people reach it, empty where that is the same.

    Raises:
        SettingsError: says what to set.
    """
    if not auth.configured and not is_loopback(host):
        raise SettingsError(
            f"server.host: {host} can be reached from other machines, and no auth is configured;"
            " set auth.api_keys (for your backend) or auth.secret (to sign tokens), or listen on 127.0.0.1"
        )
    public_host = urlsplit(public_url).hostname or ""
    if not auth.configured and public_host and not is_loopback(public_host):
        raise SettingsError(
            f"server.public_url: {public_host} is reached from other machines, and no auth is configured: everybody"
            " who comes through the proxy would be trusted; set auth.api_keys or auth.secret"
        )


@lru_cache(maxsize=HOSTS_KEPT)
def is_loopback(host: str) -> bool:
    """Whether a host name or address, without port, can only mean this machine. Names are not looked up."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761, section 6.3
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def has_credential(headers: Mapping[str, str]) -> bool:
    """Whether a request brings a credential in its headers, good or not."""
    return _credential(headers) is not None


_REQUIRED: Final = Problem(
    code=Code.AUTH_REQUIRED,
    message="A credential is needed: send the header Authorization: Bearer <token>, or from a browser's"
    " WebSocket the subprotocols duologue, bearer.<token>. Tokens come from POST /chat/token.",
)
_FAILED: Final = Problem(
    code=Code.AUTH_FAILED, message="The credential is not valid here. Get a new token from POST /chat/token."
)
_EXPIRED: Final = Problem(
    code=Code.AUTH_EXPIRED,
    message="The token has expired. Get a new one from POST /chat/token and try again.",
)
_UNAVAILABLE: Final = Problem(
    code=Code.AUTH_UNAVAILABLE,
    message="The keys that this token is checked with cannot be had now. Try again in a few seconds.",
)
_NOT_YOURS: Final = Problem(code=Code.FORBIDDEN, message="Only an API key may name another person in Duologue-Subject.")
_BAD_SUBJECT: Final = Problem(
    code=Code.BAD_MESSAGE,
    message=f"Duologue-Subject has to be 1 to {SUBJECT_CHARS} printable characters, not in spaces.",
    limit=SUBJECT_CHARS,
)


def _backend(key: KnownKey, named: str | None, now_ms: int) -> Identity | Problem:
    if key.is_good(now_ms):
        return _trusted(named, BACKEND_SUBJECT, scopes=key.scopes, name=key.name)
    when = "no longer" if key.until_ms is not None and now_ms >= key.until_ms else "not yet"
    return Problem(code=Code.AUTH_FAILED, message=f"This API key is {when} valid.")


def _trusted(named: str | None, default: str, *, scopes: frozenset[str], name: str = "") -> Identity | Problem:
    if named is not None and not _is_subject(named):
        return _BAD_SUBJECT
    subject = default if named is None else named
    return Identity(subject=subject, is_backend=True, scopes=scopes, name=name, granted=None)


def _credential(headers: Mapping[str, str]) -> str | Problem | None:
    """Find the credential; the header goes before the subprotocol."""
    header = headers.get("authorization")
    if header is not None:
        scheme, _, found = header.partition(" ")
        found = found.strip() if scheme.lower() == "bearer" else ""
    else:
        tokens = [name for name in _protocols(headers) if name.startswith(TOKEN_PROTOCOL)]
        if not tokens:
            return None
        found = tokens[0].removeprefix(TOKEN_PROTOCOL)
    return found if re.fullmatch(rf"[!-~]{{1,{CREDENTIAL_CHARS}}}", found) else _FAILED


def _protocols(headers: Mapping[str, str]) -> list[str]:
    names = headers.get("sec-websocket-protocol", "").split(",")
    return [name.strip() for name in names if name.strip()]


def _is_subject(text: str) -> bool:
    return 0 < len(text) <= SUBJECT_CHARS and text.isprintable() and text == text.strip()


def _is_session(given: object) -> TypeGuard[str | None]:
    return given is None or (isinstance(given, str) and 0 < len(given) <= limits.SESSION_ID_CHARS)
