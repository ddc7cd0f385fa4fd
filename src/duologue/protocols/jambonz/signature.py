"""The signature of a webhook. Source: what jambonz's SDKs check (`@jambonz/sdk` 0.10, `jambonz-python-sdk` 0.4)."""

import hashlib
import hmac


def sign(body: bytes, *, secret: str, now_ms: int) -> str:
    """Make the header `Jambonz-Signature`: a time, and HMAC-SHA256 over that time and the body.

    The SDKs take a time that is at most five minutes away; so each attempt is signed anew.

    Args:
        body: JSON, as it is sent. The Node SDK checks what `JSON.stringify` makes of the parsed body: compact, with
            members in this order and characters unescaped, as msgspec writes it.
        secret: shared with the receiver.
        now_ms: ms since 1970.
    """
    at_s = now_ms // 1000
    mac = hmac.new(secret.encode(), b"%d.%b" % (at_s, body), hashlib.sha256)
    return f"t={at_s},v1={mac.hexdigest()}"
