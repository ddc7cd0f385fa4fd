"""Which pages are let in."""

import pytest

from duologue.model.errors import Code
from duologue.server.origins import allowed, check_origin
from duologue.server.settings import ServerSettings

OPEN = allowed(
    ServerSettings(
        host="0.0.0.0",
        public_url="https://chat.example.com/talk",
        allowed_origins=("https://www.example.com", "capacitor://localhost"),
    )
)
LOOPBACK = allowed(ServerSettings())
PROXIED = allowed(ServerSettings(public_url="https://chat.example.com"))


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        (None, "chat.example.com"),
        (None, None),
        ("https://chat.example.com", "10.0.0.7:8420"),
        ("https://WWW.example.com", "chat.example.com"),
        ("capacitor://localhost", "chat.example.com"),
        ("http://10.0.0.7:8420", "10.0.0.7:8420"),
        ("https://other.example", "other.example:443"),
        ("http://[fd00::1]:8420", "[fd00::1]:8420"),
    ],
)
def test_own_and_allowed_pages_are_let_in(origin: str | None, host: str | None) -> None:
    assert check_origin(origin, host, OPEN) is None


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://evil.example", "chat.example.com"),
        ("http://www.example.com", "chat.example.com"),
        ("https://www.example.com.evil.example", "chat.example.com"),
        ("http://10.0.0.7:9999", "10.0.0.7:8420"),
        ("null", "chat.example.com"),
        ("null", "null"),
        ("", ""),
        ("https://chat.example.com@evil.example", "chat.example.com"),
        ("http://x:99999999", "x:99999999"),
        ("https://evil.example", None),
    ],
)
def test_strangers_are_refused(origin: str, host: str | None) -> None:
    problem = check_origin(origin, host, OPEN)
    assert problem is not None
    assert problem.code == Code.ORIGIN_REFUSED
    assert "server.allowed_origins" in problem.message


@pytest.mark.parametrize("host", ["127.0.0.1:8420", "localhost:8420", "[::1]:8420", "LOCALHOST", None])
def test_on_loopback_the_names_of_this_machine_are_answered(host: str | None) -> None:
    assert check_origin(None, host, LOOPBACK) is None
    if host is not None:
        assert check_origin(f"http://{host}", host, LOOPBACK) is None


@pytest.mark.parametrize("host", ["evil.example:8420", "chat.example.com", "", "x@127.0.0.1", "127.0.0.1.evil.example"])
def test_on_loopback_a_name_that_a_stranger_pointed_here_is_refused(host: str) -> None:
    for origin in (None, f"http://{host}"):
        problem = check_origin(origin, host, LOOPBACK)
        assert problem is not None
        assert "server.public_url" in problem.message


def test_on_loopback_behind_a_proxy_the_public_name_is_answered() -> None:
    assert check_origin("https://chat.example.com", "chat.example.com", PROXIED) is None
    assert check_origin(None, "other.example", PROXIED) is not None
