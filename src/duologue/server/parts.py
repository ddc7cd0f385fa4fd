"""The agent and the hub that the settings name: what a server and a program in process share."""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, NamedTuple, cast

from duologue.adapters.agent_knowledge import KnowledgeAgent
from duologue.adapters.agent_python import Answer, PythonAgent, is_agent, load_agent
from duologue.adapters.outbox_sqlite import SqliteOutbox
from duologue.adapters.post_http import HttpPost
from duologue.adapters.store_sqlite import SqliteStore
from duologue.model.errors import SettingsError
from duologue.ports.agent import Agent
from duologue.ports.clock import Clock
from duologue.ports.outbox import Hook
from duologue.ports.store import Store
from duologue.ports.tool import Tool
from duologue.protocols.jambonz import AgentEventNotices
from duologue.runtime.agents import Beside
from duologue.runtime.clock import SystemClock
from duologue.runtime.courier import DeliverySettings, TraceOf, no_trace
from duologue.runtime.deliveries import Deliveries
from duologue.runtime.desk.placing import Summarise
from duologue.runtime.hub import Hub
from duologue.runtime.hub_settings import HubSettings
from duologue.server.agents_network import make_agui, make_llm
from duologue.server.approvals_told import ToDeciders
from duologue.server.condition_parts import make_watch
from duologue.server.desk import make_desk, queue_names
from duologue.server.log import event_log
from duologue.server.reaching import anywhere_but_metadata
from duologue.server.settings import AgentSettings, Settings
from duologue.server.settings_agents import AguiSettings, LlmSettings, OtherAgent
from duologue.server.signals import make_signals
from duologue.server.telemetry import Telemetry, make_provider
from duologue.server.tooling import Tooling, make_tooling, tools_beside
from duologue.server.voice import Voice

if TYPE_CHECKING:
    from duologue.runtime.memory.remembering import Remembering


def built_in_docs() -> Path:
    """Duologue's own docs: in the package where it is installed, beside the source in a checkout."""
    packed = Path(str(files("duologue"))) / "docs"
    return packed if packed.is_dir() else Path(str(files("duologue"))).parents[1] / "docs"


def make_agent(settings: Settings) -> Agent:
    """Make the first agent that the settings name.

    Raises:
        SettingsError: its folder, function or model is not there.
    """
    return _make(settings.agent, llm=settings.llm, agui=settings.agui, settings=settings)


def make_others(settings: Settings) -> tuple[Beside, ...]:
    """Make the agents beside the first.

    Raises:
        SettingsError: the folder, function or model of one is not there; it is named.
    """
    return tuple(make_other(asked, settings) for asked in settings.agents)


def make_other(asked: OtherAgent, settings: Settings) -> Beside:
    """Make one agent beside the first; see `make_others`."""
    try:
        agent = _make(asked, llm=asked.llm, agui=asked.agui, settings=settings)
    except SettingsError as error:
        raise SettingsError(f"agents, {asked.name!r}: {error}") from error
    agent = _Closing(agent) if isinstance(agent, KnowledgeAgent) else agent
    return Beside(name=asked.name, agent=agent, tier=asked.tier or None, about=asked.about)


class _Closing:
    """A knowledge agent that the hub alone knows, and lets go of; others belong to whoever gave them."""

    def __init__(self, agent: KnowledgeAgent) -> None:
        self._agent, self.name, self.run, self.warm, self.aclose = agent, agent.name, agent.run, agent.warm, agent.close


def _make(asked: AgentSettings | OtherAgent, *, llm: LlmSettings, agui: AguiSettings, settings: Settings) -> Agent:
    match asked.kind:
        case "knowledge":
            folder = Path(asked.folder) if asked.folder else built_in_docs()
            return KnowledgeAgent(folder)
        case "python":
            # A console script does not look for modules where it is started; people expect it to.
            return load_agent(asked.function, folder=Path.cwd())
        case "llm":
            return make_llm(llm, queues=queue_names(settings.handoff), agents=_specialists(settings, asked.name))
        case "agui":
            return make_agui(agui)
        case "canned":
            return _make_canned(asked)


def _make_canned(asked: AgentSettings | OtherAgent) -> Agent:
    # Only who has a gate waits for its words.
    from duologue.adapters.agent_canned import Canned, CannedAgent

    answers = asked.answers if isinstance(asked, OtherAgent) else ()
    return CannedAgent([Canned(said=one.said, answer=one.answer) for one in answers], name=asked.name)


def _specialists(settings: Settings, name: str) -> tuple[tuple[str, str], ...]:
    """The other agents to whom conversations are handed, with what they are for."""
    others = settings.agents if settings.handoff.enabled else ()
    return tuple((other.name, other.about) for other in others if not other.tier and other.name != name)


def as_agent(agent: Answer | Agent | None, settings: Settings) -> Agent:
    """Make an agent of what a program gives as one.

    Raises:
        SettingsError: `None` was given, and the agent of the settings is not there.
        TypeError: it is neither a fitting function nor an `Agent`.
    """
    if agent is None:
        return make_agent(settings)
    if is_agent(agent):
        return agent
    # What is no `Agent` is taken for a function, and checked to be one.
    return PythonAgent(cast(Answer, agent))


class Parts(NamedTuple):
    """What runs; all of it lives as long as the hub."""

    hub: Hub
    deliveries: Deliveries
    telemetry: Telemetry | None
    tooling: Tooling
    remembering: "Remembering | None"


def make_hub(settings: Settings, *, agent: Agent | None = None) -> Hub:
    """Make the hub with the embedded store; see `make_parts`."""
    return make_parts(settings, agent=agent).hub


def make_parts(
    settings: Settings,
    *,
    agent: Agent | None = None,
    voice: Voice | None = None,
    tools: Iterable[Tool] = (),
    clock: Clock | None = None,
) -> Parts:
    """Make the hub with the embedded store, and the deliveries of webhooks.

    Args:
        settings: all of them.
        agent: in place of the one that the settings name.
        voice: opens calls; `None` where there are none.
        tools: besides those of the settings and of the agent's module.
        clock: tells the time, in place of the machine's.
    Raises:
        SettingsError: the agent's folder or function is not there, a package that a setting needs, or a tool.
    """
    agent_settings, server = settings.agent, settings.server
    store, clock = SqliteStore(Path(server.data), durability=settings.store.durability), clock or SystemClock()
    answering = agent or make_agent(settings)
    telemetry = _make_telemetry(settings, answering.name)
    deliveries = _make_deliveries(settings, store, clock, trace=no_trace if telemetry is None else telemetry.told)
    remembering = _make_remembering(settings, store, clock)
    others = make_others(settings)
    own = [*tools, *tools_beside(answering, *(other.agent for other in others))]
    tooling = make_tooling(settings, own=own, clock=clock)
    desk = make_desk(
        settings.handoff,
        agents=(answering.name, *(other.name for other in others)),
        clock=clock,
        summarise=_make_summary(settings),
    )
    signals = make_signals(settings)
    elsewhere = _make_desk_deliveries(settings, store, clock, remembering)
    hub = Hub(
        store=store,
        agent=answering,
        clock=clock,
        log=event_log("duologue"),
        settings=HubSettings(
            tier=agent_settings.tier,
            language=agent_settings.language,
            detect_language=agent_settings.detect_language,
            silence_ms=agent_settings.silence_ms,
            response_ms=agent_settings.response_ms,
            if_busy=settings.turns.while_busy,
            sessions_live=server.max_sessions,
            idle_unload_ms=settings.store.idle_unload_ms,
            drain_ms=server.drain_ms,
            retain_events=settings.store.retain_events,
            photos_as_sent=settings.photos.keep_location,
            routing=settings.tiers.rules(),
        ),
        companions=[
            one
            for one in (deliveries, telemetry, voice, desk, remembering, elsewhere, signals, *tooling.companions)
            if one is not None
        ],
        surround=None if telemetry is None else telemetry.surround,
        others=others,
        toolbox=tooling.toolbox,
        approvals=tooling.approvals,
    )
    if desk is not None:
        desk.join(hub)
        hub.desk = desk
        tooling.approvals.listen(ToDeciders(desk.feed))
    if voice is not None:
        voice.join(hub)
    if signals is not None:
        signals.join(hub)
    if remembering is not None:
        remembering.join(hub)
    if (watch := make_watch(settings.condition, hub)) is not None:
        hub.accompany(watch)
    return Parts(hub, deliveries, telemetry, tooling, remembering)


def _make_remembering(settings: Settings, store: Store, clock: Clock) -> "Remembering | None":
    if not settings.memory.enabled:
        return None
    # Not at the top: most servers remember nobody.
    from duologue.server.memory_parts import make_remembering

    return make_remembering(settings, store=store, clock=clock)


def _make_telemetry(settings: Settings, agent: str) -> Telemetry | None:
    if not settings.telemetry.traces:
        return None
    return Telemetry(make_provider(settings.telemetry), agent=agent, text=settings.telemetry.text)


def _make_summary(settings: Settings) -> Summarise | None:
    if not (settings.handoff.enabled and settings.handoff.summary == "model"):
        return None
    from duologue.server.desk_summary import make_summary

    return make_summary(settings.llm)


def _make_desk_deliveries(
    settings: Settings, store: Store, clock: Clock, remembering: "Remembering | None"
) -> Deliveries | None:
    if not (settings.handoff.enabled and settings.handoff.desk_url):
        return None
    # Not at the top: most servers have no other desk.
    from duologue.server.desk_elsewhere import make_deliveries

    return make_deliveries(settings, store=store, clock=clock, remembering=remembering)


def _make_deliveries(settings: Settings, store: Store, clock: Clock, *, trace: TraceOf) -> Deliveries:
    webhooks = settings.webhooks
    hook = Hook(url=webhooks.url, secret=webhooks.secret, kinds=webhooks.kinds) if webhooks.url else None
    return Deliveries(
        store=store,
        outbox=SqliteOutbox(Path(settings.server.data), synced=settings.store.durability == "power"),
        post=HttpPost(timeout_ms=webhooks.timeout_ms, client=anywhere_but_metadata),
        notices=AgentEventNotices(),
        clock=clock,
        chance=random,
        log=event_log("duologue"),
        settings=DeliverySettings(hook=hook, retries=webhooks.retries, backoff_ms=webhooks.backoff_ms),
        trace=trace,
    )
