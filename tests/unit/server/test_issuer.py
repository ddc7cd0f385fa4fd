"""Tokens of another issuer: its keys, their rotation, and everything that is no token of its."""

import asyncio
import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_ec_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as new_rsa_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from duologue.model.errors import Code, Problem
from duologue.server import issuer as issuers
from duologue.server.auth import Auth, Identity
from duologue.server.issuer import Issuer, read_keys
from duologue.server.settings_auth import AuthSettings

pytestmark = pytest.mark.anyio

NOW_S = 1_800_000_000
NOW_MS = NOW_S * 1000
NAME = "https://id.example"
SECRET = "s" * 32
SETTINGS = AuthSettings(secret=SECRET, issuer=NAME, jwks_url="https://id.example/keys")

PrivateKey = RSAPrivateKey | EllipticCurvePrivateKey | Ed25519PrivateKey

RSA = new_rsa_key(65_537, 2_048)
EC = new_ec_key(SECP256R1())
ED = Ed25519PrivateKey.generate()
KEYS: dict[str, tuple[str, PrivateKey]] = {"RS256": ("rsa", RSA), "ES256": ("ec", EC), "EdDSA": ("ed", ED)}


def jwk(kid: str, key: PrivateKey, **more: object) -> dict[str, Any]:
    """Write a public key as an issuer publishes it."""
    algorithm = next(name for name, known in KEYS.items() if isinstance(key, type(known[1])))
    public = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    return {**public, "kid": kid, **more}


def signed(algorithm: str = "RS256", *, kid: str | None = None, key: Any = None, **claims: object) -> str:
    """Sign a token as the issuer would."""
    usual = KEYS.get(algorithm, ("rsa", RSA))
    given = {"iss": NAME, "aud": "duologue", "sub": "ada", "exp": NOW_S + 60, "iat": NOW_S, **claims}
    return jwt.encode(
        {name: value for name, value in given.items() if value is not None},
        key or usual[1],
        algorithm,
        headers={"kid": usual[0] if kid is None else kid},
    )


class Publisher:
    """Publishes keys; counts how often it is asked."""

    def __init__(self, *keys: dict[str, Any]) -> None:
        self.keys = list(keys) or [jwk(kid, key, use="sig") for kid, key in KEYS.values()]
        self.asked = 0
        self.down = False
        self.gate: asyncio.Event | None = None
        self.said: list[str] = []

    async def fetch(self) -> bytes:
        self.asked += 1
        if self.gate is not None:
            await self.gate.wait()
        if self.down:
            raise OSError("no route")
        return json.dumps({"keys": self.keys}).encode()

    def log(self, event: str, **fields: object) -> None:
        self.said.append(f"{event} {fields}")

    def auth(self, settings: AuthSettings = SETTINGS) -> Auth:
        return Auth(settings, issuer=Issuer(settings, log=self.log, fetch=self.fetch))


async def identify(auth: Auth, token: str, now_ms: int = NOW_MS) -> Identity | Code:
    """Let a request in as the server does."""
    headers = {"authorization": f"Bearer {token}"}
    answer = await auth.prepare(headers, now_ms=now_ms) or auth.identify(headers, now_ms=now_ms)
    return answer.code if isinstance(answer, Problem) else answer


@pytest.mark.parametrize("algorithm", KEYS)
async def test_a_token_of_the_issuer_is_a_person(algorithm: str) -> None:
    auth = Publisher().auth()
    assert await identify(auth, signed(algorithm)) == Identity(subject="ada")
    bound = signed(algorithm, sid="session-1", aud=["x", "duologue"])
    assert await identify(auth, bound) == Identity(subject="ada", session_id="session-1")


async def test_the_claim_for_the_session_can_be_another_or_none() -> None:
    token = signed(sid="a-login", talk="session-2")
    for claim, session in (("talk", "session-2"), ("", None)):
        settings = AuthSettings(issuer=NAME, jwks_url="https://id.example/keys", issuer_session_claim=claim)
        assert await identify(Publisher().auth(settings), token) == Identity(subject="ada", session_id=session)


@pytest.mark.parametrize(
    "token",
    [
        signed(iss="https://other.example"),
        signed(iss="duologue"),
        signed(iss=None),
        signed(aud="elsewhere"),
        signed(aud=None),
        signed(sub=None),
        signed(sub=""),
        signed(exp=None),
        signed(exp=NOW_S + 90_000),
        signed(nbf=NOW_S + 120),
        signed(iat=NOW_S + 120),
        signed(sid=7),
        signed(kid="unknown"),
        signed(key=new_rsa_key(65_537, 2_048)),
        # Another algorithm of the same key, and another key's.
        signed("RS512", kid="rsa"),
        signed("PS256", kid="rsa"),
        signed("ES256", kid="rsa"),
        signed("EdDSA", kid="ec"),
        jwt.encode({"sub": "ada"}, "", algorithm="none", headers={"kid": "rsa"}),
        signed()[:-8] + "AAAAAAAA",
    ],
)
async def test_any_other_token_is_refused(token: str) -> None:
    assert await identify(Publisher().auth(), token) == Code.AUTH_FAILED


async def test_a_token_without_a_key_id_is_refused() -> None:
    claims = {"iss": NAME, "aud": "duologue", "sub": "ada", "exp": NOW_S + 60}
    assert await identify(Publisher().auth(), jwt.encode(claims, RSA, "RS256")) == Code.AUTH_FAILED


async def test_the_issuers_public_key_is_no_secret_of_ours() -> None:
    """Source: RFC 8725, section 2.1: an HMAC made with a public key that everybody knows."""
    auth = Publisher().auth()
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for issuer in ("duologue", NAME):
        claims = {"iss": issuer, "aud": "duologue", "sub": "ada", "exp": NOW_S + 60}
        parts = ({"alg": "HS256", "kid": "rsa"}, claims)
        head = b".".join(urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
        mac = urlsafe_b64encode(hmac.digest(public, head, hashlib.sha256)).rstrip(b"=")
        assert await identify(auth, (head + b"." + mac).decode()) == Code.AUTH_FAILED


async def test_our_own_tokens_stay_good_beside_it_and_need_no_fetch() -> None:
    publisher = Publisher()
    auth = publisher.auth()
    token, _ = auth.mint("bob", None, NOW_MS)
    assert await identify(auth, token) == Identity(subject="bob")
    # Signed with our secret, a token cannot speak for the other issuer.
    forged = jwt.encode({"iss": NAME, "aud": "duologue", "sub": "x", "exp": NOW_S + 60}, SECRET, "HS256")
    assert await identify(auth, forged) == Code.AUTH_FAILED
    assert publisher.asked == 0


async def test_an_expired_token_is_called_so_only_if_it_is_the_issuers() -> None:
    auth = Publisher().auth()
    assert await identify(auth, signed(exp=NOW_S - 1)) == Code.AUTH_EXPIRED
    assert await identify(auth, signed(exp=NOW_S - 1, key=new_rsa_key(65_537, 2_048))) == Code.AUTH_FAILED


async def test_keys_are_fetched_once_and_again_for_a_new_key_but_not_for_every_invented_one() -> None:
    publisher = Publisher(jwk("rsa", RSA))
    auth = publisher.auth()
    for _ in range(5):
        assert isinstance(await identify(auth, signed()), Identity)
    assert publisher.asked == 1
    # The issuer rotates its key.
    publisher.keys = [jwk("ec", EC)]
    later = NOW_MS + issuers.RETRY_MS
    for _ in range(5):
        assert await identify(auth, signed("ES256"), later) == Identity(subject="ada")
    assert publisher.asked == 2
    assert await identify(auth, signed(), later) == Code.AUTH_FAILED
    for number in range(100):
        assert await identify(auth, signed(kid=f"invented-{number}"), later + number) == Code.AUTH_FAILED
    assert publisher.asked == 2
    assert await identify(auth, signed(kid="invented"), later + issuers.RETRY_MS) == Code.AUTH_FAILED
    assert publisher.asked == 3


async def test_a_key_that_was_called_back_is_soon_refused() -> None:
    publisher = Publisher(jwk("rsa", RSA), jwk("ec", EC))
    auth = publisher.auth()
    long = signed(exp=NOW_S + 3_600)
    assert isinstance(await identify(auth, long), Identity)
    publisher.keys = [jwk("ec", EC)]
    assert isinstance(await identify(auth, long, NOW_MS + issuers.FRESH_MS - 1), Identity)
    assert await identify(auth, long, NOW_MS + issuers.FRESH_MS) == Code.AUTH_FAILED


async def test_while_the_issuer_is_down_known_keys_are_good_for_a_day() -> None:
    publisher = Publisher()
    publisher.down = True
    auth = publisher.auth()
    assert await identify(auth, signed()) == Code.AUTH_UNAVAILABLE
    assert publisher.said == ["jwks_failed {'error': 'OSError'}"]
    publisher.down = False
    assert await identify(auth, signed(), NOW_MS + 1) == Code.AUTH_UNAVAILABLE
    assert isinstance(await identify(auth, signed(), NOW_MS + issuers.RETRY_MS), Identity)
    publisher.down = True
    for hours, expected in ((1, True), (23, True), (25, False)):
        now_ms = NOW_MS + hours * 3_600_000
        answer = await identify(auth, signed(exp=NOW_S + hours * 3_600 + 60), now_ms)
        assert isinstance(answer, Identity) is expected
        assert expected or answer == Code.AUTH_UNAVAILABLE


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"keys": []}', b'{"keys": [{"kty": "oct", "kid": "x"}]}', b"\xff"]
)
async def test_what_is_no_set_of_keys_takes_no_place_of_one(body: bytes) -> None:
    said: list[str] = []

    async def fetch() -> bytes:
        return body

    auth = Auth(SETTINGS, issuer=Issuer(SETTINGS, log=lambda event, **_: said.append(event), fetch=fetch))
    assert await identify(auth, signed()) == Code.AUTH_UNAVAILABLE
    assert said == ["jwks_failed"]


async def test_requests_at_once_cause_one_fetch_and_wait_for_it_only_where_they_must() -> None:
    publisher = Publisher(jwk("rsa", RSA))
    auth = publisher.auth()
    publisher.gate = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        first = [group.create_task(identify(auth, signed())) for _ in range(20)]
        await asyncio.sleep(0)
        publisher.gate.set()
    assert [task.result() for task in first] == [Identity(subject="ada")] * 20
    assert publisher.asked == 1
    # Later, one request refreshes; the others are served with what is known.
    publisher.gate = asyncio.Event()
    later, token = NOW_MS + issuers.FRESH_MS, signed(exp=NOW_S + 3_600)
    async with asyncio.TaskGroup() as group:
        slow = group.create_task(identify(auth, token, later))
        await asyncio.sleep(0)
        assert await identify(auth, token, later) == Identity(subject="ada")
        assert not slow.done()
        publisher.gate.set()
    assert publisher.asked == 2


def test_only_public_keys_for_signatures_of_known_kinds_are_read() -> None:
    private = jwt.get_algorithm_by_name("RS256").to_jwk(RSA, as_dict=True)
    odd = [
        jwk("enc", RSA, use="enc"),
        jwk("ops", RSA, key_ops=["sign"]),
        jwk("other", RSA, alg="RS512"),
        jwk("none", RSA, alg="none"),
        jwk("short", new_rsa_key(65_537, 1_024)),
        {**private, "kid": "private"},
        {"kty": "oct", "kid": "shared", "k": "c2VjcmV0"},
        {"kty": "EC", "crv": "P-384", "kid": "curve", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-256", "kid": "point", "x": "AA", "y": "AA"},
        {"kty": "RSA", "kid": "empty"},
        {"kid": 7},
        "text",
        jwk("", RSA),
    ]
    good = [jwk("ok", RSA, alg="RS256", key_ops=["verify"]), jwk("fine", ED)]
    assert set(read_keys(json.dumps({"keys": odd + good}).encode())) == {"ok", "fine"}
