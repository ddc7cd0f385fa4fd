"""What an agent does, recorded, is run again with the same bytes, and nothing is carried out once more."""

import pytest
from tests.unit.server.replay import acting
from tests.unit.server.replay.acting import Acting, Counting
from tests.unit.server.replay.recordings import Script, World, quiet, record

from duologue.model import events as e
from duologue.runtime.hub_settings import HubSettings
from duologue.server.replay import law, suite
from duologue.server.replay.recorded import Recorded, read

KINDS: dict[str, tuple[Script, set[type[e.AnyEvent]]]] = {
    "legs": (acting.legs_and_calls_within, {e.LegEnded, e.ToolMoved, e.ToolReturned}),
    "approvals": (acting.approvals, {e.TurnResumed, e.ToolMoved, e.ToolReturned}),
    "observations": (acting.observations, {e.TurnResumed, e.ResponseFailed}),
    "operators": (acting.operators, {e.HandoffMoved, e.TurnResumed}),
    "upgrades": (acting.upgrades, {e.TurnRouted, e.AnswerUpgraded}),
    "cut": (acting.cut_while_a_tool_runs, {e.ToolReturned}),
}


def recorded(name: str, tools: list[Counting]) -> Recorded:
    tiers = name == "upgrades"
    settings = HubSettings(tier="reflex", routing=acting.ROUTING) if tiers else HubSettings()
    world = World(
        toolbox=acting.toolbox(tools),
        others=(acting.better(),) if tiers else (),
        settings=settings,
        desk=name == "operators",
    )
    return read(name, record(KINDS[name][0], agent=Acting(), world=world))


@pytest.mark.parametrize("name", KINDS)
def test_run_again_as_it_was_the_journal_has_the_same_bytes(name: str) -> None:
    tools = acting.tools()
    session = recorded(name, tools)
    happened = {type(event) for _, step in session.steps() for event in step.events}
    assert KINDS[name][1] <= happened, "it was recorded"
    assert law.verify(session).holds
    made = [tool.made for tool in tools]
    done = suite.run(session, make_agent=None, agent="", log=quiet)
    assert (done.stopped, done.same_bytes, done.different, done.failed) == ("", True, 0, False)
    assert [tool.made for tool in tools] == made, "nothing was carried out once more"


@pytest.mark.parametrize("name", KINDS)
def test_another_agent_is_asked_what_people_said_whatever_the_first_one_did(name: str) -> None:
    session = recorded(name, acting.tools())
    done = suite.run(session, make_agent=lambda: Acting("other"), agent="other", log=quiet)
    assert done.stopped == ""
    assert done.turns
