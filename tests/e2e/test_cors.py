"""Pages of other origins: what a browser asks before it sends, and what it then lets a page read."""

import asyncio
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import serving
from tests.e2e.wire import Answer, ask, fetch

from duologue.server.settings import ServerSettings, Settings
from duologue.testing.scripted_agent import ScriptedAgent

FRIEND: Final = "https://app.example"
STRANGER: Final = "https://evil.example"

SENT: Final = (
    "authorization",
    "content-type",
    "idempotency-key",
    "last-event-id",
    "traceparent",
    "tracestate",
)
"""Headers of ours that a page may have to send."""


def allowing(*origins: str) -> Settings:
    return Settings(server=ServerSettings(allowed_origins=origins, drain_ms=500))


async def preflight(port: int, origin: str, *headers: str, path: str = "/chat/stream", method: str = "POST") -> Answer:
    asked = {"Origin": origin, "Access-Control-Request-Method": method}
    return await fetch(port, "OPTIONS", path, headers=asked | {"Access-Control-Request-Headers": ",".join(headers)})


@pytest.mark.anyio
async def test_a_page_that_may_is_told_so_before_it_sends(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path, allowing(FRIEND)) as server:
        for path, method in (("/chat/stream", "POST"), ("/agui", "POST"), ("/api/sessions/s", "DELETE")):
            told = await preflight(server.port, FRIEND, *SENT, path=path, method=method)
            assert (told.status, told.headers["access-control-allow-origin"]) == (200, FRIEND)
            assert "access-control-allow-credentials" not in told.headers
        assert (await preflight(server.port, FRIEND, "x-anything")).status == 400
        stranger = await preflight(server.port, STRANGER, *SENT)
        assert (stranger.status, "access-control-allow-origin" in stranger.headers) == (400, False)


@pytest.mark.anyio
async def test_answers_streams_and_refusals_can_be_read_by_pages_that_may_and_by_no_others(tmp_path: Path) -> None:
    said = {"sessionId": "s", "requestId": "r", "text": "hello"}
    async with serving(ScriptedAgent(["yes"]), tmp_path, allowing(FRIEND)) as server:
        for body, status in ((said, 200), ({"text": 1}, 400)):
            answer = await fetch(server.port, "POST", "/chat/stream", body=body, headers={"Origin": FRIEND})
            assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, FRIEND)
            assert "duologue-session" in answer.headers["access-control-expose-headers"].lower()
        stream = await ask(server.port, "GET", "/chat/sessions/s/events", headers={"Origin": FRIEND})
        assert stream.headers["access-control-allow-origin"] == FRIEND
        stream.drop()
        refused = await fetch(server.port, "POST", "/chat/stream", body=said, headers={"Origin": STRANGER})
        assert (refused.status, "access-control-allow-origin" in refused.headers) == (403, False)


@pytest.mark.anyio
async def test_nobody_is_allowed_unless_the_settings_say_so(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["yes"]), tmp_path) as server:
        for answer in await asyncio.gather(
            preflight(server.port, FRIEND, *SENT), fetch(server.port, "GET", "/healthz", headers={"Origin": FRIEND})
        ):
            assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """Serve an empty page at an origin of its own."""
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "index.html").write_text('<!doctype html><title>t</title><link rel="icon" href="data:,">')

    class Quiet(SimpleHTTPRequestHandler):
        # The base class names its parameters so.
        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as pages:
        thread = Thread(target=pages.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{pages.server_address[1]}"
        pages.shutdown()
        thread.join()


TALK: Final = """async (url) => {
  const headers = {"Content-Type": "application/json", "Idempotency-Key": "k", "Last-Event-ID": "0",
    Authorization: "Bearer of-whatever",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  const body = JSON.stringify({requestId: "r", text: "hello"});
  const answer = await fetch(`${url}/chat/stream`, {method: "POST", headers, body});
  return [answer.status, (await answer.json()).reason];
}"""


def test_a_browser_lets_such_a_page_send_and_read(serve: Serve, visit: Visit, elsewhere: str) -> None:
    server = serve(environment={"DUOLOGUE_SERVER__ALLOWED_ORIGINS": elsewhere})
    page = visit(f"{elsewhere}/index.html", expected="401")
    # A refusal is an answer that can be read: the browser has sent all of it, and shows it to the page.
    assert page.evaluate(TALK, server.url) == [401, "auth_failed"]
