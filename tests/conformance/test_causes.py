"""Every message, member and value of the four contracts has a real cause, and the page says which."""

from collections.abc import Mapping

import pytest
from tests.conformance.causes.contract import CONTRACTS, Item, items
from tests.conformance.causes.page import PAGE, Cause, play, without_cause, write
from tests.counterparts.language_model import NOT_HERE, is_here

pytestmark = pytest.mark.slow

TO_COME = (
    "tool.result",
    "agent.degraded",
    "turn.routing",
    "turn.upgrade",
    "memory.recalled",
    "memory.stored",
)
"""Messages of which this version sends nothing, or only a part."""


@pytest.fixture(scope="module", autouse=True)
def counterparts() -> None:
    if not is_here():
        pytest.skip(NOT_HERE)
    pytest.importorskip("sklearn", reason="the extra signals is not installed")


@pytest.fixture(scope="module")
def found() -> Mapping[Item, Cause]:
    return play()


@pytest.mark.timeout(600)
def test_all_of_the_contracts_has_a_cause(found: Mapping[Item, Cause]) -> None:
    missing = [item for item in without_cause(found) if item.message not in TO_COME]
    assert [item for item in missing if item.value not in ("gate", "reflex") and item.member != "interactionId"] == []


def test_the_page_says_what_the_runs_show(found: Mapping[Item, Cause]) -> None:
    assert PAGE.read_text() == write(found), "write it anew: make conformance"


def test_the_contracts_are_all_walked() -> None:
    assert [len(items(contract)) for contract in CONTRACTS] == [63, 135, 117, 22]
