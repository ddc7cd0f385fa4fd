"""Every message, member and value of the four contracts has a real cause, and the page says which."""

import pytest
from tests.conformance.causes.contract import CONTRACTS, items
from tests.conformance.causes.page import PAGE, Played, play, without_cause, write
from tests.counterparts.language_model import NOT_HERE, is_here

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def counterparts() -> None:
    if not is_here():
        pytest.skip(NOT_HERE)
    pytest.importorskip("sklearn", reason="the extra signals is not installed")


@pytest.fixture(scope="module")
def played() -> Played:
    return play()


@pytest.mark.timeout(600)
def test_all_of_the_contracts_has_a_cause(played: Played) -> None:
    assert without_cause(played.found) == []


@pytest.mark.counterpart("ag-ui-validate")
def test_nothing_is_found_in_what_clients_were_sent(played: Played) -> None:
    assert played.faults == []


def test_the_page_says_what_the_runs_show(played: Played) -> None:
    assert PAGE.read_text() == write(played.found), "write it anew: make conformance"


def test_the_contracts_are_all_walked() -> None:
    assert [len(items(contract)) for contract in CONTRACTS] == [63, 135, 117, 22]
