"""Which addresses webhooks may have."""

import pytest

from duologue.server.webhook_address import fault_of


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com:8443/hook?token=1",
        "https://10.0.0.7/hook",
        "http://127.0.0.1:9000/hook",
        "http://localhost/hook",
        "http://[::1]:9000/hook",
    ],
)
def test_fine(url: str) -> None:
    assert fault_of(url, allow_http=False) is None


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://example.com/hook", "in the clear"),
        ("http://127.0.0.1.example.com/", "in the clear"),
        ("http://10.0.0.7/", "in the clear"),
        ("ftp://example.com/", "has to be like"),
        ("file:///etc/passwd", "has to be like"),
        ("//example.com", "has to be like"),
        ("https://", "has to be like"),
        ("https://example.com:0/", "has to be like"),
        ("", "has to be like"),
        ("https://[::1", "is no address"),
        ("https://example.com:99999/", "is no address"),
        ("https://user:pass@example.com/", "no name"),
        ("https://@example.com/", "no name"),
        ("https://example.com/#x", "no name"),
        ("https://exämple.com/", "visible ASCII"),
        ("https://example.com/a b", "visible ASCII"),
        ("https://example.com/\r\nX: 1", "visible ASCII"),
    ],
)
def test_refused(url: str, why: str) -> None:
    assert why in (fault_of(url, allow_http=False) or "")


def test_plain_http_can_be_allowed() -> None:
    assert fault_of("http://example.com/hook", allow_http=True) is None
