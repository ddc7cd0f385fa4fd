"""The README's table of counterparts: exactly those that tests declare, each with what the tests say of it."""

import ast
import re
from pathlib import Path

import pytest
from tests.matrix import BEGIN, COUNTERPARTS, END, FIXTURES, MARK, README, table

TESTS = Path(__file__).parents[2]


def marked() -> set[str]:
    """The names in all markers of all tests."""
    names = set(FIXTURES.values())
    for path in TESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == MARK:
                names |= {str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)}
    return names


def rows() -> dict[str, list[str]]:
    part = README.read_text().partition(BEGIN)[2].partition(END)[0]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in cells[1:]}


def test_all_that_is_declared_is_known_and_all_that_is_known_is_declared() -> None:
    assert marked() == set(COUNTERPARTS)


def test_the_table_lists_exactly_those_with_what_was_shown() -> None:
    """The versions are those of the run that wrote it: they differ by machine."""
    shown = rows()
    assert list(shown) == list(COUNTERPARTS)
    for name, (version, protocol, what) in shown.items():
        assert (protocol, what) == (COUNTERPARTS[name].protocol, COUNTERPARTS[name].shown)
        assert re.fullmatch(r"\d+(\.\w+)+", version), name


def test_a_table_of_a_run_in_which_somebody_was_missing_is_not_written() -> None:
    with pytest.raises(KeyError):
        list(table({}))
