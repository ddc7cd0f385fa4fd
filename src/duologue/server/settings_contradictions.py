"""Settings that are each right and do not go together."""

from collections import Counter
from collections.abc import Iterator

from duologue.server.settings import AgentSettings, Settings
from duologue.server.settings_agents import AguiSettings, LlmSettings, OtherAgent
from duologue.server.webhook_address import fault_of


def contradictions(settings: Settings) -> Iterator[str]:
    """Say what does not go together, a line for each."""
    auth, webhooks = settings.auth, settings.webhooks
    if bool(auth.issuer) != bool(auth.jwks_url):
        yield "auth.issuer: goes with auth.jwks_url; set both or neither"
    yield from _agent("agent.", settings.agent, settings.llm, settings.agui, places=("", ""))
    for place, agent in enumerate(settings.agents):
        name = f"agents[{place}]."
        yield from _agent(name, agent, agent.llm, agent.agui, places=(name, name))
    yield from _namesakes(settings)
    if webhooks.url and not webhooks.secret:
        yield "webhooks.secret: is needed with webhooks.url, to sign what is posted"
    if webhooks.url and (fault := fault_of(webhooks.url, allow_http=webhooks.allow_http)):
        yield f"webhooks.url: {fault}"


def _agent(
    name: str, agent: AgentSettings | OtherAgent, llm: LlmSettings, agui: AguiSettings, *, places: tuple[str, str]
) -> Iterator[str]:
    """What an agent of its kind needs; `places` is what stands before `llm` and `agui` in the keys' names."""
    before_llm, before_agui = places
    if agent.kind == "python" and not agent.function:
        yield f'{name}function: is needed for {name}kind = "python"; write module:name, like my_agent:answer'
    if agent.kind == "llm" and not llm.model:
        yield f'{before_llm}llm.model: is needed for {name}kind = "llm"; write provider:model, like openai:gpt-5-mini'
    if agent.kind == "agui" and not agui.url:
        yield f'{before_agui}agui.url: is needed for {name}kind = "agui"; write where its runs are posted to'
    if (name == "agent." or agent.kind == "llm") and llm.system_prompt and llm.system_prompt_file:
        yield f"{before_llm}llm.system_prompt_file: stands in place of {before_llm}llm.system_prompt; write one of them"


def _namesakes(settings: Settings) -> Iterator[str]:
    names = Counter([settings.agent.name, *(agent.name for agent in settings.agents)])
    tiers = Counter([settings.agent.tier, *(agent.tier for agent in settings.agents if agent.tier)])
    for place, agent in enumerate(settings.agents):
        if names[agent.name] > 1:
            yield f"agents[{place}].name: {agent.name!r} is another agent's name too; give each its own"
        if agent.tier and tiers[agent.tier] > 1:
            yield f"agents[{place}].tier: {agent.tier} is another agent's tier too; each tier has one agent"
