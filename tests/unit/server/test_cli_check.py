"""`duologue check` on recordings: exit codes, forms of telling, and what cannot be read."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from duologue.model.errors import DuologueError
from duologue.server.cli import commands

FINE = '{"type":"user_transcript","transcript":"Hi"}\n'
ODD = FINE + '{"type":"llm_response","response":"a"}\n{"type":"llm_response","response":"a"}\n'
WRONG = FINE + '{"type":"user_transcript"}\n'


def run(*arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(commands, ["check", "-p", "jambonz", *arguments], input=given)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "recording.jsonl"


def test_nothing_found_is_0(recording: Path) -> None:
    recording.write_text(FINE)
    done = run(str(recording))
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1)
    assert "1 frames, 0 errors, 0 warnings" in done.stdout


def test_something_found_is_1_and_told_with_its_place(recording: Path) -> None:
    recording.write_text(WRONG)
    done = run(str(recording))
    assert done.exit_code == 1
    assert f"{recording}:2 error jambonz-schema (frame 2)" in done.stdout
    assert "a member `transcript` as well" in done.stdout


def test_warnings_fail_only_where_that_is_asked(recording: Path) -> None:
    recording.write_text(ODD)
    assert run(str(recording)).exit_code == 0
    assert run(str(recording), "--strict").exit_code == 1


def test_the_input_is_read() -> None:
    assert run("-", given=WRONG).exit_code == 1


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_forms_for_programs_are_json(form: str) -> None:
    done = run("-", "--format", form, given=WRONG)
    assert done.exit_code == 1
    assert "jambonz-schema" in json.dumps(json.loads(done.stdout))


def test_what_cannot_be_read_is_an_error_of_ours(recording: Path) -> None:
    assert isinstance(run(str(recording)).exception, DuologueError)
    recording.write_text("\n\n")
    assert "no frames" in str(run(str(recording)).exception)


def test_sending_is_for_addresses() -> None:
    assert "for an address" in str(run("-", "--send", "{}", given=FINE).exception)
    assert "not JSON" in str(run("http://127.0.0.1:9", "--send", "{").exception)


def test_an_address_that_does_not_answer_is_told() -> None:
    assert isinstance(run("http://127.0.0.1:9", "--seconds", "2").exception, DuologueError)
    assert isinstance(run("ws://127.0.0.1:9", "--seconds", "2").exception, DuologueError)


def test_nothing_of_a_frame_commands_the_terminal() -> None:
    done = run("-", given='{"type":"\x1b[31m"}')
    assert "\x1b" not in done.stdout
