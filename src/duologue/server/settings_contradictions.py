"""Settings that are each right and do not go together."""

from collections import Counter
from collections.abc import Iterator
from typing import get_args

from duologue.model.signals import SentimentCategory
from duologue.server.settings import AgentSettings, Settings
from duologue.server.settings_agents import AguiSettings, LlmSettings, OtherAgent
from duologue.server.settings_values import nearest
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
    tools = settings.tools
    if tools.approver_url and not tools.approver_secret:
        yield "tools.approver_secret: is needed with tools.approver_url, to sign what is asked and to check the answer"
    if tools.approver_url and (fault := fault_of(tools.approver_url, allow_http=webhooks.allow_http)):
        yield f"tools.approver_url: {fault}"
    yield from _tiers(settings)
    if webhooks.url and not webhooks.secret:
        yield "webhooks.secret: is needed with webhooks.url, to sign what is posted"
    if webhooks.url and (fault := fault_of(webhooks.url, allow_http=webhooks.allow_http)):
        yield f"webhooks.url: {fault}"
    handoff = settings.handoff
    if handoff.summary == "model" and not settings.llm.model:
        yield 'llm.model: is needed for handoff.summary = "model"; write provider:model, like openai:gpt-5-mini'
    if handoff.desk_url and not handoff.desk_secret:
        yield "handoff.desk_secret: is needed with handoff.desk_url, to sign what is told and called"
    if handoff.desk_url and (fault := fault_of(handoff.desk_url, allow_http=webhooks.allow_http)):
        yield f"handoff.desk_url: {fault}"
    yield from _signals(settings)


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


def _signals(settings: Settings) -> Iterator[str]:
    asked = settings.signals
    if "model" in asked.sources and not (asked.model or settings.llm.model):
        yield 'signals.model: is needed for signals.sources with "model"; write provider:model, or set llm.model'
    if (asked.base_url or asked.api_key) and not asked.model:
        yield "signals.model: is needed with signals.base_url and signals.api_key, which are this model's"
    intents = Counter(one.name for one in asked.intents)
    known = {*intents, *get_args(SentimentCategory)}
    for place, intent in enumerate(asked.intents):
        if intents[intent.name] > 1 or intent.name in get_args(SentimentCategory):
            yield f"signals.intents[{place}].name: {intent.name!r} is another intent's or a mood's name too"
    rules = Counter(one.name for one in asked.escalation)
    for place, rule in enumerate(asked.escalation):
        at = f"signals.escalation[{place}]"
        if rules[rule.name] > 1:
            yield f"{at}.name: {rule.name!r} is another rule's name too; give each its own"
        if rule.signal not in known:
            near = nearest(rule.signal, known)
            yield f"{at}.signal: {rule.signal!r} is no mood and no intent" + (f"; did you mean {near}?" if near else "")
        if rule.turns > rule.within:
            yield f"{at}.turns: {rule.turns} turns cannot be among the latest {rule.within}; raise within"


def _tiers(settings: Settings) -> Iterator[str]:
    for name in settings.condition.faults():
        yield f"condition.{name}: each of the four has to be worse than the one before"
    for place, agent in enumerate(settings.agents):
        if agent.kind == "canned" and agent.tier != "gate":
            yield f'agents[{place}].tier: has to be "gate" for kind "canned", which passes on what it has no answer for'


def _namesakes(settings: Settings) -> Iterator[str]:
    names = Counter([settings.agent.name, *(agent.name for agent in settings.agents)])
    tiers = Counter([settings.agent.tier, *(agent.tier for agent in settings.agents if agent.tier)])
    for place, agent in enumerate(settings.agents):
        if names[agent.name] > 1:
            yield f"agents[{place}].name: {agent.name!r} is another agent's name too; give each its own"
        if agent.tier and tiers[agent.tier] > 1:
            yield f"agents[{place}].tier: {agent.tier} is another agent's tier too; each tier has one agent"
