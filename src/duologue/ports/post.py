"""The port through which Duologue sends a notice to somebody's address."""

from collections.abc import Mapping
from typing import Protocol

from duologue.model.base import Value


class Letter(Value, kw_only=True):
    """One attempt. `headers` are ASCII, and say all but the length."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class Answered(Value, kw_only=True):
    """What came of an attempt.

    Attributes:
        error: why it failed, in words of ours and without any of the receiver's; empty where it has the letter.
        wait_ms: how long the receiver asks to be left alone; 0 where it does not.
    """

    error: str = ""
    wait_ms: int = 0


class Post(Protocol):
    """Sends letters."""

    async def send(self, letter: Letter) -> Answered:
        """Send a letter once. Whatever goes wrong is an answer, within a bounded time; a redirect is a failure.

        Cancellation: the receiver may have it or not.
        """
        ...

    async def close(self) -> None:
        """Let go of connections. Harmless when called again."""
        ...
