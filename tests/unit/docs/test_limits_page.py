"""The numbers on the page of limits are those of `model/limits/`, and of the settings that change them."""

import ast
import re
from functools import reduce
from itertools import pairwise
from pathlib import Path

import pytest

from duologue.model import limits
from duologue.server.settings import Settings

PAGE = Path(__file__).parents[3] / "docs" / "limits.md"

MULTIPLES = {"MiB": 2**20, "KiB": 2**10, "s": 1_000}
"""What one of a unit is in the unit of the constant: bytes or ms. Any other unit is the constant's own."""

ROW = re.compile(
    r"\| (?P<what>[^|]+) \| (?P<number>[\d,]+) ?(?P<unit>[^|]*?) \|[^|]*\| ?(?:`(?P<setting>[\w.]+)`)? ?\|"
)


def bounds() -> dict[str, tuple[str, int]]:
    """Each limit's text, with its name and number."""
    found: dict[str, tuple[str, int]] = {}
    for topic in Path(next(iter(limits.__path__))).glob("*.py"):
        for node, below in pairwise(ast.parse(topic.read_text(encoding="utf-8")).body):
            match node, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                    found[" ".join(text.split())] = (name, getattr(limits, name))
                case _:
                    pass
    return found


def rows() -> list[re.Match[str]]:
    """The rows of all tables on the page that state a number."""
    return [row for line in PAGE.read_text(encoding="utf-8").splitlines() if (row := ROW.fullmatch(line))]


def number(row: re.Match[str]) -> int:
    """The bound of a row, in bytes, ms or pieces."""
    return int(row["number"].replace(",", "")) * MULTIPLES.get(row["unit"], 1)


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["what"])
def test_a_row_states_the_number_of_the_code(row: re.Match[str]) -> None:
    stated = {bound for text, bound in bounds().items() if text.startswith(row["what"])}
    assert len(stated) == 1, "the words of a row are those below one constant"
    name, in_code = stated.pop()
    assert number(row) == in_code, name


@pytest.mark.parametrize("row", [row for row in rows() if row["setting"]], ids=lambda row: row["setting"])
def test_a_setting_that_is_named_has_the_limit_as_its_default(row: re.Match[str]) -> None:
    settings: object = Settings()
    assert reduce(getattr, row["setting"].split("."), settings) == number(row)


def test_no_row_is_missed() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    tables = [line for line in lines if line.startswith("| ") and not line.startswith("| what ")]
    assert len(rows()) == len(tables) > len(bounds()) // 2
