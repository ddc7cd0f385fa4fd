"""The Grafana dashboard asks only for figures that there are."""

import json
import re
from itertools import chain
from pathlib import Path

import pytest

from duologue.ports.outbox import Counts
from duologue.runtime.clock import SystemClock
from duologue.runtime.courier import DeliveryFigures
from duologue.runtime.hub import Hub
from duologue.server import log
from duologue.server.metrics import DeliveriesCollector, DoorCollector, HubCollector, exposition
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent

DASHBOARD = Path(__file__).parents[3] / "deploy" / "grafana" / "duologue.json"


@pytest.mark.anyio
async def test_every_query_names_figures_that_there_are_and_every_figure_is_shown() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    asked = set(chain.from_iterable(re.findall(r"duologue_\w+", query) for query in queries))
    async with Hub(store=MemoryStore(), agent=ScriptedAgent([]), clock=SystemClock(), log=log.event_log("test")) as hub:
        hub.figures.measure("a", "chat", duration_ms=1_500, ttft_ms=80)
        hub.figures.turns["completed"] = hub.figures.failures["x"] = hub.figures.refusals["x"] = 1
        hub.figures.tokens["m"] = {"input": 1}
        deliveries = DeliveriesCollector(DeliveryFigures(attempts={"delivered": 1}), Counts(waiting=1, dead=1))
        door = DoorCollector({"turns": 1}, {"auth_failed": 1})
        text = exposition(hub, {("chat", "sse"): 1}, deliveries, door).decode()
        families = {family.name for family in chain(HubCollector(hub, {}).collect(), deliveries.collect())}
    samples = {re.split(r"[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}
    assert asked - samples == set()
    shown = {re.sub(r"_(total|bucket)$", "", name) for name in asked}
    assert families - shown == set()
    assert 'duologue_turn_duration_seconds_bucket{agent="a",le="2.5",protocol="chat"} 1.0' in text


def test_labels_of_the_queries_are_there() -> None:
    text = DASHBOARD.read_text()
    assert {*re.findall(r"sum by \(([\w, ]+)\)", text)} <= {
        "outcome",
        "le, protocol",
        "protocol, transport",
        "code",
        "asked",
        "model, kind",
    }
