"""Signals, made from the settings: who estimates, and by which rules a conversation is passed on."""

from typing import TYPE_CHECKING

from duologue.model.errors import SettingsError
from duologue.model.signals import EscalationRule
from duologue.ports.signal_adapter import IntentExamples, SignalAdapter
from duologue.server.agents_network import LLM_PACKAGE
from duologue.server.settings import Settings
from duologue.server.settings_agents import LlmSettings
from duologue.server.settings_signals import SignalsSettings

if TYPE_CHECKING:
    from duologue.runtime.signals import Signals


def make_signals(settings: Settings) -> "Signals | None":
    """Make the companion that has signals estimated; `None` where nobody estimates any. What is not used is not loaded.

    Raises:
        SettingsError: an extra that a source needs is not installed, or its model cannot be made.
    """
    asked = settings.signals
    if not asked.sources:
        return None
    from duologue.adapters.signals_rule import RuleSignals
    from duologue.runtime.signals import Signals

    intents = [IntentExamples(name=one.name, examples=one.examples) for one in asked.intents]
    rule = RuleSignals(intents)
    adapters: list[SignalAdapter] = []
    if "local" in asked.sources:
        from duologue.adapters.signals_local import Example, LocalSignals

        own = [
            Example(text=text, language=one.language, category=one.mood) for one in asked.moods for text in one.examples
        ]
        adapters.append(LocalSignals(rule, intents, examples=own))
    if "model" in asked.sources:
        adapters.append(_model(asked, settings.llm, intents))
    return Signals(rule if "rule" in asked.sources else None, adapters, rules=escalation_rules(asked))


def escalation_rules(asked: SignalsSettings) -> tuple[EscalationRule, ...]:
    """The rules of escalation, as the engine takes them."""
    return tuple(
        EscalationRule(
            name=one.name,
            signal=one.signal,
            above=one.above,
            confidence=one.confidence,
            turns=one.turns,
            within=one.within,
            queue=one.queue,
            skills=one.skills,
            priority=one.priority,
            cooldown_turns=one.cooldown_turns,
        )
        for one in asked.escalation
    )


def _model(asked: SignalsSettings, llm: LlmSettings, intents: list[IntentExamples]) -> SignalAdapter:
    try:
        from duologue.adapters.agent_llm import Endpoint
        from duologue.adapters.agent_llm.models import make_model
        from duologue.adapters.signals_model import ModelSignals
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != LLM_PACKAGE:
            raise
        message = 'signals.sources has "model", which needs the extra: pip install "duologue[llm]"'
        raise SettingsError(message) from error
    # A model of its own has its own server and key; else all three are those of [llm].
    theirs = asked if asked.model else llm
    endpoint = Endpoint(model=theirs.model, base_url=theirs.base_url, api_key=theirs.api_key)
    return ModelSignals(make_model(endpoint), intents, scopes=asked.model_scopes, timeout_ms=asked.timeout_ms)
