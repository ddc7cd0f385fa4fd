"""The audit trail: appended to, turned over, and never a reason to fail."""

import json
import os
import stat
from pathlib import Path
from typing import Any

from duologue.server.audit import FIELD_CHARS, FILES, Audit
from duologue.server.auth import ALL_SCOPES, Identity

ADA = Identity(subject="ada", address="192.0.2.1")


class Still:
    """A clock that stands."""

    def now_ms(self) -> int:
        return 1_800_000_000_123


def silent(event: str, **fields: object) -> None:
    raise AssertionError(f"{event} {fields}")


def trail(folder: Path, file_bytes: int = 1_000_000) -> Audit:
    return Audit(folder, clock=Still(), log=silent, file_bytes=file_bytes)


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_an_entry_says_who_did_what_when_from_where_and_how_it_ended(tmp_path: Path) -> None:
    audit = trail(tmp_path / "data")
    key = Identity(subject="ada", is_backend=True, scopes=ALL_SCOPES, name="web", address="192.0.2.9")
    local = Identity(subject="local", is_backend=True, scopes=ALL_SCOPES, address="127.0.0.1")
    audit.note("session.deleted", identity=ADA, about={"session_id": "s-1"})
    audit.note("token.minted", identity=key, outcome="forbidden")
    audit.note("session.exported", identity=local)
    audit.note("auth", outcome="auth_failed", address="198.51.100.1")
    audit.note("person.deleted", who="command line", about={"subject": "ada"})
    audit.close()
    path = tmp_path / "data" / "audit.jsonl"
    at = {"at": "2027-01-15T08:00:00.123+00:00"}
    person = {"who": "person", "subject": "ada", "address": "192.0.2.1"}
    assert entries(path) == [
        at | {"action": "session.deleted", "outcome": "done", "about": {"session_id": "s-1"}} | person,
        at
        | {"action": "token.minted", "outcome": "forbidden", "who": "key", "name": "web"}
        | {"subject": "ada", "address": "192.0.2.9"},
        at
        | {"action": "session.exported", "outcome": "done", "who": "local", "subject": "local"}
        | {"address": "127.0.0.1"},
        at | {"action": "auth", "outcome": "auth_failed", "who": "nobody", "address": "198.51.100.1"},
        at | {"action": "person.deleted", "outcome": "done", "who": "command line", "about": {"subject": "ada"}},
    ]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_it_is_appended_to_also_after_a_line_that_was_cut(tmp_path: Path) -> None:
    for action in ("one", "two"):
        audit = trail(tmp_path)
        audit.note(action)
        audit.close()
        with (tmp_path / "audit.jsonl").open("ab") as file:
            file.write(b'{"at": "20')
    audit = trail(tmp_path)
    audit.note("three")
    lines = (tmp_path / "audit.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["action"] for line in lines if line.endswith(b"}")] == ["one", "two", "three"]
    audit.close()


def test_it_is_turned_over_and_only_so_many_files_are_kept(tmp_path: Path) -> None:
    audit = trail(tmp_path, file_bytes=1_000)
    for number in range(200):
        audit.note("auth", about={"number": str(number)})
    files = sorted(tmp_path.glob("audit*.jsonl"))
    assert len(files) == FILES
    assert all(file.stat().st_size <= 1_000 for file in files)
    numbers = [int(entry["about"]["number"]) for file in files for entry in entries(file)]
    assert sorted(numbers) == list(range(min(numbers), 200))
    # It goes on after a restart, and the latest come from two files where they have to.
    audit.close()
    audit = trail(tmp_path, file_bytes=1_000)
    audit.note("auth", about={"number": "200"})
    latest = [int(json.loads(line)["about"]["number"]) for line in audit.latest(8)]
    assert latest == list(range(193, 201))
    audit.close()


def test_values_are_cut_and_stay_on_one_line(tmp_path: Path) -> None:
    audit = trail(tmp_path)
    audit.note("auth", identity=Identity(subject="x\n" * 500), about={"name": "y" * 1_000})
    audit.close()
    (entry,) = entries(tmp_path / "audit.jsonl")
    assert len(entry["subject"]) == len(entry["about"]["name"]) == FIELD_CHARS + 1


def test_what_cannot_be_written_is_logged_and_tried_again(tmp_path: Path) -> None:
    said: list[str] = []
    folder = tmp_path / "data"
    folder.write_text("a file where the folder should be")
    audit = Audit(folder, clock=Still(), log=lambda event, **_: said.append(event))
    audit.note("one")
    assert said == ["audit_failed"]
    os.unlink(folder)
    audit.note("two")
    assert said == ["audit_failed"]
    assert [json.loads(line)["action"] for line in audit.latest(10)] == ["two"]
    audit.close()
    assert trail(tmp_path / "nowhere").latest(10) == []
