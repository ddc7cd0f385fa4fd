"""The README's table of counterparts: exactly those that tests declare, each with what the tests say of it."""

import ast
import json
import re
from pathlib import Path
from typing import Literal

import pytest
from tests import matrix
from tests.matrix import BEGIN, COUNTERPARTS, END, FIXTURES, MARK, README, Matrix, table

Outcome = Literal["passed", "failed", "skipped"]

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


def test_only_what_has_passed_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    monkeypatch.setattr(matrix, "REPORT", tmp_path / "build" / "matrix.json")
    # As on the one process that collects the reports of all workers.
    noting = Matrix(pytestconfig)
    monkeypatch.setattr(noting, "_is_worker", False)

    def tell(
        name: str, outcome: Literal["passed", "failed", "skipped"], when: Literal["setup", "call"] = "call"
    ) -> None:
        told = [(MARK, {"name": name, "version": "1.0"})]
        noting.pytest_runtest_logreport(
            pytest.TestReport("tests/x.py::test", ("", 0, ""), {}, outcome, None, when, user_properties=told)
        )

    tell("a", "passed")
    tell("a", "passed")
    tell("b", "failed")
    tell("c", "skipped")
    tell("d", "passed", "setup")
    noting.pytest_sessionfinish()
    report = json.loads((tmp_path / "build" / "matrix.json").read_text())
    assert report == {"a": {"version": "1.0", "tests": 2, "files": ["tests/x.py"]}}
