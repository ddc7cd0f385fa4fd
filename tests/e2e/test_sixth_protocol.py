"""One more protocol is a folder and a line: what it then has without another edit, and who knows protocols by name."""

import ast
import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import websockets
from tests.e2e.harness import Live, serving
from tests.e2e.telegraph import TelegraphDialect
from tests.e2e.wire import fetch

import duologue
from duologue.server.dialects import SPOKEN, Spoken, anywhere
from duologue.testing.scripted_agent import ScriptedAgent

SOURCE = Path(duologue.__file__).parent
PAGE = SOURCE.parents[1] / "ARCHITECTURE.md"

LINE = Spoken(anywhere(TelegraphDialect), "/telegraph")
"""All that the server is told."""


@pytest.mark.anyio
async def test_a_folder_and_a_line_join_a_protocol_to_everything(tmp_path: Path) -> None:
    async with serving(ScriptedAgent(["stop ", "stop"]), tmp_path, spoken=(*SPOKEN, LINE)) as server:
        frames = await talk(server, {"say": "when"}, {"say": ""}, {"shout": "now"})
        assert frames[0] == {"line": "s"}
        assert [frame["said"] for frame in frames if "said" in frame] == ["stop ", "stop"]
        assert frames[-1] == {"trouble": "bad_message"}
        # It is looked through beside the others, and counted like them.
        listed = (await fetch(server.port, "GET", "/api/sessions/s/events?protocols=telegraph,chat")).raw.decode()
        seen = [json.loads(line)["frames"] for line in listed.splitlines()]
        assert {"no": 2, "asked": "when"} in [frame["telegraph"] for frame in seen]
        assert any(frame["chat"] for frame in seen)
        assert 'protocol="telegraph"' in (await fetch(server.port, "GET", "/metrics")).raw.decode()
        # It is published: its schema, and its address.
        schema = await fetch(server.port, "GET", "/schemas/telegraph-event.schema.json")
        assert schema.body["title"] == "A frame of the telegraph protocol"
        described = (await fetch(server.port, "GET", "/openapi.json")).body
        assert "`/telegraph`" in described["info"]["description"]


async def talk(server: Live, *says: dict[str, str]) -> list[dict[str, Any]]:
    url = f"ws://127.0.0.1:{server.port}/telegraph"
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(15), websockets.connect(url, proxy=None) as socket:
        for body in ({"line": "s"}, says[0]):
            await socket.send(json.dumps(body))
        while not frames or "stop" not in frames[-1]:
            frames.append(json.loads(await socket.recv()))
        await socket.send(json.dumps(says[-1]))
        frames.append(json.loads(await socket.recv()))
    return frames


KNOWN = {
    "agentcall": {"check/agentcall.py", "server/dialects.py"},
    "agui": {
        "server/dialects.py",
        "server/routes/agui.py",
        "server/routes/agui_follow.py",
        "server/routes/agui_places.py",
    },
    "ghost": {"server/dialects.py", "server/embed.py", "server/routes/ghost.py"},
    "jambonz": {"server/dialects.py", "server/parts.py", "server/routes/sockets.py"},
}
"""Which modules import which protocol. Chat's words are also those of `/api`, so many do."""


@pytest.mark.parametrize("protocol", KNOWN)
def test_a_protocol_is_known_by_name_only_where_it_has_to_be(protocol: str) -> None:
    inside = SOURCE / "protocols" / protocol
    importing = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if inside not in path.parents and f"duologue.protocols.{protocol}" in imports(path)
    }
    assert importing == KNOWN[protocol]


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, ".".join(node.module.split(".")[:3])}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_the_architecture_counts_the_same() -> None:
    section = PAGE.read_text().partition("### Another protocol")[2].partition("\n#")[0]
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in section.splitlines() if row.startswith("| ")][1:]
    always = [what for what, _, when in rows if when == "always"]
    assert always == ["its folder", "its line"]
    for _, where, _ in rows:
        for path in re.findall(r"`([\w/]+\.(?:py|md))`", where):
            assert (SOURCE / path).exists() or (SOURCE.parents[1] / path).exists(), path
