"""A tool that runs while its server is killed: done once, or asked for again with the same key."""

import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from tests.e2e.conftest import PATIENCE_MS, Serve


def ask(client: httpx2.Client, text: str) -> str:
    body = {"sessionId": "s1", "requestId": text, "text": text}
    return str(client.post("/chat/stream", json=body).json()["text"])


def wait_for(holds: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE_MS / 50)):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize(("tool", "times"), [("pay", 1), ("pay_by_key", 2)])
def test_a_call_that_a_crash_cut_is_done_once_for_each_key(serve: Serve, tmp_path: Path, tool: str, times: int) -> None:
    book = tmp_path / "book"
    server = serve("--agent", "paying_agent:answer", environment={"PAYING_BOOK": str(book)})
    headers = {"Accept": "text/event-stream"}
    with httpx2.Client(base_url=server.url, headers=headers) as client:
        body = {"sessionId": "s1", "requestId": "r1", "text": f"{tool} 7"}
        with client.stream("POST", "/chat/stream", json=body) as stream:
            assert stream.status_code == 200
            wait_for(book.exists)
        server.kill()
    server.start()
    with httpx2.Client(base_url=server.url, headers={"Accept": "application/json"}) as client:
        wait_for(lambda: '"turn_ended"' in client.get("/api/sessions/s1/journal").text)
        journal = client.get("/api/sessions/s1/journal").text
        assert ("outcome_unknown" in journal) == (times == 1)
        keys = book.read_text().splitlines()
        assert len(keys) == times
        assert len(set(keys)) == 1
        # The same call once more is known: its result is given again, and nothing is done.
        assert ask(client, f"{tool} 7").startswith("duplicate:")
        assert len(book.read_text().splitlines()) == times
