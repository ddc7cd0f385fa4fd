"""The command line: help, mistakes, and the sessions of a data folder."""

import asyncio
import io
import json
import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from duologue.adapters.store_sqlite.lock import FolderLock
from duologue.ghost import Ghost, Turn
from duologue.server.auth import Auth
from duologue.server.cli import main
from duologue.server.cli_show import bar
from duologue.server.looking import timeline
from duologue.server.settings_auth import ApiKey, AuthSettings
from duologue.server.settings_load import load_settings


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ran]:
    """Run the command line in an empty folder, as the program would."""
    monkeypatch.chdir(tmp_path)
    # Commands set up the process that they have to themselves; here they share it.
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str, given: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "argv", ["duologue", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0, said.out, said.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a data folder with one session, `kitchen`, of a person that is called ada."""
    folder = tmp_path / "journals"

    async def talk() -> None:
        async with Ghost(echo, data=folder, subject="ada") as ghost:
            session = await ghost.session("kitchen")
            async for _ in session.say("hello\x1b[31m there"):
                pass

    asyncio.run(talk())
    return folder


async def echo(turn: Turn) -> str:
    return f"you said {turn.text}"


def test_help_names_the_commands(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0
    assert re.findall(r"^\W*(serve|chat|sessions) ", out, re.MULTILINE) == ["serve", "chat", "sessions"]


@pytest.mark.parametrize("command", ["list", "search", "show", "export", "import", "delete", "forget"])
def test_each_command_of_sessions_has_help(run: Run, command: str) -> None:
    code, out, _ = run("sessions", command, "--help")
    assert code == 0 and "--data" in out and "--url" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("serve", "--port", "99999"), "server.port: expected a whole number"),
        (("serve", "--folder", "a", "--agent", "b:c"), "two different agents"),
        (("serve", "--agent", "nothing_of_that_name:answer"), "no module 'nothing_of_that_name'"),
        (("serve", "--agent", "echo"), "agent.function: expected module:name, such as my_agent:answer"),
        (("serve", "--folder", "nowhere"), "nowhere"),
        (("serve", "--host", "0.0.0.0"), "no auth is configured"),
        (("serve", "--config", "absent.toml"), "absent.toml: cannot be read"),
        (("chat", "--agent", "nothing_of_that_name:answer"), "no module 'nothing_of_that_name'"),
        (("chat", "--url", "localhost:8420"), "write it like http://127.0.0.1:8420"),
        (("chat", "--url", "http://127.0.0.1:8420", "--data", "x"), "--data is for a conversation without"),
        (("chat", "--token", "x"), "give --url as well"),
        (("sessions", "list"), "there is no data folder duologue-data; name it with --data"),
        (("sessions", "list", "--token", "x"), "give --url as well"),
        (("sessions", "list", "--url", "http://127.0.0.1:1", "--data", "x"), "leave them or --url away"),
        (("sessions", "list", "--url", "nowhere"), "write it like http://127.0.0.1:8420"),
        (("sessions", "import", "absent.jsonl"), "absent.jsonl: No such file"),
    ],
)
def test_a_mistake_ends_with_code_2_and_what_to_do(run: Run, arguments: tuple[str, ...], words: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("duologue: ") and words in err


def test_a_wrong_key_of_the_settings_file_is_named_with_the_right_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "duologue.toml").write_text("[server]\nprot = 1\n")
    code, _, err = run("chat")
    assert code == 2 and "server.prot: unknown key" in err and "server.port" in err


def test_an_agent_is_found_where_the_command_is_given(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent_of_this_folder.py").write_text("async def answer(turn):\n    yield 'from here'\n")
    code, out, _ = run("chat", "--agent", "agent_of_this_folder:answer", given=b"hi\n")
    assert (code, out) == (0, "from here\n")


def test_sessions_are_listed_and_shown(run: Run, folder: Path) -> None:
    code, out, _ = run("sessions", "list", "--data", str(folder))
    assert code == 0
    name, _, turns, state, title = out.rstrip("\n").split("\t")
    assert (name, turns, state, title) == ("kitchen", "1", "open", "hello[31m there")
    code, out, _ = run("sessions", "show", "kitchen", "--data", str(folder))
    assert code == 0
    # What people wrote does not command the terminal.
    assert out.endswith("\nyou> hello[31m there\n\nagent> you said hello[31m there\n")


def test_a_session_shows_how_long_each_turn_took(run: Run, folder: Path) -> None:
    code, out, _ = run("sessions", "show", "kitchen", "--events", "--data", str(folder))
    assert code == 0
    assert re.search(r"^turn 1  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*  completed  over ghost$", out, re.MULTILINE)
    assert re.search(r"^  [░█]* ?first word \d+ ms, whole \d+ ms, 1 tokens", out, re.MULTILINE)
    listed = re.findall(r"^ *(\d+)  \+\d\.\d{3} s  \w+ +(\w+)", out, re.MULTILINE)
    assert [int(number) for number, _ in listed] == list(range(1, len(listed) + 1))
    assert listed[0][1] == "session_started" and listed[-1][1] == "turn_ended"


def test_sessions_are_found_by_what_was_said(run: Run, folder: Path) -> None:
    data = ("--data", str(folder))
    (line,) = run("sessions", "search", "YOU", "said", *data).out.splitlines()
    assert line.split("\t")[0] == "kitchen"
    assert line.split("\t")[-1] == "turn 1, agent> you said hello[31m there"
    assert run("sessions", "search", "there", *data).out.split("\t")[-1] == "hello[31m there\n", "in the title"
    assert run("sessions", "search", "there", "--subject", "bob", *data).out == ""
    assert run("sessions", "search", "nowhere", *data).out == ""
    assert run("sessions", "list", "--state", "ended", *data).out == ""
    assert run("sessions", "list", "--state", "open", "--limit", "1", *data).out.startswith("kitchen\t")
    assert run("sessions", "list", "--state", "asleep", *data).code == 2


def test_programs_get_json(run: Run, folder: Path) -> None:
    form = ("--format", "json", "--data", str(folder))
    (row,) = map(json.loads, run("sessions", "list", *form).out.splitlines())
    assert (row["sessionId"], row["subject"], row["turns"], row["title"]) == (
        "kitchen",
        "ada",
        1,
        "hello\x1b[31m there",
    )
    (found,) = map(json.loads, run("sessions", "search", "said", *form).out.splitlines())
    assert found["match"]["turn"] == 1
    shown = json.loads(run("sessions", "show", "kitchen", *form).out)
    assert shown["session"] == row
    (turn,) = shown["turns"]
    assert turn["answer"] == "you said hello\x1b[31m there" and turn["figures"]["ttftMs"] >= 0
    assert "events" not in shown
    assert json.loads(run("sessions", "show", "kitchen", "--events", *form).out)["events"][0]["seq"] == 1
    assert json.loads(run("sessions", "delete", "kitchen", *form).out) == {"deleted": "kitchen"}
    assert json.loads(run("sessions", "forget", "ada", *form).out) == {"deleted": []}


def test_a_bar_shows_waiting_and_streaming() -> None:
    run = timeline.Run(response_id="r", attempt=1, first_sequence=1, started_at=100)
    assert bar(run, 0) == ""
    run.first_text_at = 200
    assert bar(run, 400) == "░" * 10
    run.ended_at = 500
    assert bar(run, 400) == "░" * 10 + "█" * 30
    run.first_text_at = None
    assert bar(run, 800) == "░" * 20


def test_a_session_goes_out_and_comes_back(run: Run, folder: Path, tmp_path: Path) -> None:
    data = ("--data", str(folder))
    shown = run("sessions", "show", "kitchen", *data).out
    assert run("sessions", "export", "kitchen", "--out", "kitchen.jsonl", *data).code == 0
    assert run("sessions", "export", "kitchen", "--out", "kitchen.jsonl", *data).code == 2, "not overwritten"
    assert run("sessions", "export", "kitchen", *data).out.encode() == Path("kitchen.jsonl").read_bytes()
    again = run("sessions", "import", "kitchen.jsonl", *data)
    assert again.code == 2 and "Delete it first" in again.err
    assert run("sessions", "delete", "kitchen", *data).code == 0
    assert run("sessions", "list", *data).out == ""
    assert run("sessions", "import", "kitchen.jsonl", *data).out == "kitchen\n"
    assert run("sessions", "show", "kitchen", *data).out == shown
    elsewhere = str(tmp_path / "elsewhere")
    file = Path("kitchen.jsonl").read_bytes()
    assert run("sessions", "import", "-", "--data", elsewhere, given=file).out == "kitchen\n"
    assert run("sessions", "show", "kitchen", "--data", elsewhere).out == shown


def test_a_damaged_file_is_refused_with_the_line(run: Run, folder: Path) -> None:
    data = ("--data", str(folder))
    lines = run("sessions", "export", "kitchen", *data).out.splitlines(keepends=True)
    run("sessions", "delete", "kitchen", *data)
    del lines[2]
    refused = run("sessions", "import", "-", *data, given="".join(lines).encode())
    assert refused.code == 2 and refused.err.startswith("duologue: line 3: ")
    assert run("sessions", "list", *data).out == ""


def test_a_person_is_forgotten(run: Run, folder: Path) -> None:
    data = ("--data", str(folder))
    assert "removed 0 sessions" in run("sessions", "forget", "bob", *data).out
    assert "removed 1 sessions" in run("sessions", "forget", "ada", *data).out
    assert run("sessions", "list", *data).out == ""


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_a_session_that_is_not_there_is_named(run: Run, folder: Path, command: str) -> None:
    code, out, err = run("sessions", command, "cellar", "--data", str(folder))
    assert (code, out) == (2, "") and "there is no session 'cellar'" in err


@pytest.mark.parametrize("arguments", [("sessions", "list"), ("chat",)])
def test_a_folder_that_a_server_has_open_is_told_with_the_way_out(
    run: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    lock = FolderLock(folder)
    try:
        code, _, err = run(*arguments, "--data", str(folder))
    finally:
        lock.release()
    assert code == 2 and "is in use by process" in err and "--url http://127.0.0.1:8420" in err


def test_a_server_that_is_not_there_is_told(run: Run) -> None:
    # Port 1 of this machine: nobody listens there, and nobody but root could.
    code, _, err = run("sessions", "list", "--url", "http://127.0.0.1:1")
    assert code == 2 and "the server at http://127.0.0.1:1 does not answer" in err
    code, _, err = run("chat", "--url", "http://127.0.0.1:1")
    assert code == 1 and "start one with: duologue serve" in err


def test_listing_goes_beyond_one_page(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    names = [f"session-{number:03}" for number in range(230)]

    async def open_them() -> None:
        async with Ghost(echo, data=folder) as ghost:
            for name in names:
                await ghost.session(name)

    asyncio.run(open_them())
    out = run("sessions", "list", "--data", str(folder)).out
    assert sorted(line.split("\t")[0] for line in out.splitlines()) == names


def test_a_new_key_comes_with_its_lines_for_the_settings(run: Run, tmp_path: Path) -> None:
    ran = run("keys", "new", "reports", "--scope", "sessions:read", "--scope", "metrics:read", "--days", "90")
    assert ran.code == 0
    key = next(line for line in ran.out.splitlines() if line.startswith("duo_"))
    lines = ran.out[ran.out.index("[[auth.api_keys]]") :]
    assert key not in lines
    (tmp_path / "duologue.toml").write_text(lines, encoding="utf-8")
    (known,) = load_settings({}, tmp_path).auth.api_keys
    assert isinstance(known, ApiKey)
    assert (known.name, known.scopes) == ("reports", ("sessions:read", "metrics:read"))
    assert known.expires is not None
    assert Auth(AuthSettings(api_keys=(known,))).configured


@pytest.mark.parametrize("arguments", [["two words"], ["web", "--scope", "everything"]])
def test_a_key_that_cannot_be_is_refused_with_what_could(run: Run, arguments: list[str]) -> None:
    ran = run("keys", "new", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "scopes are sessions:read" in ran.err
