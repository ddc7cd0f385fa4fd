"""Who answers a run."""

import pytest

from duologue.runtime.agents import Agents, Beside
from duologue.testing.scripted_agent import ScriptedAgent

FIRST, QUICK, BILLING = (ScriptedAgent([name]) for name in ("first", "quick", "billing"))


def agents() -> Agents:
    return Agents(
        FIRST,
        tier="workhorse",
        others=(Beside(name="Quick", agent=QUICK, tier="reflex"), Beside(name="Billing", agent=BILLING)),
    )


def test_an_agent_is_found_by_its_name_and_else_by_its_tier() -> None:
    known = agents()
    assert known.find() is FIRST
    assert known.find(tier="reflex") is QUICK
    assert known.find("Billing", "reflex") is BILLING
    assert known.find("Quick") is QUICK


def test_a_tier_without_an_agent_and_a_name_that_is_gone_lead_to_the_first() -> None:
    known = agents()
    assert known.find(tier="gate") is FIRST
    assert known.find("Gone") is FIRST
    assert known.find("Gone", "reflex") is QUICK


def test_the_tiers_are_named_the_smallest_first() -> None:
    assert agents().tiers == ("reflex", "workhorse")
    assert Agents(FIRST, tier="gate").tiers == ("gate",)
    assert agents().names == ("Quick", "Billing")


def test_figures_call_others_by_their_configured_names() -> None:
    known = agents()
    assert [known.label(agent) for agent in (FIRST, QUICK, BILLING)] == ["scripted", "Quick", "Billing"]


class Closing(ScriptedAgent):
    """Holds something, or fails to let go of it."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__([])
        self.closed, self._error = 0, error

    async def aclose(self) -> None:
        self.closed += 1
        if self._error is not None:
            raise self._error


@pytest.mark.anyio
async def test_each_is_closed_once_whatever_the_others_do() -> None:
    noted: list[str] = []
    broken, well = Closing(RuntimeError("no")), Closing()
    known = Agents(
        broken, tier="workhorse", others=(Beside(name="a", agent=well, tier="reflex"), Beside(name="b", agent=well))
    )
    await known.aclose(lambda event, **_: noted.append(event))
    assert (broken.closed, well.closed, noted) == (1, 1, ["agent_not_closed"])
