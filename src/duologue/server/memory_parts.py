"""Memory as the settings name it."""

from pathlib import Path
from typing import TYPE_CHECKING

from duologue.adapters.memory_rules import RuleExtractor
from duologue.adapters.memory_sqlite import SqliteMemory
from duologue.model.errors import SettingsError
from duologue.ports.clock import Clock
from duologue.ports.memory import MemoryExtractor
from duologue.ports.store import Store
from duologue.runtime.memory.options import MemoryOptions
from duologue.runtime.memory.remembering import Remembering
from duologue.server.log import event_log
from duologue.server.settings import Settings

if TYPE_CHECKING:
    from duologue.adapters.memory_openai import OpenaiEmbedder


def make_remembering(settings: Settings, *, store: Store, clock: Clock) -> Remembering:
    """Make what remembers people; it opens its files with its hub.

    Raises:
        SettingsError: a package that a setting needs is not installed, or no model is named where one is wanted.
    """
    memory = settings.memory
    embedder, rules = _embedder(settings), RuleExtractor()
    return Remembering(
        store=store,
        memory=SqliteMemory(
            Path(settings.server.data),
            synced=settings.store.durability == "power",
            model=memory.embedding_model,
            extension=_extension() if embedder is not None else None,
            floor=memory.embedding_floor,
        ),
        extractors=[*_model(settings), rules],
        wishes=rules,
        embedder=embedder,
        clock=clock,
        log=event_log("duologue"),
        options=MemoryOptions(
            recall_ms=memory.recall_ms,
            recalled=memory.recalled,
            items=memory.items,
            age_days=memory.age_days,
            importance=memory.importance,
        ),
    )


def _embedder(settings: Settings) -> "OpenaiEmbedder | None":
    memory = settings.memory
    if not memory.embedding_model:
        return None
    if not memory.embedding_url:
        raise SettingsError("memory.embedding_url: is needed for memory.embedding_model; write the server's address")
    from duologue.adapters.memory_openai import OpenaiEmbedder

    return OpenaiEmbedder(model=memory.embedding_model, base_url=memory.embedding_url, api_key=memory.embedding_key)


def _extension() -> str:
    """Where the extension that compares vectors is."""
    try:
        import sqlite_vec
    except ModuleNotFoundError as error:
        message = 'memory.embedding_model needs the extra: pip install "duologue[memory]"'
        raise SettingsError(message) from error
    return sqlite_vec.loadable_path()


def _model(settings: Settings) -> list[MemoryExtractor]:
    """The model that tells what turns leave, where one is wanted."""
    memory, llm = settings.memory, settings.llm
    if memory.extract != "model":
        return []
    own = bool(memory.model)
    name = memory.model or llm.model
    if not name:
        message = 'memory.model: is needed for memory.extract = "model", unless llm.model is set'
        raise SettingsError(message)
    try:
        # As for the agent: the extra is not always installed, and takes most of a second to import.
        from duologue.adapters.agent_llm import Endpoint
        from duologue.adapters.agent_llm.models import make_model
        from duologue.adapters.memory_model import ModelExtractor
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pydantic_ai":
            raise
        message = 'memory.extract = "model" needs the extra: pip install "duologue[llm]"'
        raise SettingsError(message) from error
    endpoint = Endpoint(
        model=name,
        base_url=memory.base_url if own else llm.base_url,
        api_key=memory.api_key if own else llm.api_key,
    )
    return [ModelExtractor(make_model(endpoint))]
