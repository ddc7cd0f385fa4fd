"""What can go wrong with an agent elsewhere, told without what it said of itself."""

import re
from http import HTTPStatus
from typing import Final

_PLAIN: Final = re.compile(r"[\w.+/-]{1,64}")


class AguiTrouble(Exception):
    """The agent did not answer, or not as the protocol says.

    Attributes:
        kind: stable, for programs and logs.
        message: for people; nothing of the agent's own words.
        retryable: whether the same turn may succeed later.
    """

    def __init__(self, kind: str, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.kind, self.message, self.retryable = kind, message, retryable


def broken(what: str) -> AguiTrouble:
    """The agent breaks the protocol."""
    return AguiTrouble("protocol", f"the agent broke the AG-UI protocol: {what}", retryable=False)


def plain(text: str) -> str:
    """A word of the agent's that may be shown: a code or a media type; anything else is not."""
    return text if _PLAIN.fullmatch(text) else "…"


def refused(status: int) -> AguiTrouble:
    """The agent answered with another status than 200."""
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            kind, message, retryable = "not_allowed", "the agent does not accept our credentials", False
        case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED | HTTPStatus.GONE:
            kind, message, retryable = "not_found", "there is no agent at the address", False
        case HTTPStatus.TOO_MANY_REQUESTS:
            kind, message, retryable = "rate_limited", "the agent is asked too often at present", True
        case _ if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            kind, message, retryable = "agent_failed", "the agent failed", True
        case _ if status < HTTPStatus.BAD_REQUEST:
            kind, message, retryable = "redirected", "the agent sends us elsewhere, where we do not follow", False
        case _:
            kind, message, retryable = "rejected", "the agent refused the request", False
    return AguiTrouble(kind, f"{message} (HTTP {status})", retryable=retryable)
