"""The agents that are reached over the network, made from the settings."""

from pathlib import Path
from typing import Final

from duologue.adapters.agent_agui import AguiAgent, AguiOptions
from duologue.model.errors import SettingsError
from duologue.ports.agent import Agent
from duologue.server.settings_agents import PROMPT_CHARS, AguiSettings, LlmSettings

LLM_PACKAGE: Final = "pydantic_ai"
"""What the extra `llm` brings."""


def make_llm(settings: LlmSettings, *, queues: tuple[str, ...] = (), agents: tuple[tuple[str, str], ...] = ()) -> Agent:
    """Make the agent that is a language model.

    Args:
        settings: which model, and how it is asked.
        queues: of people, to whom it may pass conversations on.
        agents: others to whom it may; their names, and what they are for.
    Raises:
        SettingsError: the extra is not installed, a model cannot be made, or the file of the prompt is not there.
    """
    try:
        # Not at the top: the extra is not always installed, and takes most of a second to import.
        from duologue.adapters.agent_llm import Endpoint, Handing, LlmAgent, LlmOptions
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != LLM_PACKAGE:
            raise
        message = 'agent.kind = "llm" needs the extra: pip install "duologue[llm]"'
        raise SettingsError(message) from error
    first = Endpoint(model=settings.model, base_url=settings.base_url, api_key=settings.api_key)
    second = Endpoint(
        model=settings.fallback_model, base_url=settings.fallback_base_url, api_key=settings.fallback_api_key
    )
    options = LlmOptions(
        endpoint=first,
        fallback=second if second.model else None,
        system_prompt=_prompt(settings),
        history_tokens=settings.history_tokens,
        max_tokens=settings.max_tokens,
        images=settings.images,
        silence_ms=settings.silence_ms,
        attempts=settings.attempts,
        handing=Handing(queues=queues, agents=agents) if queues or agents else None,
    )
    return LlmAgent(options)


def make_agui(settings: AguiSettings) -> Agent:
    """Make the agent that is reached over AG-UI; nothing is connected yet."""
    headers = [header.partition(":") for header in settings.headers]
    options = AguiOptions(
        url=settings.url,
        headers=tuple((name, value.strip()) for name, _, value in headers),
        remembers=settings.remembers,
        images=settings.images,
        silence_ms=settings.silence_ms,
    )
    return AguiAgent(options)


def _prompt(settings: LlmSettings) -> str:
    if not settings.system_prompt_file:
        return settings.system_prompt
    path = Path(settings.system_prompt_file)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"llm.system_prompt_file: {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"llm.system_prompt_file: {path} is not UTF-8, at byte {error.start}") from error
    if len(text) > PROMPT_CHARS:
        raise SettingsError(f"llm.system_prompt_file: {path} has {len(text)} characters; at most {PROMPT_CHARS}")
    return text
