"""Every message, member and value of the four contracts has a real cause, and the page says which."""

from collections.abc import Mapping

import pytest
from tests.conformance.causes.contract import CONTRACTS, Item, items
from tests.conformance.causes.page import PAGE, Cause, play, without_cause, write

pytestmark = pytest.mark.slow

WITHOUT: frozenset[Item] = frozenset()
"""What is only about the phone, so that no run of a server without a phone line can show it."""


@pytest.fixture(scope="module")
def found() -> Mapping[Item, Cause]:
    return play()


@pytest.mark.timeout(600)
def test_all_of_the_contracts_has_a_cause(found: Mapping[Item, Cause]) -> None:
    assert set(without_cause(found)) == WITHOUT


def test_the_page_says_what_the_runs_show(found: Mapping[Item, Cause]) -> None:
    assert PAGE.read_text() == write(found), "write it anew: make conformance"


def test_the_contracts_are_all_walked() -> None:
    assert [len(items(contract)) for contract in CONTRACTS] == [63, 0, 0, 22]
