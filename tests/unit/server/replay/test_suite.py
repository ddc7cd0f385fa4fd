"""Rules of a suite: what they ask, how they are read, and how they are told."""

import asyncio
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import pytest
from tests.unit.server.replay.recordings import Stage, Various, quiet, record
from typer.testing import CliRunner, Result

from duologue.model.errors import DuologueError
from duologue.server.cli import commands
from duologue.server.replay import outlets, suite
from duologue.server.replay.page import page
from duologue.server.replay.rules import Judges, Rules, RulesError, TurnRules, failures, read_rules
from duologue.server.replay.suite import Replayed
from duologue.server.replay.turns import Pair, Source, TurnView
from duologue.server.replay.words import pieces

THEN = TurnView(turn=1, asked="hi", outcome="completed", text="Aisle seven.", ttft_ms=5, duration_ms=9)
NOW = TurnView(
    turn=1,
    asked="hi",
    outcome="completed",
    text="It is in aisle 7.",
    citations=(Source(title="Map", url="/docs/map#aisles"),),
    ttft_ms=50,
    duration_ms=90,
)
PAIR = Pair(turn=1, recorded=THEN, now=NOW, differences=())


def fails(rules: TurnRules, folder: Path = Path(), pair: Pair = PAIR) -> list[str]:
    found = asyncio.run(failures(pair, rules, Judges(folder)))
    return [failure.partition(":")[0] for failure in found]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (TurnRules(), []),
        (TurnRules(outcome="same", text="any"), []),
        (TurnRules(outcome="failed"), ["outcome"]),
        (TurnRules(text="same", citations="same"), ["text", "citations"]),
        (TurnRules(contains=("aisle", "rice"), lacks=("sorry", "7")), ["contains", "lacks"]),
        (TurnRules(matches=r"(?i)AISLE \d"), []),
        (TurnRules(matches=r"^aisle"), ["matches"]),
        (TurnRules(cites=("map#aisles",)), []),
        (TurnRules(cites=("map#tills",)), ["cites"]),
        (TurnRules(first_text_ms=50, within_ms=90), []),
        (TurnRules(first_text_ms=49, within_ms=89), ["first_text_ms", "within_ms"]),
    ],
)
def test_rules_ask_what_they_say(rules: TurnRules, expected: list[str]) -> None:
    assert fails(rules) == expected


def test_a_turn_that_is_missing_fails() -> None:
    assert len(fails(TurnRules(), pair=Pair(turn=2, recorded=THEN, now=None, differences=()))) == 1


def test_judges_are_functions_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "judges_of_this_test.py").write_text(
        "def fine(recorded, now): return 'aisle' in now.text\n"
        "async def no(recorded, now): return f'{recorded.text} was better'\n"
        "def broken(recorded, now): raise KeyError('x')\n"
    )
    assert fails(TurnRules(judge="judges_of_this_test:fine"), tmp_path) == []
    assert fails(TurnRules(judge="judges_of_this_test:no"), tmp_path) == ["judge judges_of_this_test"]
    for name in ("judges_of_this_test:broken", "judges_of_this_test:missing", "no_such_module_at_all:x"):
        with pytest.raises(RulesError, match=name):
            fails(TurnRules(judge=name), tmp_path)


def test_files_lie_over_one_another_and_turns_over_the_whole(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text('[turns]\noutcome = "same"\nlacks = ["sorry"]\n')
    (tmp_path / "talk.toml").write_text('[turns]\nlacks = ["no"]\n[turn.2]\noutcome = "failed"\n')
    rules = read_rules([tmp_path / "suite.toml", tmp_path / "talk.toml", tmp_path / "none.toml"])
    assert rules.given
    assert rules.of(1) == TurnRules(outcome="same", lacks=("no",))
    assert rules.of(2) == TurnRules(outcome="failed", lacks=("no",))
    assert not read_rules([tmp_path / "none.toml"]).given


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[turns]\ncontain = ['x']\n", "did you mean contains?"),
        ("[turns]\nmatches = '('\n", "unterminated"),
        ("[turn.one]\ntext = 'same'\n", "turn.2"),
        ("[turns]\ntext = 'exact'\n", "exact"),
        ("[turns\n", "Expected"),
    ],
)
def test_wrong_rules_are_told(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(RulesError, match=told):
        read_rules([tmp_path / "x.toml"])


def test_words_that_differ_are_found() -> None:
    assert [tuple(piece) for piece in pieces("one two three", "one 2 three")] == [
        ("same", "one "),
        ("gone", "two"),
        ("new", "2"),
        ("same", " three"),
    ]
    assert [kind for kind, _ in pieces("nothing alike", "quite otherwise here")] == ["gone", "new"]
    assert [kind for kind, _ in pieces("", "only new")] == ["new"]


async def short(stage: Stage) -> None:
    for text in ("hello", "fail", "<b>&"):
        await stage.say(text)


@pytest.fixture(scope="module")
def talk() -> bytes:
    return record(short)


@pytest.fixture
def folder(talk: bytes, tmp_path: Path) -> Path:
    (tmp_path / "talk.jsonl").write_bytes(talk)
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["replay", *map(str, arguments)])


def otherwise(folder: Path) -> Replayed:
    work = suite.one_file(folder / "talk.jsonl", rules=None)
    agent = Various("better", better=True)
    done = suite.run(work.recorded, make_agent=lambda: agent, agent="better", log=quiet)
    return asyncio.run(suite.judged(work, done, judges=Judges(folder), always=True))


def test_the_command_runs_an_export_as_it_was(folder: Path) -> None:
    done = run(folder / "talk.jsonl")
    assert done.exit_code == 0, done.stdout
    assert "byte for byte" in done.stdout
    assert "run again, the same bytes" in done.stdout


def test_verify_looks_at_the_law_alone(folder: Path) -> None:
    assert run(folder / "talk.jsonl", "--verify").exit_code == 0
    export = (folder / "talk.jsonl").read_bytes()
    (folder / "talk.jsonl").write_bytes(export.replace(b'"You said "', b'"You sand "', 1))
    done = run(folder / "talk.jsonl", "--verify")
    assert done.exit_code == 1
    assert "broken at event" in done.stdout


def test_without_rules_a_difference_is_told_and_no_failure(folder: Path) -> None:
    done = run(folder / "talk.jsonl", "--folder", folder)
    assert done.exit_code == 0, done.stdout
    assert "text" in done.stdout


def test_a_folder_is_a_suite_in_which_turns_have_to_be_the_same(folder: Path) -> None:
    assert run(folder).exit_code == 0
    done = run(folder, "--folder", folder, "--format", "json")
    assert done.exit_code == 1
    told: Any = json.loads(done.stdout)
    assert told["failed"] is True
    assert told["sessions"][0]["turns"][0]["failures"]


def test_rules_decide(folder: Path) -> None:
    rules = folder / "loose.toml"
    rules.write_text('[turns]\nlacks = ["You said"]\n')
    assert run(folder / "talk.jsonl", "--folder", folder, "--rules", rules).exit_code == 0
    rules.write_text('[turns]\nlacks = ["You said"]\n[turn.1]\ncontains = ["You said"]\n')
    assert run(folder / "talk.jsonl", "--folder", folder, "--rules", rules).exit_code == 1


def test_junit_has_the_law_and_every_turn(folder: Path) -> None:
    root = xml.fromstring(outlets.as_junit([otherwise(folder)]))
    (cases,) = root
    assert [case.get("name") for case in cases] == ["law", "turn 1", "turn 2", "turn 3"]
    assert [case.find("failure") is not None for case in cases] == [False, True, False, True]
    assert root.get("tests") == "4"
    assert root.get("failures") == "2"


def test_the_page_stands_alone_and_shows_no_markup_of_others(folder: Path) -> None:
    text = page([otherwise(folder)])
    assert "{{" not in text
    assert "http" not in text.replace("http-equiv", "").replace("/docs/", "")
    assert "<b>&" not in text
    assert "&lt;b&gt;&amp;" in text
    assert text.count("<details") == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing.jsonl",),
        ("no-such-session", "--data", "no-such-folder"),
        (".", "--agent", "a:b", "--configured"),
        (".", "--verify", "--agent", "a:b"),
        (".", "--rules", "none.toml"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(run(*arguments).exception, DuologueError)


def test_what_is_no_export_is_told(folder: Path) -> None:
    export = (folder / "talk.jsonl").read_bytes()
    for damaged in (b"", b"{}\n", export[: len(export) // 2], export.split(b"\n", 1)[0]):
        (folder / "talk.jsonl").write_bytes(damaged)
        assert isinstance(run(folder / "talk.jsonl").exception, DuologueError)


def test_rules_without_a_file_ask_for_the_same() -> None:
    assert Rules().of(3) == TurnRules(outcome="same", text="same", citations="same")
