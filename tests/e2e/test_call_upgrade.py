"""A better answer takes the place of one that hedges, in a call: a bridge leads over, and nothing is said twice."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.e2e.calls import scripted_calls
from tests.e2e.harness import serving
from tests.e2e.lines import KINDS, Kind, Seen

from duologue.model.agent import AgentRequest
from duologue.model.events import AnswerUpgraded, SpeakingFinished, TurnEnded, WordSpoken
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_agents import OtherAgent
from duologue.server.settings_tiers import ConditionSettings
from duologue.testing.scripted_agent import Line, ScriptedAgent
from duologue.testing.scripted_speech import ScriptedTextToSpeech, Segment

pytestmark = pytest.mark.anyio

QUICK = OtherAgent(name="quick", tier="reflex", kind="python", function="tests.e2e.agents.hedging_agent:answer")
BRIDGE = "Let me look closer."


def workhorse(request: AgentRequest) -> Sequence[Line]:
    return ["No rain, and twenty degrees."] if request.tier == "workhorse" else []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("asked", "before"), [("the weather", ""), ("the forecast", "There are clouds.")])
async def test_a_bridge_leads_over_and_nothing_is_said_twice(
    kind: Kind, asked: str, before: str, tmp_path: Path
) -> None:
    settings = Settings(server=ServerSettings(drain_ms=500), agents=(QUICK,), condition=ConditionSettings(watch=False))
    agent = ScriptedAgent(workhorse)
    calls = scripted_calls(Segment(text=asked), voice=ScriptedTextToSpeech(word_ms=60))
    async with serving(agent, tmp_path, settings, calls=calls) as server, kind.ring(server.port) as line:
        seen = Seen(server)
        await line.say(600, then_ms=500)
        await seen.has(SpeakingFinished)
        upgraded = await seen.has(AnswerUpgraded)
        assert isinstance(upgraded, AnswerUpgraded)
        assert (upgraded.reason, upgraded.target, upgraded.text.strip()) == ("hedging", "workhorse", BRIDGE)
        spoken = " ".join(one.word for one in seen.all(WordSpoken) if isinstance(one, WordSpoken))
        better = f"{BRIDGE} No rain, and twenty degrees."
        assert spoken.endswith(better)
        assert spoken.count("closer") == spoken.count("twenty") == 1
        heard = spoken.removesuffix(better).strip()
        assert bool(heard) is bool(before)
        assert heard in f"{before} I am not sure, though. I do not really know."
        (ended,) = seen.all(TurnEnded)
        assert isinstance(ended, TurnEnded)
        assert " ".join(ended.answer.split()) == f"{heard} {better}".strip()
        # Who goes on is told what was heard, so as not to say it again.
        told = "".join(one.text for one in agent.requests[0].so_far)
        assert told.strip() == heard
        assert (agent.runs, agent.requests[0].tier) == (1, "workhorse")
        assert line.loud_ms > 0
