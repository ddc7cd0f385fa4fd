"""`duologue chat`: a conversation on a terminal and over a pipe, in process and with a server."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import AGENTS, search_path
from tests.e2e.terminal import CTRL_C, CTRL_D, OnTerminal

PROGRAM = [sys.executable, "-m", "duologue.server", "chat"]
AGENT = ["--agent", "terminal_agent:answer"]

Talk = Callable[..., OnTerminal]


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Give a file that the agent waits for where it is asked to wait."""
    return tmp_path / "gate"


@pytest.fixture
def environment(gate: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": search_path(AGENTS), "TERMINAL_AGENT_GATE": str(gate)}


@pytest.fixture
def talk(tmp_path: Path, environment: dict[str, str]) -> Talk:
    """Talk on a terminal, with the agent of these tests in process where no `--url` is given."""

    def talk(*arguments: str, columns: int = 80) -> OnTerminal:
        agent = [] if "--url" in arguments else AGENT
        return OnTerminal([*PROGRAM, *agent, *arguments], folder=tmp_path, columns=columns, env=environment)

    return talk


def piped(lines: str, *arguments: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Talk over pipes."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=60,
        check=False,
    )


def plain(text: str) -> str:
    """Leave out what only colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")


def test_an_answer_is_shown_with_its_sources_and_suggestions(talk: Talk) -> None:
    with talk() as terminal:
        terminal.see("you> ")
        terminal.type("hello\n")
        seen = plain(terminal.see("Rice"))
        assert "you said hello [1]\n  [1] Shelves  /docs/shelves#tea\n  1  Tea\n  2  Rice" in seen
        terminal.see("you> ")
        terminal.type("2\n")
        terminal.see(r"you said and rice\?")
        terminal.see("you> ")
        terminal.type("3\n")
        terminal.see("you said 3")
        terminal.see("you> ")
        terminal.type(CTRL_D)
        assert "to go on: duologue chat --agent terminal_agent:answer --session " in plain(terminal.see("session .*"))
        assert terminal.end() == 0


def test_text_is_shown_as_it_comes_and_an_answer_goes_on_after_it(talk: Talk, gate: Path) -> None:
    with talk() as terminal:
        terminal.see("you> ")
        terminal.type("wait\n")
        terminal.see("one moment ")
        gate.touch()
        terminal.see("and here it is")


def test_a_second_ctrl_c_leaves_where_stopping_takes_long(
    talk: Talk, serve: Serve, environment: dict[str, str]
) -> None:
    server = serve(*AGENT, environment=environment)
    with talk("--url", server.url) as terminal:
        terminal.see("you> ")
        terminal.type("wait\n")
        terminal.see("one moment ")
        server.kill()
        terminal.see("connecting again")
        terminal.type(CTRL_C)
        terminal.see("stopping")
        terminal.type(CTRL_C)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.screen


def test_lines_are_broken_between_words(talk: Talk) -> None:
    with talk(columns=40) as terminal:
        terminal.see("you> ")
        terminal.type("long\n")
        shown = plain(terminal.see("word29"))
        lines = shown[shown.index("word0") :].split("\n")
        assert len(lines) > 4
        assert all(re.fullmatch(r"(word\d+ ?)+", line) and len(line) <= 40 for line in lines)


def test_errors_say_what_can_be_done(talk: Talk) -> None:
    with talk() as terminal:
        terminal.see("you> ")
        terminal.type("fail\n")
        terminal.see(r"error: the shop is closed \(send it again\)")
        terminal.see("you> ")
        terminal.type("break\n")
        terminal.see("agent_failed .*LookupError.*nobody reads this")
        terminal.see("error: the agent failed")
        terminal.see("you> ")
        terminal.type("card\n")
        assert plain(terminal.see("}")).endswith('[shop.product]\n{\n  "name": "tea"\n}')


def test_an_agent_does_not_command_the_terminal(talk: Talk) -> None:
    with talk() as terminal:
        terminal.see("you> ")
        terminal.type("escape\n")
        seen = terminal.see("turned")
        assert "]0;owned" in seen and "\x1b]0" not in seen and "\x1b[31m" not in seen and "\u202e" not in seen


def test_a_session_is_gone_on_with(talk: Talk) -> None:
    with talk("--session", "kitchen") as terminal:
        terminal.see("you> ")
        terminal.type("hello\n")
        terminal.see("Rice")
        terminal.see("you> ")
        terminal.type(CTRL_D)
        assert terminal.end() == 0
    with talk("--session", "kitchen") as terminal:
        assert "you> hello\nyou said hello [1]" in plain(terminal.see("Rice"))
        terminal.see("you> ")
        # The suggestions of the last answer can still be chosen.
        terminal.type("1\n")
        terminal.see("you said tell me about tea")


def test_it_comes_back_after_the_server_was_killed(
    talk: Talk, serve: Serve, environment: dict[str, str], gate: Path
) -> None:
    server = serve(*AGENT, environment=environment)
    with talk("--url", server.url) as terminal:
        terminal.see("you> ")
        terminal.type("wait\n")
        terminal.see("one moment ")
        server.kill()
        terminal.see("connecting again")
        server.start()
        terminal.see("connected again")
        terminal.see("it is being made again")
        terminal.see("one moment ")
        gate.touch()
        terminal.see("and here it is")
        terminal.see("you> ")
        # And a message that is sent while there is no server is kept.
        server.kill()
        terminal.type("are you there?\n")
        terminal.see("connecting again")
        server.start()
        terminal.see(r"you said are you there\?")
        terminal.see("you> ")
        terminal.type(CTRL_D)
        assert terminal.end() == 0
        assert terminal.screen.count("you said are you there?") == 1


def test_ctrl_c_stops_the_answer_and_leaves_at_the_prompt(talk: Talk) -> None:
    with talk() as terminal:
        terminal.see("you> ")
        terminal.type("wait\n")
        terminal.see("one moment ")
        terminal.type(CTRL_C)
        terminal.see("stopping")
        terminal.see(r"\(stopped\)")
        terminal.see("you> ")
        terminal.type("hello\n")
        terminal.see("you said hello")
        terminal.see("you> ")
        terminal.type(CTRL_C)
        assert terminal.end() == 0
        assert "Traceback" not in terminal.screen


def test_what_others_say_is_shown(talk: Talk, serve: Serve, environment: dict[str, str]) -> None:
    server = serve(*AGENT, environment=environment)
    shared = ("--url", server.url, "--session", "shared")
    with talk(*shared) as one, talk(*shared) as other:
        one.see("you> ")
        other.see("you> ")
        one.type("hello\n")
        one.see("Rice")
        # What others say is shown with the next prompt; it may still be on its way to the first of them.
        while "you said hello" not in other.screen:
            other.type("\n")
            other.see("you> ")
        assert re.search(r"you> (\x1b\[\d*m)*hello", other.screen)


def test_over_a_pipe_each_line_is_answered_in_plain_text(tmp_path: Path, environment: dict[str, str]) -> None:
    done = piped("hello\n\n2\nlong\n", *AGENT, folder=tmp_path, environment=environment)
    words = " ".join(f"word{number}" for number in range(30))
    assert done.stdout == (
        "you said hello [1]\n  [1] Shelves  /docs/shelves#tea\n  1  Tea\n  2  Rice\n"
        "you said and rice? [1]\n  [1] Shelves  /docs/shelves#tea\n  1  Tea\n  2  Rice\n"
        f"{words} \n"
    )
    assert (done.stderr, done.returncode) == ("", 0)


def test_over_a_pipe_a_failure_is_the_exit_code(tmp_path: Path, environment: dict[str, str]) -> None:
    done = piped("fail\nhello", *AGENT, folder=tmp_path, environment=environment)
    assert done.stderr == "error: the shop is closed (send it again)\n"
    assert done.stdout.startswith("you said hello")
    assert done.returncode == 1


def test_over_a_pipe_only_what_is_asked_is_answered(tmp_path: Path, environment: dict[str, str], serve: Serve) -> None:
    server = serve(*AGENT, environment=environment)
    shared = ("--url", server.url, "--session", "shared")
    piped("before\n", *shared, folder=tmp_path, environment=environment)
    done = piped("long\n", *shared, folder=tmp_path, environment=environment)
    assert done.stdout.startswith("word0 ") and "before" not in done.stdout


def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*PROGRAM, *AGENT],
        input=b"caf\xe9\n",
        capture_output=True,
        cwd=tmp_path,
        env=environment | {"PYTHONIOENCODING": "ascii"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.startswith(b"you said caf?")


def test_a_server_that_asks_for_a_token_is_told_and_given_one(
    tmp_path: Path, environment: dict[str, str], serve: Serve
) -> None:
    key = "a-key-of-this-test-only"
    server = serve(*AGENT, environment=environment | {"DUOLOGUE_AUTH__API_KEYS": key})
    refused = piped("hello\n", "--url", server.url, folder=tmp_path, environment=environment)
    assert refused.returncode == 1 and "error: A credential is needed" in refused.stderr
    done = piped("hello\n", "--url", server.url, "--token", key, folder=tmp_path, environment=environment)
    assert done.returncode == 0 and done.stdout.startswith("you said hello")
    assert f"{server.url}/docs/shelves#tea" in done.stdout


def test_what_is_no_duologue_server_is_told(tmp_path: Path, environment: dict[str, str], serve: Serve) -> None:
    server = serve(*AGENT, environment=environment)
    done = piped("hello\n", "--url", f"{server.url}/elsewhere", folder=tmp_path, environment=environment)
    assert done.returncode == 1 and "is no Duologue server" in done.stderr


def test_an_ended_session_says_so(tmp_path: Path, environment: dict[str, str], serve: Serve) -> None:
    server = serve(*AGENT, environment=environment)
    piped("hello\n", "--url", server.url, "--session", "s", folder=tmp_path, environment=environment)
    httpx2.post(f"{server.url}/chat/end", json={"sessionId": "s"}).raise_for_status()
    done = piped("hello\n", "--url", server.url, "--session", "s", folder=tmp_path, environment=environment)
    assert "the session has ended" in done.stderr and done.stdout == ""
    assert done.returncode == 1
