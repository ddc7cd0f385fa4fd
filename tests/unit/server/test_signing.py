from duologue.model import limits
from duologue.server.signing import fault_of, sign

SECRET = "the secret of both sides"
NOW_MS = 1_700_000_000_500


def fault(signature: str, *, approval_id: str = "a", body: bytes = b"{}", now_ms: int = NOW_MS) -> str | None:
    return fault_of(signature, secret=SECRET, approval_id=approval_id, body=body, now_ms=now_ms)


def test_a_signature_is_good_for_one_message_about_one_approval_and_for_minutes() -> None:
    good = sign(SECRET, "a", b"{}", now_ms=NOW_MS)
    assert fault(good) is None
    assert fault(good, approval_id="b") is not None
    assert fault(good, body=b"{ }") is not None
    assert fault(good, now_ms=NOW_MS + limits.CALLBACK_SKEW_MS - 1_000) is None
    assert fault(good, now_ms=NOW_MS + limits.CALLBACK_SKEW_MS + 1_000) is not None
    assert fault(good, now_ms=NOW_MS - limits.CALLBACK_SKEW_MS - 1_000) is not None
    assert fault(sign("another secret here", "a", b"{}", now_ms=NOW_MS)) is not None


def test_what_is_no_signature_is_told_how_one_looks() -> None:
    for text in ("", "v1=00", "t=1,v1=" + "g" * 64, "t=-1,v1=" + "0" * 64, "t=1700000000,v1=" + "0" * 63):
        assert "has to be t=" in (fault(text) or "")


def test_the_time_is_signed_too() -> None:
    second, _, proof = sign(SECRET, "a", b"{}", now_ms=NOW_MS).partition(",")
    later = f"t={int(second.removeprefix('t=')) + 1},{proof}"
    assert fault(later) == "the signature is not good"
