"""A server whose agent is a language model: a real one, served by llama.cpp."""

import re
import subprocess
import sys

import httpx2
from tests.e2e.conftest import Serve
from tests.e2e.harness import Server, free_port


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


def test_a_model_that_is_not_there_is_a_visible_failure(serve: Serve) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    server = serve(environment=settings(nowhere) | {"DUOLOGUE_LLM__ATTEMPTS": "1"})
    shown = talk(server, "Hello\n")
    assert shown.returncode == 1
    assert "the connection to the model failed" in shown.stderr
    server.stop()
    assert "model_failed" in server.log
