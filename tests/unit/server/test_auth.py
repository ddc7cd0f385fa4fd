"""Who is asking: keys, tokens, and this machine."""

import hashlib
from datetime import UTC, datetime, timedelta

import jwt
import pytest

from duologue.model.errors import Code, Problem, Refused, SettingsError
from duologue.server.api_keys import new_key
from duologue.server.auth import ALL_SCOPES, Auth, Identity, check_bind, is_loopback
from duologue.server.settings_auth import ApiKey, AuthSettings

NOW_MS = 1_800_000_000_500
NOW_S = NOW_MS // 1000
KEY = "key-of-a-backend-01"
DIGEST = f"sha256:{hashlib.sha256(KEY.encode()).hexdigest()}"
SECRET = "s" * 32

LOCAL = Auth(AuthSettings())
GUARDED = Auth(AuthSettings(api_keys=(KEY, "another-key-of-20-ch"), secret=SECRET))


def bearer(credential: str, **more: str) -> dict[str, str]:
    """Give the headers that carry a credential."""
    return {"authorization": f"Bearer {credential}", **more}


def backend(subject: str, name: str = "key-1") -> Identity:
    """Give a backend that may do everything."""
    return Identity(subject=subject, is_backend=True, granted=None, scopes=ALL_SCOPES, name=name)


def signed(secret: str = SECRET, algorithm: str = "HS256", **claims: object) -> str:
    """Sign a token as a customer's backend would."""
    given = {"iss": "duologue", "aud": "duologue", "sub": "ada", "exp": NOW_S + 60, **claims}
    return jwt.encode({name: value for name, value in given.items() if value is not None}, secret, algorithm)


def code(answer: Identity | Problem) -> Code | None:
    """Give the code of a refusal."""
    return answer.code if isinstance(answer, Problem) else None


def test_on_this_machine_nobody_needs_a_credential() -> None:
    assert LOCAL.identify({}, now_ms=NOW_MS) == Identity(
        subject="local", is_backend=True, granted=None, scopes=ALL_SCOPES
    )


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
    assert GUARDED.identify(bearer(KEY), now_ms=NOW_MS) == backend("backend")
    named = bearer(KEY, **{"duologue-subject": "ada"})
    assert GUARDED.identify(named, now_ms=NOW_MS) == backend("ada")


def test_an_api_key_may_be_configured_by_its_hash() -> None:
    auth = Auth(AuthSettings(api_keys=(f"sha256:{hashlib.sha256(KEY.encode()).hexdigest().upper()}",)))
    assert auth.identify(bearer(KEY), now_ms=NOW_MS) == backend("backend")
    assert code(auth.identify(bearer(KEY + "x"), now_ms=NOW_MS)) == Code.AUTH_FAILED
    assert code(auth.identify(bearer(hashlib.sha256(KEY.encode()).hexdigest()), now_ms=NOW_MS)) == Code.AUTH_FAILED


def test_a_key_has_a_name_and_may_do_what_it_says() -> None:
    reader = ApiKey(name="reports", hash=DIGEST, scopes=("sessions:read", "metrics:read"))
    identity = Auth(AuthSettings(api_keys=(reader,))).identify(bearer(KEY), now_ms=NOW_MS)
    assert isinstance(identity, Identity)
    assert (identity.name, identity.is_backend) == ("reports", True)
    identity.check("sessions:read")
    for scope in ("sessions:write", "sessions:delete", "tokens:mint", "admin"):
        with pytest.raises(Refused) as refused:
            identity.check(scope)
        assert refused.value.problem.code == Code.FORBIDDEN
        assert scope in refused.value.problem.message


def test_admin_is_everything() -> None:
    auth = Auth(AuthSettings(api_keys=(ApiKey(name="ops", hash=DIGEST, scopes=("admin",)),)))
    assert auth.identify(bearer(KEY), now_ms=NOW_MS) == backend("backend", "ops")


def test_keys_are_rotated_by_their_times() -> None:
    now = datetime.fromtimestamp(NOW_S, UTC)
    old = ApiKey(name="old", hash=DIGEST, expires=now + timedelta(seconds=10))
    new = ApiKey(name="new", hash=DIGEST, not_before=now + timedelta(seconds=5))
    auth = Auth(AuthSettings(api_keys=(old, new)))
    names = [auth.identify(bearer(KEY), now_ms=(NOW_S + after) * 1000) for after in (0, 9, 10)]
    assert names == [backend("backend", "old"), backend("backend", "old"), backend("backend", "new")]
    for keys, said in (((old,), "no longer valid"), ((new,), "not yet valid")):
        answer = Auth(AuthSettings(api_keys=keys)).identify(
            bearer(KEY), now_ms=(NOW_S + (20 if old in keys else 0)) * 1000
        )
        assert code(answer) == Code.AUTH_FAILED
        assert isinstance(answer, Problem)
        assert said in answer.message


def test_a_new_key_is_good_for_its_own_hash_and_no_two_are_alike() -> None:
    key, digest = new_key()
    assert key.startswith("duo_")
    assert len({new_key()[0] for _ in range(100)} | {key}) == 101
    auth = Auth(AuthSettings(api_keys=(ApiKey(name="web", hash=digest),)))
    assert auth.identify(bearer(key), now_ms=NOW_MS) == backend("backend", "web")
    assert key not in repr(auth)


def test_a_person_may_use_their_sessions_and_nothing_else() -> None:
    token, _ = GUARDED.mint("ada", None, NOW_MS)
    person = GUARDED.identify(bearer(token), now_ms=NOW_MS)
    assert isinstance(person, Identity)
    for scope in ("sessions:read", "sessions:write", "sessions:delete"):
        person.check(scope)
    for scope in ("tokens:mint", "metrics:read", "admin"):
        with pytest.raises(Refused):
            person.check(scope)


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
        signed(iss="elsewhere"),
        signed(iss=None),
        signed(iat=NOW_S + 3_600),
        signed(exp=NOW_S + 90_000),
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


def test_a_token_of_the_staffs_says_so_in_its_scope_and_gets_nothing_else_by_that() -> None:
    own = frozenset({"sessions:read", "sessions:write", "sessions:delete"})
    token, _ = GUARDED.mint("mia", None, NOW_MS, scopes=frozenset({"operate"}))
    assert GUARDED.identify(bearer(token), now_ms=NOW_MS) == Identity(subject="mia", scopes=own | {"operate"})
    for scope, more in (
        ("operate", {"operate"}),
        ("openid supervise", {"operate", "approvals:decide", "supervise"}),
        ("admin tokens:mint operated", set[str]()),
        ("duologue:operate", set[str]()),
    ):
        identity = GUARDED.identify(bearer(signed(scope=scope)), now_ms=NOW_MS)
        assert isinstance(identity, Identity)
        assert identity.scopes == own | more
    assert code(GUARDED.identify(bearer(signed(scope=["operate"])), now_ms=NOW_MS)) == Code.AUTH_FAILED


def test_a_key_of_a_supervisor_may_operate_too() -> None:
    auth = Auth(AuthSettings(api_keys=(ApiKey(name="sam", hash=DIGEST, scopes=("supervise",)),)))
    identity = auth.identify(bearer(KEY), now_ms=NOW_MS)
    assert isinstance(identity, Identity)
    assert identity.scopes == {"operate", "approvals:decide", "supervise"}
