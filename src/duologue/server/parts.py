"""The agent and the hub that the settings name: what a server and a program in process share."""

from importlib.resources import files
from pathlib import Path

from duologue.adapters.agent_knowledge import KnowledgeAgent
from duologue.adapters.agent_python import load_agent
from duologue.adapters.store_sqlite import SqliteStore
from duologue.ports.agent import Agent
from duologue.runtime.clock import SystemClock
from duologue.runtime.hub import Hub, HubSettings
from duologue.server.agents_network import make_agui, make_llm
from duologue.server.log import event_log
from duologue.server.settings import Settings


def built_in_docs() -> Path:
    """Duologue's own docs: in the package where it is installed, beside the source in a checkout."""
    packed = Path(str(files("duologue"))) / "docs"
    return packed if packed.is_dir() else Path(str(files("duologue"))).parents[1] / "docs"


def make_agent(settings: Settings) -> Agent:
    """Make the agent that the settings name.

    Raises:
        SettingsError: its folder, function or model is not there.
    """
    match settings.agent.kind:
        case "knowledge":
            folder = Path(settings.agent.folder) if settings.agent.folder else built_in_docs()
            return KnowledgeAgent(folder)
        case "python":
            # A console script does not look for modules where it is started; people expect it to.
            return load_agent(settings.agent.function, folder=Path.cwd())
        case "llm":
            return make_llm(settings.llm)
        case "agui":
            return make_agui(settings.agui)


def make_hub(settings: Settings, *, agent: Agent | None = None) -> Hub:
    """Make the hub with the embedded store.

    Args:
        settings: all of them.
        agent: in place of the one that the settings name.
    Raises:
        SettingsError: the agent's folder or function is not there.
    """
    agent_settings, server = settings.agent, settings.server
    return Hub(
        store=SqliteStore(Path(server.data), durability=settings.store.durability),
        agent=agent or make_agent(settings),
        clock=SystemClock(),
        log=event_log("duologue"),
        settings=HubSettings(
            tier=agent_settings.tier,
            language=agent_settings.language,
            silence_ms=agent_settings.silence_ms,
            response_ms=agent_settings.response_ms,
            if_busy=settings.turns.while_busy,
            sessions_live=server.max_sessions,
            idle_unload_ms=settings.store.idle_unload_ms,
            drain_ms=server.drain_ms,
            retain_events=settings.store.retain_events,
        ),
    )
