"""Who is asking: keys, tokens, and this machine."""

import hashlib

import jwt
import pytest

from duologue.model.errors import Code, Problem, SettingsError
from duologue.server.auth import Auth, Identity, check_bind, is_loopback, offered_protocols
from duologue.server.settings import AuthSettings

NOW_MS = 1_800_000_000_500
NOW_S = NOW_MS // 1000
KEY = "key-of-a-backend-01"
SECRET = "s" * 32

LOCAL = Auth(AuthSettings())
GUARDED = Auth(AuthSettings(api_keys=(KEY, "another-key-of-20-ch"), secret=SECRET))


def bearer(credential: str, **more: str) -> dict[str, str]:
    """Give the headers that carry a credential."""
    return {"authorization": f"Bearer {credential}", **more}


def signed(secret: str = SECRET, algorithm: str = "HS256", **claims: object) -> str:
    """Sign a token as a customer's backend would."""
    given = {"aud": "duologue", "sub": "ada", "exp": NOW_S + 60, **claims}
    return jwt.encode({name: value for name, value in given.items() if value is not None}, secret, algorithm)


def code(answer: Identity | Problem) -> Code | None:
    """Give the code of a refusal."""
    return answer.code if isinstance(answer, Problem) else None


def test_on_this_machine_nobody_needs_a_credential() -> None:
    assert LOCAL.identify({}, now_ms=NOW_MS) == Identity(subject="local", is_backend=True)


def test_a_token_works_on_this_machine_and_a_bad_one_is_refused_even_there() -> None:
    token, _ = LOCAL.mint("ada", None, NOW_MS)
    assert LOCAL.identify(bearer(token), now_ms=NOW_MS) == Identity(subject="ada")
    assert code(LOCAL.identify(bearer(signed()), now_ms=NOW_MS)) == Code.AUTH_FAILED
    assert code(Auth(AuthSettings()).identify(bearer(token), now_ms=NOW_MS)) == Code.AUTH_FAILED


def test_with_auth_a_credential_is_required() -> None:
    answer = GUARDED.identify({}, now_ms=NOW_MS)
    assert isinstance(answer, Problem)
    assert answer.code == Code.AUTH_REQUIRED
    assert "POST /chat/token" in answer.message


@pytest.mark.parametrize("settings", [AuthSettings(api_keys=(KEY,)), AuthSettings(secret=SECRET)])
def test_a_key_or_a_secret_alone_is_auth(settings: AuthSettings) -> None:
    assert code(Auth(settings).identify({}, now_ms=NOW_MS)) == Code.AUTH_REQUIRED


def test_an_api_key_is_a_backend_that_may_act_for_a_person() -> None:
    assert GUARDED.identify(bearer(KEY), now_ms=NOW_MS) == Identity(subject="backend", is_backend=True)
    named = bearer(KEY, **{"duologue-subject": "ada"})
    assert GUARDED.identify(named, now_ms=NOW_MS) == Identity(subject="ada", is_backend=True)


def test_an_api_key_may_be_configured_by_its_hash() -> None:
    auth = Auth(AuthSettings(api_keys=(f"sha256:{hashlib.sha256(KEY.encode()).hexdigest().upper()}",)))
    assert auth.identify(bearer(KEY), now_ms=NOW_MS) == Identity(subject="backend", is_backend=True)
    assert code(auth.identify(bearer(KEY + "x"), now_ms=NOW_MS)) == Code.AUTH_FAILED
    assert code(auth.identify(bearer(hashlib.sha256(KEY.encode()).hexdigest()), now_ms=NOW_MS)) == Code.AUTH_FAILED


@pytest.mark.parametrize("subject", ["", " ada", "a\tb", "x" * 257])
def test_a_subject_that_cannot_be_one_is_refused(subject: str) -> None:
    headers = bearer(KEY, **{"duologue-subject": subject})
    assert code(GUARDED.identify(headers, now_ms=NOW_MS)) == Code.BAD_MESSAGE
    with pytest.raises(ValueError, match="not a subject"):
        GUARDED.mint(subject, None, NOW_MS)


def test_a_person_may_not_name_another() -> None:
    token, _ = GUARDED.mint("ada", None, NOW_MS)
    other = bearer(token, **{"duologue-subject": "bob"})
    assert code(GUARDED.identify(other, now_ms=NOW_MS)) == Code.FORBIDDEN
    own = bearer(token, **{"duologue-subject": "ada"})
    assert GUARDED.identify(own, now_ms=NOW_MS) == Identity(subject="ada")


def test_a_minted_token_holds_until_it_says_and_no_longer() -> None:
    token, expires_at_ms = GUARDED.mint("ada", "session-1", NOW_MS)
    assert expires_at_ms == (NOW_S + 900) * 1000
    held = GUARDED.identify(bearer(token), now_ms=expires_at_ms - 1)
    assert held == Identity(subject="ada", session_id="session-1")
    assert code(GUARDED.identify(bearer(token), now_ms=expires_at_ms)) == Code.AUTH_EXPIRED


def test_a_token_of_another_signer_with_our_secret_is_good() -> None:
    assert GUARDED.identify(bearer(signed(role="vip", iat=NOW_S)), now_ms=NOW_MS) == Identity(subject="ada")
    audiences = signed(aud=["other", "duologue"])
    assert GUARDED.identify(bearer(audiences), now_ms=NOW_MS) == Identity(subject="ada")


@pytest.mark.parametrize(
    "token",
    [
        signed(secret="t" * 32),
        signed(algorithm="HS512", secret="s" * 64),
        signed(aud="elsewhere"),
        signed(aud=None),
        signed(sub=None),
        signed(sub=""),
        signed(exp=None),
        signed(exp=True),
        signed(nbf=NOW_S + 3_600),
        signed(sid=""),
        signed(sid="x" * 129),
        signed(sid=7),
        jwt.encode({"aud": "duologue", "sub": "ada", "exp": NOW_S + 60}, "", algorithm="none"),
        signed() + "x",
        "not-a-token",
        "two words",
        "",
        "x" * 5_000,
    ],
)
def test_any_other_token_is_refused(token: str) -> None:
    assert code(GUARDED.identify(bearer(token), now_ms=NOW_MS)) == Code.AUTH_FAILED


def test_a_forged_token_that_has_also_expired_is_not_called_expired() -> None:
    forged = signed(secret="t" * 32, exp=NOW_S - 60)
    assert code(GUARDED.identify(bearer(forged), now_ms=NOW_MS)) == Code.AUTH_FAILED


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", f"Token {KEY}"])
def test_another_scheme_is_refused_and_bearer_is_read_in_any_case(header: str) -> None:
    assert code(GUARDED.identify({"authorization": header}, now_ms=NOW_MS)) == Code.AUTH_FAILED
    assert code(GUARDED.identify({"authorization": f"bEARER {KEY}"}, now_ms=NOW_MS)) is None


def test_a_websocket_carries_its_token_as_a_subprotocol() -> None:
    token, _ = GUARDED.mint("ada", None, NOW_MS)
    headers = {"sec-websocket-protocol": f"duologue, bearer.{token}"}
    assert GUARDED.identify(headers, now_ms=NOW_MS) == Identity(subject="ada")
    assert offered_protocols(headers) == ("duologue",)
    assert offered_protocols({}) == ()
    assert code(GUARDED.identify({"sec-websocket-protocol": "duologue"}, now_ms=NOW_MS)) == Code.AUTH_REQUIRED


def test_no_way_of_printing_shows_a_secret() -> None:
    token, _ = GUARDED.mint("ada", None, NOW_MS)
    for headers in (bearer("wrong-" + token), bearer("wrong-" + KEY)):
        answer = GUARDED.identify(headers, now_ms=NOW_MS)
        assert KEY not in repr(answer)
        assert token not in repr(answer)
    assert SECRET not in repr(GUARDED)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "LOCALHOST.", "::ffff:127.0.0.1"]
)
def test_this_machine_may_be_bound_without_auth(host: str) -> None:
    assert is_loopback(host)
    check_bind(host, LOCAL)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.0.1", "example.com", "localhost.example.com"])
def test_any_other_address_needs_auth(host: str) -> None:
    with pytest.raises(SettingsError, match=r"auth\.api_keys"):
        check_bind(host, LOCAL)
    check_bind(host, GUARDED)


@pytest.mark.parametrize("url", ["https://talk.example.com", "http://192.168.0.1:8420"])
def test_a_public_address_needs_auth_even_where_a_proxy_stands_before_a_loopback_one(url: str) -> None:
    with pytest.raises(SettingsError, match=r"server\.public_url.*auth\.api_keys"):
        check_bind("127.0.0.1", LOCAL, public_url=url)
    check_bind("127.0.0.1", GUARDED, public_url=url)


@pytest.mark.parametrize("url", ["", "http://localhost:9000", "http://127.0.0.1:8420"])
def test_a_public_address_of_this_machine_needs_none(url: str) -> None:
    check_bind("127.0.0.1", LOCAL, public_url=url)
