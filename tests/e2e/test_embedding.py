"""Duologue below a path of another application, over real sockets and in a real browser."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Visit
from tests.e2e.embedded import Application
from websockets.sync.client import connect


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Application]:
    """Give the Starlette example."""
    with Application("embed_starlette", tmp_path) as application:
        yield application


def test_the_pages_work_below_the_path(shop: Application, visit: Visit) -> None:
    page = visit(shop.url)
    page.get_by_role("link", name="Ask the assistant").click()
    page.get_by_role("textbox", name="Message").fill("How much is rice?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Rice is 1.99 €.", exact=True)).to_be_visible()
    # What the shop asks in process is in the same list as what was asked here.
    assert httpx2.get(f"{shop.url}/ask", params={"about": "tea"}).text == "Tea is 3.20 €."
    page.get_by_role("link", name="Sessions").click()
    expect(page).to_have_url(f"{shop.url}/assistant/sessions")
    page.get_by_role("link", name=re.compile("tea")).click()
    expect(page.get_by_text("Tea is 3.20 €.").first).to_be_visible()
    page.get_by_role("link", name="Docs").click()
    expect(page).to_have_url(f"{shop.url}/assistant/docs")
    page.get_by_role("main").locator('a[href$="docs/chat"]').click()
    expect(page).to_have_url(f"{shop.url}/assistant/docs/chat")
    page.get_by_role("main").locator("a[href*='/docs/']").first.click()
    expect(page).to_have_url(re.compile(f"^{shop.url}/assistant/docs/(?!chat$)"))
    page.get_by_role("link", name="Talk", exact=True).click()
    expect(page.get_by_text("Rice is 1.99 €.", exact=True)).to_be_visible()
    assert page.evaluate("Object.keys(localStorage)") == ["duologue.session/assistant/"]


def test_the_pages_work_behind_a_proxy_that_takes_a_path_away(tmp_path: Path, visit: Visit) -> None:
    with Application("tests.e2e.agents.behind_proxy", tmp_path) as behind:
        # What is asked for beside the path fails there, and with it this test: the page's console has an error.
        page = visit(f"{behind.url}/behind/")
        page.get_by_role("textbox", name="Message").fill("hello")
        page.keyboard.press("Enter")
        expect(page.locator("duo-transcript")).to_contain_text("hello")
        page.get_by_role("link", name="Sessions").click()
        expect(page.get_by_role("link", name=re.compile("hello"))).to_be_visible()
        page.get_by_role("link", name="Docs").click()
        page.locator("#pages").get_by_role("link").last.click()
        expect(page).to_have_url(re.compile(f"^{behind.url}/behind/docs/.+"))
        # Else the page still loads something when its server goes.
        page.wait_for_load_state("networkidle")
        assert behind.stop() in (0, -signal.SIGTERM)
        assert "AssertionError" not in "".join(behind.log)


@pytest.mark.counterpart("websockets", "httpx2")
def test_each_protocol_is_spoken_below_the_path(shop: Application) -> None:
    card = httpx2.get(f"{shop.url}/assistant/.well-known/agent-card.json").json()
    address: str = card["supportedInterfaces"][0]["url"]
    assert address == f"ws://127.0.0.1:{shop.port}/assistant/agentcall"
    with connect(address, proxy=None) as socket:
        socket.send(json.dumps({"type": "session.start", "sessionId": "s"}))
        socket.send(json.dumps({"type": "user.turn", "turn": 1, "text": "tea?"}))
        frames = [json.loads(socket.recv(timeout=15)) for _ in range(3)]
    assert frames[0]["type"] == "session.opened"
    with connect(f"ws://127.0.0.1:{shop.port}/assistant/ghost", proxy=None) as socket:
        socket.send(json.dumps({"type": "session.open", "session_id": "s"}))
        assert json.loads(socket.recv(timeout=15))["type"] == "session.opened"
    body = {"sessionId": "s", "requestId": "r", "text": "rice?"}
    with httpx2.stream("POST", f"{shop.url}/assistant/chat/stream", json=body) as response:
        text = "".join(response.iter_text())
    assert "1.99" in text and text.startswith("id: ")


def test_the_command_line_finds_it_below_the_path(shop: Application) -> None:
    address = f"{shop.url}/assistant"

    def command(*words: str, given: str = "") -> str:
        line = [sys.executable, "-m", "duologue.server", *words, "--url", address]
        return subprocess.run(line, input=given, capture_output=True, text=True, timeout=60, check=True).stdout

    assert "Tea is 3.20 €." in command("chat", "--session", "s", given="How much is tea?")
    assert "How much is tea?" in command("sessions", "show", "s")
    assert "s" in command("sessions", "list")


def test_the_application_stops_though_a_stream_is_open(shop: Application) -> None:
    assert httpx2.get(f"{shop.url}/ask", params={"about": "tea"}).text == "Tea is 3.20 €."
    address = f"{shop.url}/assistant/ghost/sessions/counter/events"
    with httpx2.stream("GET", address, timeout=30) as response:
        lines = response.iter_lines()
        assert next(lines).startswith("id: 1")
        code = shop.stop()
        assert ": the server is restarting" in list(lines)
    assert code in (0, -signal.SIGTERM)
    assert "Traceback" not in "".join(shop.log)


def test_what_was_said_is_there_after_a_crash(tmp_path: Path) -> None:
    for says, turn in (("tea", 1), ("rice", 2)):
        with Application("embed_starlette", tmp_path) as shop:
            assert httpx2.get(f"{shop.url}/ask", params={"about": says}).status_code == 200
            listed = httpx2.get(f"{shop.url}/assistant/api/sessions").json()["sessions"]
            assert [(row["sessionId"], row["turns"]) for row in listed] == [("counter", turn)]
