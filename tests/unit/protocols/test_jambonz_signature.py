"""The signature, as jambonz's own Python SDK checks it."""

import hashlib
import hmac
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jambonz_sdk.webhook import verify_signature_middleware

from duologue.protocols.jambonz.signature import sign

pytestmark = pytest.mark.counterpart("jambonz-python-sdk")

SECRET = "a secret of both"
TOLERANCE_S = 300


def now_ms() -> int:
    return int(time.time() * 1000)


@given(st.binary(max_size=200), st.text(min_size=1, max_size=40))
def test_the_sdk_takes_it(body: bytes, secret: str) -> None:
    assert verify_signature_middleware(body, sign(body, secret=secret, now_ms=now_ms()), secret)


@pytest.mark.parametrize(
    ("body", "secret", "late_s"),
    [(b"other", SECRET, 0), (b"body", "another secret", 0), (b"body", SECRET, TOLERANCE_S + 5)],
    ids=["body", "secret", "time"],
)
def test_the_sdk_refuses_what_was_changed(body: bytes, secret: str, late_s: int) -> None:
    header = sign(b"body", secret=secret, now_ms=now_ms() - late_s * 1000)
    with pytest.raises(ValueError, match="ignature"):
        verify_signature_middleware(body, header, SECRET)


def test_it_is_made_as_documented() -> None:
    mac = hmac.new(b"secret", b'1700000000.{"a":1}', hashlib.sha256).hexdigest()
    assert sign(b'{"a":1}', secret="secret", now_ms=1_700_000_000_999) == f"t=1700000000,v1={mac}"
