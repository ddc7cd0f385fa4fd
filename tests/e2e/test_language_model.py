"""A server whose agent is a language model: a real one, served by llama.cpp."""

import re
import subprocess
import sys
import time
from pathlib import Path

import httpx2
from tests.e2e.conftest import Serve
from tests.e2e.harness import Server, free_port, search_path


def settings(address: str) -> dict[str, str]:
    return {
        "DUOLOGUE_AGENT__KIND": "llm",
        "DUOLOGUE_LLM__MODEL": "smollm2",
        "DUOLOGUE_LLM__BASE_URL": f"{address}/v1",
        "DUOLOGUE_LLM__API_KEY": "hunter2",
        "DUOLOGUE_LLM__SYSTEM_PROMPT": "You answer in one word.",
    }


def talk(server: Server, said: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "duologue.server", "chat", "--url", server.url]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=90, check=False)


def test_a_person_talks_with_a_language_model(serve: Serve, llama: str) -> None:
    server = serve(environment=settings(llama))
    shown = talk(server, "What is the capital of France?\n")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Paris" in shown.stdout
    metrics = httpx2.get(f"{server.url}/metrics").text
    assert re.search(
        r'^duologue_tokens_total\{agent="smollm2",kind="input",model="[^"]+"\} [1-9]', metrics, re.MULTILINE
    )
    assert server.stop() == 0
    assert "hunter2" not in server.log


SHOP = """
from typing import Literal

from duologue import tool


@tool
def stock(product: Literal["tea", "coffee"]) -> int:
    "Tells the stock of a product."
    return {"tea": 7, "coffee": 3}[product]
"""


def test_a_language_model_uses_a_tool_of_the_settings(serve: Serve, llama: str, tmp_path: Path) -> None:
    (tmp_path / "shop_tools.py").write_text(SHOP)
    asked = settings(llama) | {"DUOLOGUE_LLM__SYSTEM_PROMPT": "", "DUOLOGUE_TOOLS__MODULES": '["shop_tools"]'}
    server = serve(environment=asked | {"PYTHONPATH": search_path(tmp_path)})
    shown = talk(server, "How many packs of tea are there?\n")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "There are 7 packs of tea." in shown.stdout
    assert server.stop() == 0


def test_a_model_that_is_not_there_is_a_visible_failure(serve: Serve) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    # Nobody watches the condition, or it may be known before anybody asks.
    unwatched = {"DUOLOGUE_LLM__ATTEMPTS": "1", "DUOLOGUE_CONDITION__WATCH": "false"}
    server = serve(environment=settings(nowhere) | unwatched)
    shown = talk(server, "Hello\n")
    assert shown.returncode == 1
    assert "the connection to the model failed" in shown.stderr
    server.stop()
    assert "model_failed" in server.log


def test_a_model_that_is_not_there_is_known_before_anybody_asks(serve: Serve) -> None:
    server = serve(environment=settings(f"http://127.0.0.1:{free_port()}"))
    deadline = time.monotonic() + 20
    while "condition_changed" not in server.log and time.monotonic() < deadline:
        time.sleep(0.05)
    shown = talk(server, "Hello\n")
    assert shown.returncode == 1
    assert "no model is loaded that could answer" in shown.stderr
    server.stop()
