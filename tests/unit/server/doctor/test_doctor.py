"""The doctor finds what is wrong, says what to do, and changes nothing."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest
from typer.testing import CliRunner, Result

from duologue.adapters.store_sqlite import SqliteStore
from duologue.ghost import Ghost, Turn
from duologue.server.cli import commands
from duologue.server.doctor import folder, installed, machine, network, posture, stored, voice
from duologue.server.doctor.findings import Finding
from duologue.server.settings import AuthSettings, ServerSettings, Settings
from duologue.server.settings_voice import VoiceSettings

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look from a folder without settings, and with none in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("DUOLOGUE_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two sessions."""
    place = tmp_path / "data"

    async def answer(turn: Turn) -> Any:
        yield f"You said {turn.text}"

    async def talk() -> None:
        async with Ghost(answer, data=place) as ghost:
            for name in ("s-1", "s-2"):
                async for _ in (await ghost.session(name)).say("hello"):
                    pass

    asyncio.run(talk())
    return place


@pytest.fixture
def port() -> Iterator[int]:
    """A port on which somebody listens and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(commands, ["doctor", *map(str, arguments)])


def found(*arguments: object) -> tuple[int, dict[str, Finding]]:
    done = run(*arguments, "--format", "json")
    told: Any = json.loads(done.stdout)
    findings = msgspec.convert(told["findings"], list[Finding])
    return done.exit_code, {finding.check: finding for finding in findings}


def state(place: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in place.iterdir()}


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "duologue.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


def look(place: Path) -> dict[str, Finding]:
    findings = stored.look(place, sessions=10, deep=False, now_ms=4_000_000_000_000)
    return {finding.check: finding for finding in findings}


def test_where_all_is_well_it_says_so_and_changes_nothing(data: Path, tmp_path: Path) -> None:
    config(tmp_path, "[server]\nport = 0\n")
    before = state(data)
    code, findings = found("--data", data)
    assert [finding for finding in findings.values() if finding.status == "fail"] == []
    assert code == 0
    assert findings["store.journals"].found.startswith("2 journals step to themselves")
    assert findings["store.integrity"].status == "ok"
    assert findings["folder.lock"].found == "nobody has it open"
    assert findings["agent.load"].status == "ok"
    assert state(data) == before


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    _, findings = found("--data", tmp_path / "none")
    assert findings["folder.place"].status == "note"
    assert not (tmp_path / "none").exists()
    assert "store.open" not in findings


def test_wrong_settings_fail_with_every_mistake(tmp_path: Path) -> None:
    config(tmp_path, "[server]\nprot = 1\n[agent]\nkind = 'oracle'\n")
    code, findings = found()
    assert code == 1
    assert "did you mean server.port?" in findings["settings.read"].mend
    assert findings["settings.read"].found == "2 mistakes"


def test_an_agent_that_cannot_be_made_fails(tmp_path: Path) -> None:
    config(tmp_path, "[server]\nport = 0\n[agent]\nkind = 'python'\nfunction = 'no_such_module_here:answer'\n")
    code, findings = found()
    assert code == 1
    assert findings["agent.load"].status == "fail"
    assert "no_such_module_here" in findings["agent.load"].mend


def test_no_secret_is_told(tmp_path: Path) -> None:
    config(
        tmp_path, "[server]\nport = 0\n[auth]\napi_keys = ['top-secret-key-0123456789']\nsecret = '" + "s3" * 20 + "'\n"
    )
    for form in ("text", "json"):
        done = run("--format", form)
        assert "top-secret" not in done.stdout
        assert "s3s3" not in done.stdout
    _, findings = found()
    assert findings["auth.keys"].status == "warn"


def test_warnings_fail_only_where_that_is_asked(tmp_path: Path) -> None:
    config(tmp_path, "[server]\nport = 0\n[auth]\napi_keys = ['top-secret-key-0123456789']\n")
    assert run().exit_code == 0
    assert run("--strict").exit_code == 1


def test_a_damaged_database_fails(data: Path) -> None:
    path = data / "duologue.db"
    content = bytearray(path.read_bytes())
    for at in range(4096, len(content), 4096):
        content[at : at + 600] = b"\xff" * len(content[at : at + 600])
    path.write_bytes(content)
    assert look(data)["store.integrity"].status == "fail"


def test_what_is_of_a_newer_version_fails_with_what_to_do(data: Path) -> None:
    connection = apsw.Connection(str(data / "duologue.db"))
    # apsw's own types name collections.abc.Buffer, which Python 3.11 lacks.
    connection.execute("PRAGMA user_version = 99")  # pyright: ignore[reportUnknownMemberType]
    connection.close()
    finding = look(data)["store.open"]
    assert finding.status == "fail"
    assert "newer Duologue" in finding.found
    assert "Start the newer Duologue" in finding.mend


def test_a_journal_that_does_not_step_to_itself_fails(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def tampered(self: SqliteStore, session_id: str, *, after: int, limit: int) -> bytes:
        lines = await read(self, session_id, after=after, limit=limit)
        return lines.replace(b"You said", b"You sand", 1) if session_id == "s-2" else lines

    read = SqliteStore.read
    monkeypatch.setattr(SqliteStore, "read", tampered)
    finding = look(data)["store.journals"]
    assert finding.status == "fail"
    assert "s-2 at event" in finding.found
    assert "s-1" not in finding.found


def test_stored_times_ahead_of_the_clock_are_told(data: Path) -> None:
    findings = stored.look(data, sessions=0, deep=False, now_ms=1_700_000_000_000)
    assert {finding.check: finding.status for finding in findings}["machine.clock_back"] == "warn"


def test_a_folder_that_others_may_read_is_told(data: Path) -> None:
    data.chmod(0o755)
    places = {finding.check: finding for finding in folder.look(data, None)}
    assert places["folder.place"].status == "warn"
    assert places["folder.space"].status in ("ok", "warn")


async def _hold(data: Path) -> tuple[folder.Holder | None, folder.Holder | None]:
    store = SqliteStore(data)
    await store.open()
    try:
        held = folder.holder_of(data)
    finally:
        await store.close()
    return held, folder.holder_of(data)


def test_who_has_the_folder_open_is_seen(data: Path) -> None:
    held, free = asyncio.run(_hold(data))
    assert held == folder.Holder(pid=str(os.getpid()))
    assert free is None


def test_a_port_that_somebody_else_has_fails(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "PATIENCE_S", 0.2)
    (finding,) = network.look(ServerSettings(port=port), held=False)
    assert (finding.check, finding.status) == ("port.free", "fail")


@pytest.mark.parametrize("now_s", [0.0, 1e9, 1e12])
def test_a_clock_that_is_not_set_fails(now_s: float) -> None:
    assert machine.clock(now_s).status == "fail"
    assert machine.clock(1_800_000_000).status == "ok"


def test_an_old_sqlite_fails() -> None:
    assert installed.sqlite("3.40.1").status == "fail"
    assert installed.sqlite("3.51.3").status == "ok"


def test_what_can_be_reached_without_auth_fails() -> None:
    for server in (ServerSettings(host="0.0.0.0"), ServerSettings(public_url="https://talk.example.com")):
        findings = {finding.check: finding for finding in posture.look(Settings(server=server), None)}
        assert findings["auth.bind"].status == "fail"
        assert "auth.api_keys" in findings["auth.bind"].mend


def test_a_settings_file_with_secrets_is_for_its_owner(tmp_path: Path) -> None:
    path = config(tmp_path, "")
    settings = Settings(auth=AuthSettings(secret="x" * 40))
    for mode, status in ((0o600, "ok"), (0o644, "warn")):
        path.chmod(mode)
        findings = {finding.check: finding for finding in posture.look(settings, path)}
        assert findings["auth.file"].status == status


def test_what_listens_is_tried(data: Path) -> None:
    _, findings = found("--data", data)
    heard = findings["voice.activity"]
    assert heard.status in ("ok", "warn") and "silero_vad.onnx" in heard.found
    assert findings["voice.codecs"].found.startswith("Opus and resampling")
    assert findings["voice.end_of_turn"].status in ("ok", "note")


def nothing_is_there(settings: VoiceSettings) -> Iterator[str]:
    assert settings.stt
    yield from ("no recogniser", "no voice")


def test_what_calls_miss_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice, "find_activity", lambda: None)
    monkeypatch.setattr(voice, "find_turns", lambda: None)
    monkeypatch.setattr(voice, "packaged_model", lambda: None)
    monkeypatch.setattr(voice, "packaged_voice", lambda: None)
    monkeypatch.setattr(voice, "missing", nothing_is_there)
    monkeypatch.setitem(sys.modules, "av", None)
    findings = {finding.check: finding for finding in voice.look(VoiceSettings())}
    assert {finding.status for finding in findings.values()} == {"note"}
    assert "duologue[speech]" in findings["voice.activity"].mend and "duologue[speech]" in findings["voice.codecs"].mend
    assert "Smart Turn" in findings["voice.end_of_turn"].mend


def test_a_model_that_was_named_and_cannot_be_loaded_fails(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model at all" * 100)
    for judged in (voice.activity(str(tmp_path / "model.onnx")), voice.turns("/nowhere/model.onnx")):
        assert judged.status == "fail" and "model.onnx" in judged.mend
    for judged in (voice.whisper(str(tmp_path)), voice.whisper("/nowhere"), voice.piper(str(tmp_path / "model.onnx"))):
        assert judged.status == "fail"
    assert voice.whisper("large-v3-turbo").status == "ok"


def test_calls_that_are_switched_off_are_not_looked_at() -> None:
    assert [finding.status for finding in voice.look(VoiceSettings(enabled="off"))] == ["note"]


def test_calls_that_have_to_be_offered_and_cannot_be_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voice, "missing", nothing_is_there)
    judged = voice.offered(VoiceSettings(enabled="on"))
    assert judged.status == "fail" and judged.mend == "no recogniser\nno voice"


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        (
            " 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n                      HDA Intel PCH at 0xf7f10000\n"
            " 1 [Headset        ]: USB-Audio - A headset\n                      A headset at usb-0000:00:14.0-2\n",
            "audio devices here: HDA-Intel - HDA Intel PCH, USB-Audio - A headset;",
        ),
        ("--- no soundcards ---\n", "this machine has no audio device"),
        (None, "this system does not list its audio devices"),
    ],
)
def test_audio_devices_are_told_and_not_demanded(listed: str | None, found: str, tmp_path: Path) -> None:
    cards = tmp_path / "cards"
    if listed is not None:
        cards.write_text(listed)
    finding = voice.devices(cards)
    assert finding.found.startswith(found)
    assert finding.status in ("ok", "note")
    assert "who calls" in finding.found + finding.mend
