"""The models of Pydantic AI that the settings name."""

from http import HTTPStatus
from typing import Any, Final

from openai import APIConnectionError, APIStatusError
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider

from duologue.adapters.agent_llm.options import Endpoint
from duologue.adapters.agent_llm.trouble import ModelTrouble
from duologue.model import limits
from duologue.model.errors import SettingsError

_NOBODY: Final = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
"""What gateways answer for a model that is not there, and servers while they load it."""

NO_KEY = "none"
"""What is sent to a server that wants no key: the client insists on one."""


def make_model(endpoint: Endpoint) -> Model[Any]:
    """Make the model; nothing is connected yet.

    Raises:
        SettingsError: the name means nothing to Pydantic AI, the provider's package is missing, or it wants a key.
    """
    if endpoint.base_url:
        provider = OpenAIProvider(base_url=endpoint.base_url, api_key=endpoint.api_key or NO_KEY)
        return OpenAIChatModel(endpoint.model, provider=provider)

    def provided(name: str) -> Provider[Any]:
        if not endpoint.api_key:
            return infer_provider(name)
        # Each provider's class has a signature of its own; those with a key take it by this name.
        make: Any = infer_provider_class(name)
        return make(api_key=endpoint.api_key)

    try:
        # A name that is wrong is told with the nearest right one only where the provider is not ours.
        return infer_model(endpoint.model, provided) if endpoint.api_key else infer_model(endpoint.model)
    except ImportError as error:
        raise SettingsError(f"model {endpoint.model!r}: its provider's package is not installed: {error}") from error
    except (UserError, ValueError, TypeError) as error:
        raise SettingsError(f"model {endpoint.model!r}: {error}") from error


def takes_images(model: Model[Any]) -> bool:
    """Whether the model takes pictures, as far as Pydantic AI knows it."""
    return model.profile.get("supports_image_input", True)


async def reach(model: Model[Any]) -> None:
    """Ask a server that speaks OpenAI's protocol for the list of its models; of others nothing is known before a run.

    A refusal is an answer too, and so is a fault: keys need not be good for the list, not every server has one, and
    one that fails at it may answer runs.

    Raises:
        ModelTrouble: it cannot be reached, or says that it cannot answer now.
    """
    if not isinstance(model, OpenAIChatModel):
        return
    client = model.client.with_options(max_retries=0, timeout=limits.TIER_PROBE_MS / 1000)
    try:
        await client.models.with_raw_response.list()
    except APIStatusError as error:
        status = error.status_code
        if status in _NOBODY:
            message = f"the model's provider failed (HTTP {status})"
            raise ModelTrouble("provider_failed", message, again=True, status=status) from error
    except APIConnectionError as error:
        raise ModelTrouble("connection", "the connection to the model failed", again=True) from error
