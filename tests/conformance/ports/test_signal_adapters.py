"""Every implementation keeps the ports' contract: rules, classifier, and a real language model."""

import pytest

from duologue.adapters.signals_rule import RuleSignals
from duologue.ports.signal_adapter import IntentExamples
from duologue.testing.signal_suite import (
    SIGNAL_CHECKS,
    SignalCheck,
    check_a_message_is_estimated,
    check_a_turn_is_estimated_where_it_may_be,
    check_it_says_who_it_is,
)

pytestmark = pytest.mark.anyio

INTENTS = (
    IntentExamples(name="cancel", examples=("I want to cancel my contract",)),
    IntentExamples(name="invoice", examples=("Where is my invoice?",)),
)


def _name(check: SignalCheck) -> str:
    return getattr(check, "__name__", "check")


@pytest.mark.parametrize("check", SIGNAL_CHECKS, ids=_name)
async def test_rules(check: SignalCheck) -> None:
    await check(RuleSignals(INTENTS))


@pytest.mark.parametrize("check", SIGNAL_CHECKS, ids=_name)
async def test_classifier(check: SignalCheck) -> None:
    pytest.importorskip("sklearn", reason="the extra signals is not installed")
    from duologue.adapters.signals_local import LocalSignals

    local = LocalSignals(RuleSignals(), INTENTS)
    try:
        await check(local)
    finally:
        await local.aclose()


# Each request takes seconds here; what is odd is asked of it once, in tests/conformance/agents.
BRIEFLY = (check_it_says_who_it_is, check_a_message_is_estimated, check_a_turn_is_estimated_where_it_may_be)


@pytest.mark.parametrize("check", BRIEFLY, ids=_name)
async def test_language_model(check: SignalCheck, llama: str) -> None:
    pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")
    from duologue.adapters.agent_llm import Endpoint
    from duologue.adapters.agent_llm.models import make_model
    from duologue.adapters.signals_model import ModelSignals

    made = make_model(Endpoint(model="smollm2", base_url=f"{llama}/v1"))
    model = ModelSignals(made, INTENTS, scopes=("message", "turn"), timeout_ms=60_000)
    try:
        await check(model)
    finally:
        await model.aclose()
