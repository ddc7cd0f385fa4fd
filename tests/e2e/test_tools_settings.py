"""Tools that stand in `duologue.toml`, called by an agent of a server that was started with it."""

import json
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest
from tests.e2e.conftest import PATIENCE_MS, Serve

MCP_SERVER = Path(__file__).parents[1] / "counterparts" / "mcp_server.py"


class Shop(ThreadingHTTPServer):
    """An endpoint that has nothing to do with Duologue.

    Attributes:
        got: method, path, body and headers of each request.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Desk)
        self.got: list[tuple[str, str, bytes, dict[str, str]]] = []


class _Desk(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._answer({"state": "sent", "path": self.path})

    def do_POST(self) -> None:
        self._answer({"paid": True})

    def _answer(self, body: object) -> None:
        given = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        assert isinstance(self.server, Shop)
        self.server.got.append((self.command, self.path, given, headers))
        written = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def shop() -> Generator[Shop, None, None]:
    with Shop() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def settings(shop: Shop, *, allowed: str = '["127.0.0.1"]') -> str:
    url = f"http://127.0.0.1:{shop.server_port}"
    return f"""
[tools]
allow_networks = {allowed}

[[tools.http]]
name = "order_status"
description = "Look up an order."
url = "{url}/orders/{{order_id}}"
method = "GET"
headers = ["Authorization: Bearer of-the-shop"]

[tools.http.input]
type = "object"
required = ["order_id"]
additionalProperties = false
properties.order_id = {{ type = "string", pattern = "^[0-9]{{4}}$" }}

[[tools.http]]
name = "pay"
description = "Pay an order."
url = "{url}/payments"
policy = "user_confirm"
confirm = "Pay order {{order}}?"
idempotency = {{ mode = "input" }}
input = {{ type = "object", required = ["order"], properties = {{ order = {{ type = "string" }} }} }}

[[tools.mcp]]
name = "shop"
command = [{json.dumps(sys.executable)}, {json.dumps(str(MCP_SERVER))}]
prefix = "shop_"
tools = [{{ name = "stock", policy = "auto" }}, {{ name = "note", policy = "user_confirm" }}]
"""


class Chat:
    """A person who chats, over HTTP."""

    def __init__(self, client: httpx2.Client) -> None:
        self._client, self._turns = client, 0

    def say(self, text: str) -> str:
        self._turns += 1
        body = {"sessionId": "s1", "requestId": f"r{self._turns}", "text": text}
        answer = self._client.post("/chat/stream", json=body)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["text"])

    def until_offered(self, *names: str) -> None:
        """Wait until the agent is offered these: a server of tools begins beside this one, which does not wait."""
        offered: list[str] = []
        for _ in range(int(PATIENCE_MS / 100)):
            offered = self.say("tools").split()
            if set(names) <= set(offered):
                return
            time.sleep(0.1)
        raise AssertionError(f"only {offered} are offered")


@pytest.mark.counterpart("MCP SDK")
def test_tools_of_the_settings_are_called_end_to_end(serve: Serve, tmp_path: Path) -> None:
    with shop() as there:
        (tmp_path / "duologue.toml").write_text(settings(there))
        server = serve("--agent", "calling_agent:answer")
        with httpx2.Client(base_url=server.url, headers={"Accept": "application/json"}, timeout=30) as client:
            chat = Chat(client)
            chat.until_offered("order_status", "pay", "shop_stock", "shop_note")
            assert not {"shop_empty", "shop_die"} & set(chat.say("tools").split()), "no policy names them"

            assert chat.say('shop_stock {"item": "rice"}') == 'completed: {"left":4}'
            assert chat.say('shop_empty {"shelf": 1}') == "denied: this tool may not be used"

            assert chat.say('order_status {"order_id": "1001"}') == 'completed: {"state":"sent","path":"/orders/1001"}'
            assert chat.say('order_status {"order_id": "1001/../../x"}').startswith("failed: ")
            ((method, path, _, headers),) = there.got
            assert (method, path) == ("GET", "/orders/1001")
            assert headers["authorization"] == "Bearer of-the-shop"
            assert headers["duologue-session"] == "s1"
            there.got.clear()

            asked = client.post(
                "/chat/stream", json={"sessionId": "s1", "requestId": "p", "text": 'pay {"order": "7"}'}
            )
            assert asked.status_code == 200
            assert there.got == []
            assert chat.say("yes") == 'completed: {"paid":true}'
            ((method, path, body, headers),) = there.got
            assert (method, path, json.loads(body)) == ("POST", "/payments", {"order": "7"})
            assert headers["idempotency-key"]
            assert "of-the-shop" not in client.get("/api/sessions/s1/journal").text
        assert "of-the-shop" not in server.log


def test_an_endpoint_of_an_inner_network_is_not_reached_unless_the_settings_say_so(
    serve: Serve, tmp_path: Path
) -> None:
    with shop() as there:
        (tmp_path / "duologue.toml").write_text(settings(there, allowed="[]"))
        server = serve("--agent", "calling_agent:answer")
        with httpx2.Client(base_url=server.url, headers={"Accept": "application/json"}, timeout=30) as client:
            assert Chat(client).say('order_status {"order_id": "1001"}').startswith("failed: ")
        assert there.got == []
