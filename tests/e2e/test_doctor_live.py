"""`duologue doctor` beside a running server, one that has crashed, and one of another folder."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Serve
from tests.e2e.links import AGENTCALL_WS

pytestmark = pytest.mark.anyio


def doctor(folder: Path, port: int, *, data: str = "data-0", code: int = 0) -> dict[str, Any]:
    (folder / "duologue.toml").write_text(f"[server]\nport = {port}\n")
    command = [sys.executable, "-m", "duologue.server", "doctor", "--data", data, "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)
    assert done.returncode == code, done.stdout + done.stderr
    return {finding["check"]: finding for finding in json.loads(done.stdout)["findings"]}


def state(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


async def test_it_asks_the_running_server_and_looks_into_what_a_crash_has_left(serve: Serve, tmp_path: Path) -> None:
    server = serve("--agent", "paced_agent:count", environment={"PACE_S": "0.01"})
    async with AGENTCALL_WS.link(server.port, "s-1") as link:
        await link.say("1000", 1)
        await link.until_delta()
        found = doctor(tmp_path, server.port)
        assert found["server.health"]["status"] == found["server.ready"]["status"] == "ok"
        assert str(server.pid) in found["folder.lock"]["found"]
        assert found["store.open"]["status"] == "skip"
        other = doctor(tmp_path, server.port, data="another")
        assert other["server.folder"]["status"] == "warn"
        server.kill()
    before = state(tmp_path / "data-0")
    found = doctor(tmp_path, server.port)
    assert found["port.free"]["status"] == "ok"
    assert found["store.journals"]["status"] == "ok"
    assert found["store.open_turns"]["found"] == "1 turns were cut"
    assert state(tmp_path / "data-0") == before
    server.start()
    assert doctor(tmp_path, server.port)["server.ready"]["status"] == "ok"
