"""How the servers are called, and what is made of their refusals."""

from collections.abc import Mapping
from typing import Final

import httpx2
import msgspec

from duologue.model import limits
from duologue.model.errors import SpeechError

_RETRYABLE: Final = frozenset({408, 409, 425, 429})
"""Refusals that pass; so does each from 500 on."""

_REFUSAL_BYTES: Final = 4_096
"""How much of a refusal is read."""


class _Error(msgspec.Struct):
    code: str | int | None = None
    type: str | None = None


class _Refusal(msgspec.Struct):
    error: _Error


def make_client(base_url: str, api_key: str) -> httpx2.AsyncClient:
    """A client of one server; redirects are not followed, so that the key goes nowhere else."""
    headers: Mapping[str, str] = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    timeout = httpx2.Timeout(limits.SPEAK_SILENCE_MS / 1000, connect=limits.SPEECH_CONNECT_MS / 1000)
    return httpx2.AsyncClient(base_url=base_url.rstrip("/"), headers=headers, timeout=timeout)


async def refuse(response: httpx2.Response) -> None:
    """Check the status of a response.

    Raises:
        SpeechError: it is no success; the message has the status and the server's own code, and no text of its.
    """
    if response.is_success:
        return
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) >= _REFUSAL_BYTES:
            break
    code = _code(body[:_REFUSAL_BYTES])
    status = response.status_code
    raise SpeechError(f"the server for speech answered {status}{code}", retryable=status in _RETRYABLE or status >= 500)


def _code(body: bytes) -> str:
    """The server's own word for what is wrong, in brackets."""
    try:
        error = msgspec.json.decode(body, type=_Refusal).error
    except msgspec.MsgspecError:
        return ""
    word = str(error.code or error.type or "")
    return f" ({word})" if word.replace("_", "").isalnum() and len(word) <= 64 else ""


def unreachable(error: httpx2.HTTPError) -> SpeechError:
    """Say that the connection failed; without the address, which may hold a secret."""
    return SpeechError(f"the server for speech was not reached: {type(error).__name__}")
