"""The port: answers turns with a language model."""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Any, Final

from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from duologue.adapters.agent_llm.models import make_model, reach, takes_images
from duologue.adapters.agent_llm.options import LlmOptions
from duologue.adapters.agent_llm.prompt import Picture, messages, pictures_of, tools
from duologue.adapters.agent_llm.stream import answer
from duologue.adapters.agent_llm.trouble import ModelTrouble, trouble_of
from duologue.model import limits
from duologue.model.agent import AgentItem, AgentRequest, Failure, Note
from duologue.ports.agent import Files

_log: Final = logging.getLogger(__name__)


class LlmAgent:
    """Answers with a model of Pydantic AI, and with a second one where the first cannot.

    A model is asked again, and the second one asked, only as long as nothing has been said: then the person has
    seen nothing that would be said twice. What breaks off later is a failure, with what was said before it. An
    answer is finished only when the provider says so; one that it cut at its limit of tokens is a failure too.
    Source: `duologue.ports.agent.Agent`.

    Args:
        options: which models, and how they are asked.
    Raises:
        SettingsError: a model cannot be made.
    Cancellation: safe at any await; the connection to the provider is closed at once.
    """

    def __init__(self, options: LlmOptions) -> None:
        self._options: Final = options
        endpoints = [options.endpoint, *([options.fallback] if options.fallback else [])]
        self._models: Final = [make_model(endpoint) for endpoint in endpoints]
        self._entered: Final = AsyncExitStack()
        self._ready = False

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return self._options.endpoint.model

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:
        """Answer one turn, as the port says.

        Raises:
            StoreError: a picture of the turn cannot be read now.
            LookupError: a picture of the turn was removed meanwhile.
        """
        await self._enter()
        pictures = await self._pictures(request, files)
        trouble: ModelTrouble | None = None
        for model in self._models:
            for attempt in range(1, self._options.attempts + 1):
                said = False
                try:
                    async with aclosing(self._ask(model, request, pictures)) as items:
                        async for item in items:
                            said = True
                            yield item
                    return
                except ModelTrouble as met:
                    trouble = met
                yield _told(request, model, trouble, attempt=attempt)
                if said:
                    yield _failure(trouble)
                    return
                wait_s = _wait_s(trouble, attempt)
                if attempt == self._options.attempts or wait_s is None:
                    break
                await asyncio.sleep(wait_s)
        if trouble is not None:
            yield _failure(trouble)

    async def reach(self) -> None:
        """Look whether one of the models can be reached; see `runtime.probing.RemoteAgent`.

        Raises:
            ModelTrouble: none of them can.
        """
        await self._enter()
        *others, last = reversed(self._models)
        for model in others:
            with suppress(ModelTrouble):
                await reach(model)
                return
        await reach(last)

    async def aclose(self) -> None:
        """Close the connections that are kept for the next run."""
        await self._entered.aclose()
        self._ready = False

    async def _enter(self) -> None:
        """Own the models' connections from the first run on; none is opened yet."""
        if not self._ready:
            self._ready = True
            for model in self._models:
                await self._entered.enter_async_context(model)

    async def _ask(
        self, model: Model[Any], request: AgentRequest, pictures: tuple[Picture, ...]
    ) -> AsyncGenerator[AgentItem, None]:
        """Ask one model once.

        Raises:
            ModelTrouble: it did not answer to the end.
        """
        shown = pictures if takes_images(model) else ()
        prompt = messages(
            request,
            system_prompt=self._options.system_prompt,
            history_tokens=self._options.history_tokens,
            pictures=shown,
        )
        try:
            async with aclosing(
                answer(model, prompt, self._options, request=request, tools=tools(request, self._options.handing))
            ) as items:
                async for item in items:
                    yield item
        except AgentRunError as error:
            raise trouble_of(error) from error

    async def _pictures(self, request: AgentRequest, files: Files) -> tuple[Picture, ...]:
        if not self._options.images or not any(map(takes_images, self._models)):
            return ()
        async with asyncio.timeout(limits.STORE_MS / 1000):
            return tuple([Picture(upload=item, data=await files.read(item.upload_id)) for item in pictures_of(request)])


def _told(request: AgentRequest, model: Model[Any], trouble: ModelTrouble, *, attempt: int) -> Note:
    """Write a trouble to the log, with the provider's own words as personal data, and make the note of it."""
    cause = trouble.__cause__
    fields = {
        "session": request.session_id,
        "response": request.response_id,
        "model": model.model_name,
        "trouble": trouble.kind,
        "status": trouble.status,
        "attempt": attempt,
        "error": type(cause).__name__ if cause else None,
        "pii.detail": str(cause) if cause else None,
    }
    _log.warning("model_failed", extra={"fields": fields})
    details: dict[str, Any] = {"model": model.model_name, "trouble": trouble.kind, "attempt": attempt}
    return Note(category="llm.trouble", message=trouble.message, details=details)


def _failure(trouble: ModelTrouble) -> Failure:
    return Failure(message=trouble.message, retryable=trouble.again)


def _wait_s(trouble: ModelTrouble, attempt: int) -> float | None:
    """How long to wait before the same model is asked again; `None` where that is of no use."""
    asked = trouble.retry_after_s or 0.0
    most = limits.LLM_BACKOFF_MAX_MS / 1000
    if not trouble.again or asked > most:
        return None
    # Spread, so that clients that were refused together do not come back together.
    grown = limits.LLM_BACKOFF_MS / 1000 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)
    return max(asked, min(most, grown))
