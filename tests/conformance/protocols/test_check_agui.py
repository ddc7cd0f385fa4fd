"""Our AG-UI rules against a validator that nobody here wrote, over its corpus, our examples and damaged streams."""

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random
from typing import Any, Final

import ag_ui_validate
import pytest

from duologue.check.agui_rules import RULES
from duologue.check.findings import Report, Rule
from duologue.check.recording import check
from duologue.server.schemas import for_checks

pytestmark = pytest.mark.counterpart("ag-ui-validate")

SAME: Final = {
    "AGUI001": "agui-run-first",
    "AGUI002": "agui-run-twice",
    "AGUI003": "agui-run-open",
    "AGUI004": "agui-after-run",
    "AGUI005": "agui-after-run",
    "AGUI006": "agui-step-unopened",
    "AGUI007": "agui-step-open",
    "AGUI008": "agui-run-ids",
    "AGUI101": "agui-text-unopened",
    "AGUI102": "agui-text-unopened",
    "AGUI103": "agui-text-open",
    "AGUI104": "agui-text-twice",
    "AGUI105": "agui-text-empty",
    "AGUI106": "agui-text-twice",
    "AGUI201": "agui-tool-unopened",
    "AGUI202": "agui-tool-unopened",
    "AGUI203": "agui-tool-open",
    "AGUI204": "agui-tool-args",
    "AGUI205": "agui-tool-twice",
    "AGUI206": "agui-tool-early",
    "AGUI207": "agui-tool-unknown",
    "AGUI302": "agui-patch",
    "AGUI303": "agui-patch",
    "AGUI401": "agui-reasoning-unopened",
    "AGUI402": "agui-reasoning-open",
    "AGUI502": "agui-json",
    "AGUI503": "agui-type",
    "AGUI504": "agui-schema",
    "AGUI601": "agui-subagent-twice",
    "AGUI602": "agui-subagent-unopened",
    "AGUI603": "agui-subagent-unopened",
    "AGUI604": "agui-subagent-open",
}
"""The other's rules that we have as well. We have none that it only notes (info), or that ask for more than events."""

LEFT: Final = {"AGUI208", "AGUI301", "AGUI304", "AGUI305", "AGUI605", "AGUI606", "AGUI901", "AGUI902", "AGUI903"}
"""Its hints, and the ownership of a subagent's parts."""

OURS: Final = {"agui-resume", "agui-custom", "agui-latency", "agui-voice-words", "agui-voice-final"}
"""What only we look at: its rules end with the run, and with the name of a CUSTOM event."""

SPEC: Final = files(ag_ui_validate) / "spec" / "fixtures"


def named(folder: str) -> list[Traversable]:
    return sorted((SPEC / folder).iterdir(), key=lambda path: path.name)


VALID = [path for path in named("valid") if path.name.endswith(".jsonl")]
INVALID = [path for path in named("invalid") if (path / "stream.jsonl").is_file()]


def ours(lines: list[str]) -> set[str]:
    return rules(check("\n".join(lines).encode(), "agui", for_checks))


def rules(report: Report) -> set[str]:
    return {finding.rule for finding in report.findings}


def theirs(lines: list[str]) -> set[str]:
    validator = ag_ui_validate.create_validator()
    for line in lines:
        validator.feed(line)
    validator.finalize()
    report = validator.report()
    assert report.internal_errors == []
    return {diagnostic.rule for diagnostic in report.diagnostics}


def agree(lines: list[str]) -> None:
    said = theirs(lines) - LEFT
    # The other counts a first chunk without an id among the wrong shapes.
    found = {"agui-schema" if rule == "agui-chunk" else rule for rule in ours(lines)}
    assert found - OURS == {SAME[rule] for rule in said}, said


def lines_of(path: Traversable) -> list[str]:
    return [line for line in path.read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.name)
def test_nothing_is_found_in_its_valid_streams(path: Traversable) -> None:
    report = check(path.read_bytes(), "agui", for_checks)
    assert [finding for finding in report.findings if finding.severity == "error"] == []


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.name)
def test_both_find_the_same_in_its_invalid_streams(path: Traversable) -> None:
    agree(lines_of(path / "stream.jsonl"))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_both_find_the_same_in_our_examples(rule: Rule) -> None:
    agree(list(rule.failing))
    agree(list(rule.passing))


@pytest.mark.parametrize("seed", range(150))
def test_both_find_the_same_in_damaged_streams(seed: int) -> None:
    """Take a valid stream, and leave out, repeat or swap some of its events."""
    random = Random(seed)
    lines = lines_of(random.choice(VALID))
    for _ in range(random.choice((1, 1, 2, 3))):
        place = random.randrange(len(lines))
        match random.randrange(3):
            case 0 if len(lines) > 1:
                del lines[place]
            case 1:
                lines.insert(random.randrange(len(lines) + 1), lines[place])
            case _:
                other = random.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
    agree(lines)


def test_every_rule_of_the_other_is_accounted_for() -> None:
    catalog: Any = json.loads((files(ag_ui_validate) / "spec" / "catalog.json").read_text("utf-8"))
    core = {rule["id"] for rule in catalog["rules"] if rule["checkedIn"] == "core"}
    assert core - SAME.keys() - LEFT == set()
    assert {rule.id for rule in RULES} - set(SAME.values()) - OURS == {"agui-chunk"}
    assert Path(str(SPEC)).is_dir()
