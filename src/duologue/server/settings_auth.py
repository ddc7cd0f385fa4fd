"""Who may come in, as it can be set: keys of backends, tokens for people, and another issuer's tokens."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from msgspec import Meta

from duologue.server.settings_section import PATH_CHARS, SECRET, Section

Scope = Literal[
    "sessions:read",
    "sessions:write",
    "sessions:delete",
    "tokens:mint",
    "metrics:read",
    "operate",
    "approvals:decide",
    "supervise",
    "admin",
]
"""What a caller may do. `admin` is all of it, and what concerns the server as a whole; `supervise` has `operate` and
`approvals:decide`."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

STAFF_SCOPES: Final[frozenset[Scope]] = frozenset({"operate", "approvals:decide", "supervise"})
"""What makes somebody one of the staff: a token may have it too, in its claim `scope`."""


def staff_scopes(named: Iterable[str], *, prefix: str = "") -> frozenset[Scope]:
    """The staff's scopes among those that are named, with what they include; others are left alone.

    Args:
        named: words, such as those of a token's claim.
        prefix: with which each has to begin.
    """
    words = tuple(named)
    found: frozenset[Scope] = frozenset(scope for scope in STAFF_SCOPES if f"{prefix}{scope}" in words)
    return STAFF_SCOPES if "supervise" in found else found


TOKEN_SECONDS_MAX: Final = 86_400
"""Longest life of a token: it cannot be called back, so a day bounds what a stolen one is worth."""

API_KEYS: Final = 64
"""Most API keys: each is compared on every request."""

KEY_NAME_CHARS: Final = 64
"""Longest name of a key: it stands in the audit trail and in refusals."""

HASH: Final = "sha256:[0-9a-fA-F]{64}"


class ApiKey(Section):
    """A key of a backend, with what it may do and for how long. `duologue keys new` writes one."""

    name: Annotated[
        str,
        Meta(pattern=rf"^[A-Za-z0-9][A-Za-z0-9._-]{{0,{KEY_NAME_CHARS - 1}}}$", description="Names it in the audit."),
    ]
    hash: Annotated[str, Meta(pattern=rf"^{HASH}$", description="sha256: and the key's SHA-256 in hex.")]
    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, description="What it may do.")] = SCOPES
    not_before: Annotated[datetime, Meta(tz=True, description="From when on it is good.")] | None = None
    expires: Annotated[datetime, Meta(tz=True, description="Until when it is good.")] | None = None


AnyApiKey: TypeAlias = Annotated[
    Annotated[str, Meta(pattern=rf"^({HASH}|(?!sha256:)[!-+\--~]{{16,512}})$")] | ApiKey,
    Meta(
        extra={
            "allowed": "16 to 512 visible ASCII characters without a comma, or sha256:<64 hex digits>,"
            " or a table with name, hash and perhaps scopes, not_before, expires"
        }
    ),
]


class AuthSettings(Section):
    """Who may use the server. With neither key nor secret, only this machine may."""

    api_keys: Annotated[
        tuple[AnyApiKey, ...],
        Meta(
            max_length=API_KEYS,
            description=(
                "Keys of your backends. A backend makes tokens for its users and may act for any of them."
                " sha256:<hex> keeps the key itself out of this file; a table ([[auth.api_keys]]) also names it,"
                f" bounds it in time and lists what it may do: {', '.join(SCOPES)}."
            ),
            extra_json_schema=SECRET,
        ),
    ] = ()
    secret: Annotated[
        str,
        Meta(
            pattern=r"^(.{32,})?$",
            max_length=PATH_CHARS,
            description=(
                "Signs tokens (HS256); the same on every node. Your backend may sign tokens with it itself."
                " Empty: a random one, so tokens end with the process."
            ),
            extra={"allowed": "empty, or at least 32 characters (random ones: openssl rand -hex 32)"},
            extra_json_schema=SECRET,
        ),
    ] = ""
    token_seconds: Annotated[
        int, Meta(ge=1, le=TOKEN_SECONDS_MAX, description="How long a token made by the server is good for.")
    ] = 900
    issuer: Annotated[
        str,
        Meta(
            max_length=PATH_CHARS,
            description=(
                "Another issuer whose tokens are taken as well, as it names itself in `iss`;"
                " needs jwks_url and the extra duologue[jwks]. Empty: none."
            ),
            extra={"allowed": "empty, or the issuer's name, mostly an https:// address"},
        ),
    ] = ""
    issuer_audience: Annotated[
        str,
        Meta(min_length=1, max_length=PATH_CHARS, description="What `aud` of that issuer's tokens has to name."),
    ] = "duologue"
    jwks_url: Annotated[
        str,
        Meta(
            pattern=r"^(https://[^\s#@]+|http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?/[^\s#]*)?$",
            max_length=PATH_CHARS,
            description=(
                "Where that issuer publishes the public keys (JWKS) that its tokens are checked with:"
                " RS256, ES256 or EdDSA, found by `kid`."
            ),
            extra={"allowed": "empty, or an https:// address; http:// on this machine only"},
        ),
    ] = ""
    issuer_session_claim: Annotated[
        str,
        Meta(
            max_length=KEY_NAME_CHARS,
            description=(
                "Claim of that issuer's tokens that names the one session a token is for."
                " Change it where the issuer means something else by `sid`. Empty: none."
            ),
        ),
    ] = "sid"

    def __repr__(self) -> str:
        return f"AuthSettings({len(self.api_keys)} api_keys, secret {'set' if self.secret else 'not set'})"

    # Any because that is what msgspec's own method returns.
    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep secrets out of rich's tracebacks too, which do not ask `__repr__`."""
        return [("api_keys", len(self.api_keys)), ("secret", bool(self.secret))]
