"""`duologue sessions --url` and what it uses: export and import over `/api`."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from tests.e2e.conftest import Serve
from tests.e2e.harness import AGENTS, Server, search_path

KEY = "a-key-of-this-test-only"


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """Give a server that wants a credential."""
    return serve_module("--agent", "terminal_agent:answer", environment={"DUOLOGUE_AUTH__API_KEYS": KEY})


def client(server: Server, subject: str = "ada") -> httpx2.Client:
    headers = {"Authorization": f"Bearer {KEY}", "Duologue-Subject": subject}
    return httpx2.Client(base_url=server.url, headers=headers)


def say(server: Server, session_id: str, text: str, subject: str = "ada") -> None:
    message = {"sessionId": session_id, "requestId": f"r-{text}", "text": text}
    with client(server, subject) as backend:
        backend.post("/chat/stream", json=message, headers={"Accept": "application/json"}).raise_for_status()


def sessions(server: Server, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "duologue.server", "sessions", *arguments, "--url", server.url, "--token", KEY],
        input=given,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": search_path(AGENTS)},
        timeout=60,
        check=False,
    )


def test_a_session_goes_out_and_comes_back_while_the_server_runs(server: Server, tmp_path: Path) -> None:
    say(server, "kitchen", "hello")
    listed = sessions(server, "list", "--subject", "ada").stdout.decode()
    assert listed.startswith("kitchen\t") and listed.endswith("\t1\topen\thello\n")
    shown = sessions(server, "show", "kitchen", "--subject", "ada").stdout
    assert shown.decode().endswith("\nyou> hello\n\nagent> you said hello\n")
    file = tmp_path / "kitchen.jsonl"
    assert sessions(server, "export", "kitchen", "--subject", "ada", "--out", str(file)).returncode == 0
    with client(server) as backend:
        journal = backend.get("/api/sessions/kitchen/journal").content
        before = backend.get("/api/sessions/kitchen").json()
        assert file.read_bytes().partition(b"\n")[2] == journal
        again = sessions(server, "import", str(file))
        assert again.returncode == 2 and b"Delete it first" in again.stderr
        assert sessions(server, "delete", "kitchen", "--subject", "ada").returncode == 0
        assert backend.get("/api/sessions/kitchen").status_code == 404
        assert sessions(server, "import", str(file)).stdout == b"kitchen\n"
        assert backend.get("/api/sessions/kitchen/journal").content == journal
        assert backend.get("/api/sessions/kitchen").json() == before
        # It is a session like any other: it goes on.
        say(server, "kitchen", "and now?")
        assert backend.get("/api/sessions/kitchen").json()["turns"] == 2
    forgotten = sessions(server, "forget", "ada")
    assert forgotten.stdout == b"removed 1 sessions of ada, and their uploads\n"


def test_uploads_come_along(server: Server) -> None:
    with client(server) as backend:
        upload = backend.post("/chat/upload", files={"file": ("note.txt", b"milk", "text/plain")})
        upload.raise_for_status()
        message = {
            "sessionId": "with-note",
            "requestId": "r",
            "text": "see",
            "attachments": [upload.json()["uploadId"]],
        }
        backend.post("/chat/stream", json=message, headers={"Accept": "application/json"}).raise_for_status()
        file = backend.get("/api/sessions/with-note/export").content
        backend.delete("/api/people/ada").raise_for_status()
        backend.post("/api/sessions/import", content=file).raise_for_status()
        # The server has the file again: a turn may refer to it.
        message |= {"requestId": "r-2"}
        backend.post("/chat/stream", json=message, headers={"Accept": "application/json"}).raise_for_status()


def test_people_may_neither_import_nor_export_what_is_not_theirs(server: Server) -> None:
    say(server, "cellar", "hello")
    with client(server) as backend:
        file = backend.get("/api/sessions/cellar/export").content
        token = backend.post("/chat/token", json={"subject": "bob"}).json()["token"]
    with httpx2.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"}) as person:
        assert person.get("/api/sessions/cellar/export").status_code == 404
        refused = person.post("/api/sessions/import", content=file)
        assert refused.status_code == 403 and "API key" in refused.json()["message"]


@pytest.mark.parametrize(
    ("damage", "words"),
    [(b"", "line 1: the file is empty"), (b"{}\n", "line 1: is damaged"), (None, "line 3: is damaged")],
)
def test_a_damaged_file_is_refused_with_the_line(server: Server, damage: bytes | None, words: str) -> None:
    say(server, "attic", "hello", subject="eve")
    with client(server, "eve") as backend:
        file = backend.get("/api/sessions/attic/export").content
        backend.delete("/api/sessions/attic").raise_for_status()
        lines = file.splitlines(keepends=True)
        body = b"".join([*lines[:2], b"oops\n", *lines[3:]]) if damage is None else damage
        refused = backend.post("/api/sessions/import", content=body)
        assert refused.status_code == 400 and words in refused.json()["message"]
        assert backend.get("/api/sessions/attic").status_code == 404


def test_without_a_credential_the_server_says_what_is_needed(server: Server) -> None:
    command = [sys.executable, "-m", "duologue.server", "sessions", "list", "--url", server.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("duologue: the server refused: A credential is needed")
