"""One request to one model, as a stream of what it says."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    FinishReason,
    ModelMessage,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from duologue.adapters.agent_llm.calls import requested
from duologue.adapters.agent_llm.handing import HAND_OFF, read
from duologue.adapters.agent_llm.options import LlmOptions
from duologue.adapters.agent_llm.trouble import ModelTrouble
from duologue.model.agent import AgentItem, AgentRequest, Finished, Text
from duologue.model.content import Usage
from duologue.model.handoff import HandOff

Given = TypeVar("Given")


async def answer(
    model: Model[Any],
    prompt: list[ModelMessage],
    options: LlmOptions,
    *,
    request: AgentRequest,
    tools: Sequence[ToolDefinition] = (),
) -> AsyncGenerator[AgentItem, None]:
    """Ask a model once; what it says and which tools it wants to have run, then `Finished`, or that others go on.

    Calls are asked for once the answer is whole: servers write several of them at once, piece by piece, and nothing
    of an answer that was cut is carried out.

    Raises:
        ModelTrouble: it fell silent, said nothing, was cut, or ended for another reason than that the answer is whole.
        AgentRunError: what Pydantic AI raises.
    Cancellation: the connection is closed at once.
    """
    silence_s = options.silence_ms / 1000
    async with AsyncExitStack() as stack:
        offered = ModelRequestParameters(function_tools=[*tools])
        opening = model_request_stream(
            model, prompt, model_settings=_settings(options), model_request_parameters=offered
        )
        stream = await _within(silence_s, stack.enter_async_context(opening))
        events = aiter(stream)
        said = False
        while (event := await _within(silence_s, anext(events, None))) is not None:
            if text := _text(event):
                said = True
                yield Text(text=text)
        _check_end(stream.finish_reason)
        _check_word(model, stream.provider_details)
        passed_on: HandOff | None = None
        for call in requested(stream.get().parts, request):
            if options.handing is not None and call.name == HAND_OFF:
                passed_on = passed_on or read(call.arguments)
                continue
            said = True
            yield call
        if passed_on is not None:
            yield passed_on
            return
        if not (said or request.so_far):
            raise ModelTrouble("empty", "the model answered with nothing", again=True)
        yield Finished(usage=_usage(stream.usage, model=stream.model_name, provider=stream.provider_name))


def _usage(counted: RequestUsage, *, model: str, provider: str | None) -> tuple[Usage, ...]:
    """What the provider counted; nothing where it did not."""
    if not counted.total_tokens:
        return ()
    return (
        Usage(
            model=model,
            provider=provider,
            input_tokens=counted.input_tokens,
            output_tokens=counted.output_tokens,
            cached_tokens=counted.cache_read_tokens or None,
            reasoning_tokens=counted.output_reasoning_tokens or None,
        ),
    )


def _settings(options: LlmOptions) -> ModelSettings:
    # The provider's client does not try again by itself: attempts are counted in one place.
    settings = ModelSettings(max_retries=0, timeout=options.silence_ms / 1000)
    if options.max_tokens:
        settings["max_tokens"] = options.max_tokens
    if headers := _trace():
        settings["extra_headers"] = headers
    return settings


def _trace() -> dict[str, str]:
    """`traceparent` of the current span, nothing where there is none; baggage stays here. Source: W3C Trace Context."""
    headers: dict[str, str] = {}
    propagate.inject(headers, context=trace.set_span_in_context(trace.get_current_span(), Context()))
    return headers


async def _within(silence_s: float, given: Awaitable[Given]) -> Given:
    try:
        async with asyncio.timeout(silence_s):
            return await given
    except TimeoutError as error:
        raise ModelTrouble("timeout", "the model did not answer in time", again=True) from error


def _text(event: ModelResponseStreamEvent) -> str:
    """The words of an event; thoughts, calls and the like have none for the person."""
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            return text
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
        case _:
            return ""


def _check_end(reason: FinishReason | None) -> None:
    """Take only the provider's own word that the answer is whole."""
    match reason:
        case "stop" | "tool_call":
            return
        case "length":
            raise ModelTrouble("cut", "the model reached its limit of tokens before the answer was whole", again=False)
        case "content_filter":
            raise ModelTrouble("filtered", "the model's provider cut the answer by its content filter", again=False)
        case "error":
            raise ModelTrouble("provider_failed", "the model's provider failed while it answered", again=True)
        case None:
            raise _broke_off()


# Details of the provider's own: JSON.
def _check_word(model: Model[Any], details: dict[str, Any] | None) -> None:
    """Take only a word that was given: Pydantic AI puts one in the place of one that is missing."""
    if not isinstance(model, OpenAIChatModel):
        return
    match (details or {}).get("finish_reason"):
        case None:
            raise _broke_off()
        case "function_call":
            message = "the model's server calls tools by function_call, which is out of date; it has to use tool_calls"
            raise ModelTrouble("bad_answer", message, again=False)
        case _:
            pass


def _broke_off() -> ModelTrouble:
    return ModelTrouble("truncated", "the model's stream broke off before the answer was whole", again=True)
