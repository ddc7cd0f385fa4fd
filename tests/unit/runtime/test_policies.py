"""What each condition of the machine switches off is off: one test for each line of the table in the documentation."""

from pathlib import Path
from typing import Final

import msgspec
import pytest
from tests.unit.engine.conversation import OPENED, Conversation, of
from tests.unit.engine.voice_talk import VoiceTalk
from tests.unit.runtime.memory.memory_world import remembering
from tests.unit.runtime.test_signals import Scripted, room
from tests.unit.runtime.voice.call_world import FakeLink, on_virtual_time, world

from duologue.adapters.signals_rule import RuleSignals
from duologue.engine.policies import POLICIES, STATES
from duologue.engine.standing import Standing
from duologue.model.commands import Join
from duologue.model.condition import ConditionState, Readings
from duologue.model.effects import JudgeComplexity, PrepareAnswer
from duologue.model.errors import Code, Refused
from duologue.model.inputs import ConditionChanged
from duologue.model.routing import RoutingRules
from duologue.model.voice import VoiceRules
from duologue.runtime.hub import Hub
from duologue.runtime.signals import Signals

PAGE: Final = Path(__file__).parents[3] / "docs" / "degradation.md"

each_state = pytest.mark.parametrize("state", STATES)


def put(hub: Hub, state: ConditionState) -> None:
    hub.condition.note(Standing(condition=state, reason="battery"), Readings(battery=0.1))


def changed(state: ConditionState) -> ConditionChanged:
    return ConditionChanged(
        condition=state, reason="battery", readings=Readings(battery=0.1), tiers=("gate", "reflex", "workhorse")
    )


@each_state
def test_answers_are_prepared_early(state: ConditionState) -> None:
    talk = VoiceTalk(VoiceRules(early=True))
    talk.give(changed(state))
    talk.begin()
    talk.recognise("cancel my order", final=False, after_ms=500)
    talk.stop(after_ms=500)
    assert bool(of(talk.effects, PrepareAnswer)) is POLICIES[state].early


@each_state
def test_the_gate_s_agent_is_asked(state: ConditionState) -> None:
    rules = RoutingRules(tiers=("gate", "reflex", "workhorse"), gate_judges=True)
    talk = Conversation(msgspec.structs.replace(OPENED, routing=rules, loaded=rules.tiers))
    talk.give(changed(state))
    talk.say("What time is it?")
    assert bool(of(talk.effects, JudgeComplexity)) is POLICIES[state].gate_model


@each_state
@pytest.mark.anyio
async def test_what_is_remembered_is_looked_up_and_more_is_learnt(state: ConditionState, tmp_path: Path) -> None:
    async with remembering(tmp_path) as world:
        session = await world.open("s-1")
        await world.say(session, "I live in Berlin.")
        put(world.hub, state)
        await world.say(session, "I am allergic to peanuts. What is the weather where I live?")
        recalled = [one.text for one in world.agent.requests[1].memories]
        assert recalled == (["Lives in Berlin"] if POLICIES[state].recall else [])
        learnt = ["Allergic to peanuts"] if POLICIES[state].extraction else []
        assert await world.texts() == [*learnt, "Lives in Berlin"]


@each_state
@pytest.mark.anyio
async def test_signals_are_estimated_by(state: ConditionState) -> None:
    local, model = Scripted("anger", source="local"), Scripted("anger", source="model")
    async with room(Signals(RuleSignals(), (local, model))) as here:
        await here.hub.join(Join(session_id="s"), subject="ann")
        put(here.hub, state)
        await here.say("This is outrageous, you thieves!")
        asked = {one.source for one in (local, model) if one.heard}
        assert asked == {"local", "model"} & {*POLICIES[state].signals}
        assert "rule" in {one.source for one in await here.told()}
        local.go.set()
        model.go.set()


@each_state
def test_calls_may_begin(state: ConditionState) -> None:
    async def work() -> None:
        async with world() as here:
            put(here.hub, state)
            if POLICIES[state].new_calls:
                assert (await here.call()).call is not None
                return
            with pytest.raises(Refused) as refused:
                await here.calls.hold(here.session, FakeLink(), lambda _: None)
            assert refused.value.problem.code is Code.SERVER_FULL

    on_virtual_time(work())


def test_the_page_says_what_the_policies_say() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("|")]
    said = {row[0]: row[1:] for row in rows[:12]}
    assert rows[0][-len(STATES) :] == [*STATES]
    for place, state in enumerate(STATES):
        policy = POLICIES[state]
        on = {
            "answers prepared early, in calls": policy.early,
            "the gate's model": policy.gate_model,
            "workhorse, where the reflex is loaded": policy.workhorse,
            "memories recalled": policy.recall,
            "memories extracted": policy.extraction,
            "signals by a language model": "model" in policy.signals,
            "signals by the classifier": "local" in policy.signals,
            "new calls": policy.new_calls,
            "new conversations": policy.new_sessions,
        }
        assert {what: said[what][place] for what in on} == {what: "on" if does else "off" for what, does in on.items()}
        upgrades = {3: "all reasons", 1: "for more detail", 0: "off"}[len(policy.upgrade)]
        assert said["better answers in place of first ones"][place] == upgrades
