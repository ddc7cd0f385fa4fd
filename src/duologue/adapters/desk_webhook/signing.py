"""Signatures of what a desk is told and of what it calls: who says it, when, and that it is taken once.

A time, and HMAC-SHA256 over that time and the body: `t=1796047200,v1=<hex>`, as webhooks are commonly signed.
"""

import hashlib
import hmac
import re
from collections import OrderedDict
from typing import Final

from duologue.model import limits
from duologue.model.errors import Code, Problem

HEADER: Final = "Duologue-Signature"

_FORM: Final = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")


def sign(body: bytes, *, secret: str, now_ms: int) -> str:
    """Sign a body at a time in ms since 1970."""
    at_s = now_ms // 1000
    return f"t={at_s},v1={_mac(body, secret=secret, at_s=at_s)}"


def _mac(body: bytes, *, secret: str, at_s: int) -> str:
    return hmac.new(secret.encode(), b"%d.%b" % (at_s, body), hashlib.sha256).hexdigest()


class Calls:
    """Checks signed calls, and takes each once. Belongs to the event loop's thread.

    A call is good for `limits.DESK_CALL_MS` around its time, and its id is remembered for twice that. What was signed
    before this server started may have been taken by the one before it: it has to be signed again.

    Args:
        secret: shared with the desk.
        started_ms: when this server started, ms since 1970.
    """

    def __init__(self, secret: str, *, started_ms: int) -> None:
        self._secret, self._started_s = secret, started_ms // 1000
        self._taken: OrderedDict[str, int] = OrderedDict()
        self._doing: set[str] = set()

    def objection(self, body: bytes, signature: str, *, now_ms: int) -> Problem | None:
        """What is wrong with a call's signature; the comparison takes the same time for all that are of its form."""
        found = _FORM.fullmatch(signature)
        if found is None:
            message = f"the header {HEADER} has to be like t=<seconds>,v1=<64 hex digits>"
            return Problem(code=Code.AUTH_REQUIRED, message=message)
        at_s = int(found[1])
        if not hmac.compare_digest(found[2], _mac(body, secret=self._secret, at_s=at_s)):
            return Problem(code=Code.AUTH_FAILED, message="the signature is not of this body and the shared secret")
        if abs(now_ms - at_s * 1000) > limits.DESK_CALL_MS:
            minutes = limits.DESK_CALL_MS // 60_000
            message = f"it was signed more than {minutes} minutes from now; sign it again"
            return Problem(code=Code.AUTH_EXPIRED, message=message)
        if at_s < self._started_s:
            return Problem(code=Code.AUTH_EXPIRED, message="it was signed before this server started; sign it again")
        return None

    def take(self, call_id: str, *, now_ms: int) -> bool | Problem:
        """Take a call by its id; whoever did it, or could not, says so by `done` or `give_back`.

        Returns:
            False where it was done before. A problem where it is being done, since it may yet fail, and where too many
            are remembered.
        """
        while self._taken and next(iter(self._taken.values())) <= now_ms:
            self._taken.popitem(last=False)
        if call_id in self._doing:
            message = "a call of this id is being done just now; make it again in a moment"
            return Problem(code=Code.BUSY, message=message)
        if call_id in self._taken:
            return False
        if len(self._taken) >= limits.DESK_CALLS:
            return Problem(code=Code.RATE_LIMITED, message="too many calls", retry_after_ms=limits.DESK_CALL_MS)
        self._taken[call_id] = now_ms + 2 * limits.DESK_CALL_MS
        self._doing.add(call_id)
        return True

    def done(self, call_id: str) -> None:
        """Note that a call was done, and will not be again."""
        self._doing.discard(call_id)

    def give_back(self, call_id: str) -> None:
        """Forget a call that could not be done: it may be made again."""
        self._taken.pop(call_id, None)
        self._doing.discard(call_id)
