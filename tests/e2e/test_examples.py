"""Each example runs as its first lines say."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import PATIENCE_MS, Serve, Visit
from tests.e2e.embedded import Application
from tests.e2e.harness import Server, free_port, search_path

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "How do I configure the port?"


def run(*command: str, given: str = "", folder: Path = EXAMPLES, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", *command],
        env=os.environ | (environment or {}),
        input=given,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """Give a server with the agent that it has by itself."""
    return serve_module()


@pytest.fixture
def answer(server: Server) -> str:
    """Give what the server answers to the examples' question."""
    shown = run("-m", "duologue.server", "chat", "--url", server.url, given=QUESTION)
    return re.sub(r" \[\d+\]", "", shown.partition("\n  [1] ")[0]).rstrip()


def test_ghost_in_process(tmp_path: Path) -> None:
    shown = run(str(EXAMPLES / "ghost_in_process.py"), folder=tmp_path).splitlines()
    assert shown[0] == "You said: hello. That was message 1. "
    assert re.fullmatch(r" +1 idle +agent.ready +\{.*", shown[1])
    assert "turn.complete" in shown[-1] and "message 2" not in shown[0]


def test_python_agent(tmp_path: Path) -> None:
    command = ["-m", "duologue.server", "chat", "--agent", "python_agent:answer", "--data", str(tmp_path)]
    shown = run(*command, given="How much is rice?\n1\nAnything else?\n")
    assert shown.startswith("Rice is 1.99 €, on shelf 4.")
    assert "Oat milk is 2.49 €" in shown, "the first suggestion was chosen"
    assert '[shop.product]\n{\n  "name": "rice"' in shown
    assert "[1] Price list  https://shop.example/prices" in shown
    assert "I only know the shelves of one shop." in shown


def test_tools_agent(serve: Serve) -> None:
    server = serve("--agent", "tools_agent:answer", environment={"PYTHONPATH": search_path(EXAMPLES)})
    with httpx2.Client(base_url=server.url, headers={"Accept": "application/json"}) as client:

        def say(text: str) -> str:
            body = {"sessionId": "s1", "requestId": text, "text": text}
            return str(client.post("/chat/stream", json=body).json()["text"])

        assert say("Where is order 1001?") == "Order 1001 (tea) is on its way, arrives on Friday."
        assert say("Where is order 4711?") == "there is no order 4711"
        assert say("Refund 12.50 for order 1001") == ""
        (asked,) = client.get("/api/approvals").json()["approvals"]
        assert asked["prompt"] == "Pay back 12.5 € for order 1001?"
        assert say("yes") == "12.50 € are on their way to you for order 1001."
        assert say("Refund 900 for order 1002") == "A supervisor has to allow that. I will come back to you."
        (asked,) = client.get("/api/approvals").json()["approvals"]
        assert asked["arguments"] == {"order_id": "1002", "euros": 900, "reason": "Refund 900 for order 1002"}
        decision = {"decision": "approve", "digest": asked["digest"]}
        assert client.post(f"/api/approvals/{asked['approvalId']}", json=decision).status_code == 200
        journal = ""
        for _ in range(int(PATIENCE_MS / 50)):
            journal = client.get("/api/sessions/s1/journal").text
            if "900.00 € are on their way" in journal:
                break
            time.sleep(0.05)
        assert "900.00 € are on their way to you for order 1002." in journal


@contextmanager
def example(name: str, *, python: tuple[str, ...] = ()) -> Generator[str, None, None]:
    """Run an example that serves, until the block ends; gives its address."""
    port = free_port()
    process = subprocess.Popen([sys.executable, *python, name, str(port)], cwd=EXAMPLES, stderr=subprocess.PIPE)
    try:
        for _ in range(int(PATIENCE_MS / 50)):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.communicate(timeout=30)


def talk(given: str, data: Path, **agui: str) -> str:
    """Talk in the terminal with an agent elsewhere."""
    environment = {f"DUOLOGUE_AGUI__{name.upper()}": value for name, value in agui.items()}
    command = ("-m", "duologue.server", "chat", "--data", str(data))
    return run(*command, given=given, environment=environment | {"DUOLOGUE_AGENT__KIND": "agui"})


def test_agui_pydantic_ai(tmp_path: Path) -> None:
    with example("agui_pydantic_ai.py", python=("-W", "error")) as address:
        shown = talk("How much is tea?\nAnd rice?\n", tmp_path, url=address)
    assert shown.count('{"price_list":{"tea":3.2,"rice":1.99}}') == 2


def test_agui_langgraph(tmp_path: Path) -> None:
    # LangGraph's own adapter calls what LangGraph has deprecated.
    with example("agui_langgraph.py") as address:
        shown = talk("How much is tea?\nAnything else?\n", tmp_path, url=address, remembers="true")
    assert "One pack of tea is 3.20 €." in shown
    assert "We have tea and rice." in shown


@pytest.mark.counterpart("httpx2")
def test_chat_sse_client(server: Server, answer: str) -> None:
    shown = run("chat_sse_client.py", QUESTION, server.url)
    assert re.search(r"\(connection lost after event [1-9]\d*\)\n\(sent again: 200\)\n", shown)
    assert re.search(rf"\(source: .*, {server.url}/docs/.*\)", shown)
    assert answer and answer in shown


@pytest.mark.counterpart("websockets")
def test_agentcall_client(server: Server, answer: str) -> None:
    shown = run("agentcall_client.py", QUESTION, f"ws://127.0.0.1:{server.port}/agentcall")
    assert "(opened after 0 of 1)\n(connection lost after event 4)\n(opened after 4 of " in shown
    assert "(completed)" in shown
    assert answer and answer in shown


def test_agui_client(serve: Serve, agui_client: list[str], tmp_path: Path) -> None:
    # Node looks for packages beside a program.
    shutil.copy(EXAMPLES / "agui_client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(Path(agui_client[-1]).parent / "node_modules")
    server = serve("--agent", "agui_shop:answer", environment={"PYTHONPATH": search_path(EXAMPLES)})
    node = ["node", "agui_client.mjs", f"{server.url}/agui"]
    done = subprocess.run(node, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "> What is in my cart?",
        "Your cart holds rice, tea.",
        "> Where am I?",
        "(ran where_am_i)",
        "You stand at shelf 4.",
        "> Order it, please.",
        "That needs a yes.",
        "? Order rice, tea? (yes)",
        "Ordered: rice, tea.",
    ]


def test_embed_starlette(tmp_path: Path) -> None:
    # More of it is in test_embedding.
    with Application("embed_starlette", tmp_path) as shop:
        assert 'href="assistant/"' in httpx2.get(shop.url).text
        assert httpx2.get(f"{shop.url}/ask", params={"about": "rice"}).text == "Rice is 1.99 €."
        assert httpx2.get(f"{shop.url}/ask").status_code == 400
        assert "<title>" in httpx2.get(f"{shop.url}/assistant/").text


def test_embed_fastapi(tmp_path: Path) -> None:
    question = {"sessionId": "mine", "requestId": "1", "text": "hello"}
    with Application("embed_fastapi", tmp_path) as shop:
        talk = f"{shop.url}/assistant/chat/stream"
        assert httpx2.post(talk, json=question).status_code == 401
        token = httpx2.post(f"{shop.url}/login", json={"name": "ada"}).json()["token"]
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        answer = httpx2.post(talk, json=question, headers=headers).json()["text"]
        assert answer == "Good day, ada. You said: hello"
        assert "/login" in httpx2.get(f"{shop.url}/openapi.json").json()["paths"], "its own description is its own"
        assert shop.stop() in (0, -signal.SIGTERM)


@pytest.fixture
def page_origin() -> Iterator[str]:
    """Serve the examples' folder, as `python -m http.server` does."""

    class Quiet(SimpleHTTPRequestHandler):
        # The base class names its parameters so.
        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(EXAMPLES))) as pages:
        thread = threading.Thread(target=pages.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{pages.server_address[1]}"
        pages.shutdown()
        thread.join()


def test_chat_html(serve: Serve, visit: Visit, page_origin: str) -> None:
    allowed = {"DUOLOGUE_SERVER__ALLOWED_ORIGINS": page_origin, "PYTHONPATH": search_path(EXAMPLES)}
    server = serve("--agent", "python_agent:answer", environment=allowed)
    page = visit(f"{page_origin}/chat.html?ws://127.0.0.1:{server.port}/chat/ws", expected="ERR_CONNECTION_REFUSED")
    expect(page.get_by_role("status")).to_have_text("ready")
    page.keyboard.type("How much is rice?")
    page.keyboard.press("Enter")
    expect(page.locator(".you")).to_have_text("How much is rice?")
    expect(page.locator(".agent")).to_have_text("Rice is 1.99 €, on shelf 4. ")
    expect(page.get_by_role("status")).to_have_text("ready")
    # What is said while there is no server is sent when it is back, and shown once.
    server.kill()
    expect(page.get_by_role("status")).to_have_text("connecting …")
    page.get_by_role("button", name="tea").click()
    server.start()
    expect(page.locator(".agent").nth(1)).to_have_text("Tea is 3.20 €, on shelf 3. ")
    expect(page.locator(".you")).to_have_count(2)


def test_every_example_is_in_the_list_and_here() -> None:
    listed = set(re.findall(r"^\| `(\S+)` ", (EXAMPLES / "README.md").read_text(), re.MULTILINE))
    assert listed == {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".html", ".mjs")}
    # The shop is the agent of the client over AG-UI.
    assert {f"test_{Path(name).stem}" for name in listed - {"chat.html", "agui_shop.py"}} | {"test_chat_html"} <= set(
        globals()
    )
