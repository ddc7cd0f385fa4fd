"""What is signed between this server and whoever decides about calls elsewhere."""

import hashlib
import hmac
import re
from typing import Final

from duologue.model import limits

HEADER: Final = "Duologue-Signature"

_SHAPE: Final = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")


def sign(secret: str, approval_id: str, body: bytes, *, now_ms: int) -> str:
    """Make the signature of a message about an approval, which is good for no other and for a few minutes.

    Source: HMAC-SHA256 (RFC 2104) of the time in seconds, the approval's id and the body, with dots between them.
    """
    second = now_ms // 1000
    return f"t={second},v1={_digest(secret, second, approval_id, body)}"


def fault_of(signature: str, *, secret: str, approval_id: str, body: bytes, now_ms: int) -> str | None:
    """Say what is wrong with a signature; `None` where it is good.

    How long it takes says nothing of what would have been right.
    """
    found = _SHAPE.fullmatch(signature)
    if found is None:
        return f"the header {HEADER} has to be t=<seconds since 1970>,v1=<64 hex digits>"
    second = int(found[1])
    if not hmac.compare_digest(_digest(secret, second, approval_id, body), found[2]):
        return "the signature is not good"
    if abs(now_ms - second * 1000) > limits.CALLBACK_SKEW_MS:
        return f"the signature's time is more than {limits.CALLBACK_SKEW_MS // 1000} s away; sign again"
    return None


def _digest(secret: str, second: int, approval_id: str, body: bytes) -> str:
    message = f"{second}.{approval_id}.".encode() + body
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()
