"""What can go wrong with a model, told without what its provider said of it."""

from http import HTTPStatus
from typing import Final

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelTimeoutError,
)

_RETRIED: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_MANY_REQUESTS})


class ModelTrouble(Exception):
    """A model did not answer, or not to the end.

    Attributes:
        kind: stable, for programs and logs.
        message: for people; nothing of the provider's own text, which may quote a key or a person.
        again: whether asking the same model again may help.
        retry_after_s: how long the provider asked to wait, where it did.
        status: the HTTP status, where there was one.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        again: bool,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.again = kind, message, again
        self.retry_after_s, self.status = retry_after_s, status


def trouble_of(error: AgentRunError) -> ModelTrouble:
    """Say what an error of Pydantic AI means."""
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    retry_after_s = error.retry_after if isinstance(error, ModelAPIError) else None
    kind, message, again = _meaning(error, status)
    shown = f"{message} (HTTP {status})" if status is not None else message
    return ModelTrouble(kind, shown, again=again, retry_after_s=retry_after_s, status=status)


def _meaning(error: AgentRunError, status: int | None) -> tuple[str, str, bool]:
    match error:
        case ModelQuotaExceededError():
            return "quota", "the model's account has nothing left to spend", False
        case ModelRateLimitError():
            return "rate_limited", "the model is asked too often at present", True
        case ModelOverloadedError():
            return "overloaded", "the model is overloaded", True
        case ModelTimeoutError():
            return "timeout", "the model did not answer in time", True
        case ModelConnectionError():
            return "connection", "the connection to the model failed", True
        case ModelAuthenticationError():
            return "not_allowed", "the model's provider does not accept the key", False
        case ModelNotFoundError():
            return "not_found", "the model's provider does not know the model", False
        case ModelContextWindowExceededError():
            return "too_long", "the conversation is too long for the model", False
        case ModelAPIError(provider_error_type="exceed_context_size_error"):  # llama.cpp's word for it
            return "too_long", "the conversation is too long for the model", False
        case ModelRequestRejectedError():
            return "rejected", "the model's provider refused the request", False
        case ContentFilterError():
            return "filtered", "the model's provider refused to answer this", False
        case ModelAPIError():
            again = status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _RETRIED
            return "provider_failed", "the model's provider failed", again
        case _:
            return "bad_answer", "the model's answer could not be read", True
