"""`duologue replay` of what a real server recorded: while it runs, after it was killed, and with another agent."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.conftest import Serve, Visit
from tests.e2e.links import AGENTCALL_WS, CHAT_WS

pytestmark = pytest.mark.anyio


def replay(*arguments: str, cwd: Path, code: int = 0) -> str:
    command = [sys.executable, "-m", "duologue.server", "replay", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


async def test_a_killed_servers_session_runs_again_with_the_same_bytes(serve: Serve, tmp_path: Path) -> None:
    server = serve("--agent", "paced_agent:count", environment={"PACE_S": "0.01"})
    async with AGENTCALL_WS.link(server.port, "s-1") as link:
        await link.say("3", 1)
        await link.over()
        await link.say("1000", 2)
        await link.until_delta()
        server.kill()
    server.start()
    async with CHAT_WS.link(server.port, "s-1") as link:
        while not link.answers:
            await link.next()
        await link.send(link.dialect.cancel())
        await asyncio.sleep(0.1)
    # The server has the folder open, so the session is read from it.
    data = ["--data", str(tmp_path / "data-0"), "--config", str(tmp_path / "duologue.toml")]
    (tmp_path / "duologue.toml").write_text(f"[server]\nport = {server.port}\n")
    said = await asyncio.to_thread(replay, "s-1", *data, cwd=tmp_path)
    assert "run again, the same bytes" in said
    assert server.stop() == 0
    told: Any = json.loads(await asyncio.to_thread(replay, "s-1", *data, "--format", "json", cwd=tmp_path))
    (session,) = told["sessions"]
    assert session["same_bytes"] is True
    assert [turn["pair"]["now"]["outcome"] for turn in session["turns"]] == ["completed", "cancelled"]
    assert session["turns"][1]["pair"]["now"]["attempts"] == 2


def test_the_page_can_be_used_by_keyboard_and_on_a_phone(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    server = serve("--agent", "paced_agent:count")
    asked = [(f"m-{number}", text) for number, text in enumerate(("3", "x"), 1)]
    for request_id, text in asked:
        body = json.dumps({"sessionId": "s-1", "requestId": request_id, "text": text})
        command = ["curl", "-sN", f"{server.url}/chat/stream", "-H", "Content-Type: application/json", "-d", body]
        subprocess.run(command, capture_output=True, timeout=60, check=True)
    server.stop()
    replay("s-1", "--data", "data-0", "--folder", str(tmp_path), "--html", "page.html", cwd=tmp_path)
    for width, dark in ((1200, False), (360, True)):
        page = visit((tmp_path / "page.html").as_uri(), width=width, dark=dark)
        assert page.locator("details.turn").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.keyboard.press("j")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.querySelector('.no').textContent") == "2"
        opened = page.locator("details[open]").count()
        page.keyboard.press("o")
        assert page.locator("details[open]").count() == opened - 1
        page.keyboard.press("d")
        assert page.locator("#only").is_checked()
