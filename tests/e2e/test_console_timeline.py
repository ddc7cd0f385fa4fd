"""All that is done beside the words, on the timeline of a real server's session, and what the person sees of it."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import WAIT_S, Server

SETTINGS = """
[agent]
name = "Shop"
tier = "workhorse"

[memory]
enabled = true

[signals]
sources = ["rule"]

[[agents]]
name = "Quick"
tier = "reflex"
kind = "python"
function = "acting_agent:answer"

[condition]
every_ms = 100
settle_ms = 0
readings_file = "readings.json"
"""

# Any: JSON of many shapes.
Json = Any


class Shop(NamedTuple):
    """A server with everything switched on, and the machine that it believes to be on."""

    server: Server
    readings: Path
    client: httpx2.Client

    def post(self, path: str, **body: Json) -> Json:
        """Tell the server something."""
        answer = self.client.post(path, json=body)
        answer.raise_for_status()
        return answer.json()

    def say(self, session: str, text: str) -> None:
        """Say something, and wait until it is answered."""
        self.post("/chat/stream", sessionId=session, requestId=f"{session}-{text}", text=text)

    def battery(self, level: float) -> None:
        """Have the machine run on so much of its battery."""
        self.readings.write_text(json.dumps({"battery": level, "free_memory_mb": 4096, "temperature_c": 40}))

    def events(self, session: str, kind: str) -> list[Json]:
        """What the journal has of a kind."""
        lines = self.client.get(f"/api/sessions/{session}/events").text.splitlines()
        return [event for line in lines if (event := json.loads(line)["event"])["kind"] == kind]

    def until(self, session: str, kind: str, count: int = 1) -> list[Json]:
        """Wait until there are so many."""
        end = time.monotonic() + WAIT_S
        while len(found := self.events(session, kind)) < count:
            assert time.monotonic() < end, f"no {kind}"
            time.sleep(0.02)
        return found


@pytest.fixture(scope="module")
def shop(serve_module: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """One server for all."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "duologue.toml").write_text(SETTINGS.replace("readings.json", str(folder / "readings.json")))
    shop_at = folder / "readings.json"
    shop_at.write_text('{"battery": 1.0, "free_memory_mb": 4096, "temperature_c": 40}')
    server = serve_module("--config", str(folder / "duologue.toml"), "--agent", "acting_agent:answer")
    with httpx2.Client(base_url=server.url, timeout=60, headers={"Accept": "application/json"}) as client:
        yield Shop(server, shop_at, client)


def lived(shop: Shop, session: str) -> None:
    """A conversation in which everything happens once."""
    shop.say(session, "I live in Leeds. This is ridiculous!! I am so frustrated, nobody decides anything.")
    shop.until(session, "memory_stored")
    shop.say(session, "refund")
    call = next(one for one in shop.until(session, "tool_moved") if one.get("approval"))
    shop.post("/chat/tool-call", sessionId=session, toolCallId=call["call_id"], decision="approve")
    shop.until(session, "tool_returned")
    shop.say(session, "human please")
    handoff = shop.until(session, "handoff_moved")[0]["handoff_id"]
    shop.post(f"/api/handoffs/{handoff}/take")
    shop.post(f"/api/handoffs/{handoff}/say", text="Hello, this is a person.")
    shop.post(f"/api/handoffs/{handoff}/hand-back", note="all is well")
    shop.battery(0.08)
    shop.until(session, "agent_degraded")
    shop.say(session, "are you there")
    shop.battery(1.0)
    shop.until(session, "agent_degraded", 2)


def topics(page: Page) -> dict[str, int]:
    """The choice of topics, with how many rows each has."""
    words = page.get_by_role("combobox", name="Show").get_by_role("option").all_inner_texts()
    return {found[1]: int(found[2]) for word in words if (found := re.fullmatch(r"(.+) \((\d+)\)", word))}


def test_all_that_was_done_is_on_the_timeline(shop: Shop, visit: Visit) -> None:
    lived(shop, "timeline")
    page = visit(f"{shop.server.url}/sessions#id=timeline")
    turns = page.get_by_role("list", name="Turns").get_by_role("listitem")
    expect(turns).to_have_count(4)
    first, second, third, fourth = turns.all()
    # Which tier answered, what was felt, and what is remembered of it.
    expect(first).to_contain_text(re.compile(r"(reflex|workhorse), complexity 0\.\d\d"))
    expect(first).to_contain_text(re.compile(r"frustration \d+ %"))
    expect(first).to_contain_text("noted: fact")
    # How long people were waited for, and how long the tool worked.
    expect(second).to_contain_text(re.compile(r"refund worked [\d.]+ m?s"))
    expect(second).to_contain_text(re.compile(r"waited [\d.]+ m?s for refund: the person to decide"))
    expect(second).to_contain_text("refund: done")
    expect(second.locator(".tool-part, .people-part")).to_have_count(2)
    expect(third).to_contain_text(re.compile(r"waited [\d.]+ m?s for somebody to take over"))
    expect(third).to_contain_text("person: resolved")
    expect(third).to_contain_text("by local")
    expect(fourth).to_contain_text("reflex")
    found = topics(page)
    for topic in ("Words", "Tools and approvals", "Handoff", "Signals", "Memory", "Tiers", "Condition"):
        assert found.get(topic, 0) > 0, found
    page.get_by_role("combobox", name="Show").select_option("condition")
    rows = page.get_by_role("listbox", name="Events").get_by_role("option")
    expect(rows.filter(has_text="full power to minimal, by battery")).to_have_count(1)
    expect(rows.filter(has_text="minimal to full power")).to_have_count(1)
    rows.filter(has_text="full power to minimal").click()
    expect(page.locator("#frame")).to_contain_text('"battery": 0.08')
    # What is drawn is said as well: each bar is followed by its figures.
    for bar in page.locator(".bar-of-time").all():
        expect(bar.locator("xpath=following-sibling::*[1]")).to_have_text(re.compile(r"\d+ m?s|goes on|waits"))


def test_a_person_is_told_that_the_agent_can_do_less(shop: Shop, visit: Visit) -> None:
    page = visit(shop.server.url)
    field = page.get_by_role("textbox", name="Message")
    field.fill("hello")
    field.press("Enter")
    expect(page.locator("duo-answer .foot")).to_be_visible()
    expect(page.get_by_role("article", name="Answer").locator(".author")).to_have_text("Shop")
    banner = page.locator("duo-banner")
    expect(banner).to_be_hidden()
    shop.battery(0.08)
    expect(banner).to_have_text(
        "The agent can do little right now: answers are simpler, and nothing new is remembered."
    )
    expect(banner).to_have_attribute("role", "status")
    page.reload()
    expect(banner).to_be_visible()
    shop.battery(1.0)
    expect(banner).to_be_hidden()


def test_moods_are_drawn_and_told(shop: Shop, visit: Visit) -> None:
    shop.say("moods", "This is ridiculous!! I am so frustrated, nobody decides anything.")
    shop.say("moods", "Thank you so much, that is wonderful!")
    shop.until("moods", "signal_updated", 2)
    page = visit(f"{shop.server.url}/operator#id=moods", width=1440)
    chart = page.locator("svg.mood-chart")
    expect(chart).to_be_visible()
    # The table says the same: it is what a screen reader reads, and the drawing is not read at all.
    expect(chart).to_have_attribute("aria-hidden", "true")
    table = page.get_by_role("table", name="Moods by turn")
    names = table.get_by_role("columnheader").all_inner_texts()[1:]
    assert "frustration" in names
    expect(table.get_by_role("row", name=re.compile("^Turn [12]"))).to_have_count(2)
    latest = dict.fromkeys(names, "–")
    points = 0
    for row in table.locator("tbody tr").all():
        for name, score in zip(names, row.get_by_role("cell").all_inner_texts(), strict=True):
            latest[name] = score if score != "–" else latest[name]
            points += score != "–"
    for name, score in latest.items():
        expect(page.get_by_role("list", name="Latest").get_by_role("listitem").filter(has_text=name)).to_contain_text(
            score
        )
    assert chart.locator("circle").count() == points
    # What is stronger stands higher, within the lines of 0 and 1.
    strong = chart.locator("circle.frustration").first.get_attribute("cy")
    share = float(latest["frustration"].removesuffix(" %")) / 100
    top, bottom = (float(chart.locator("line.level").nth(at).get_attribute("y1") or 0) for at in (2, 0))
    assert strong is not None
    assert abs(float(strong) - (bottom + share * (top - bottom))) < 1


def test_who_has_waited_longest_is_seen_in_the_queue(shop: Shop, visit: Visit) -> None:
    for name in ("early", "late"):
        shop.say(name, "human please")
        shop.until(name, "handoff_moved")
    page = visit(f"{shop.server.url}/operator")
    bars = page.get_by_role("list", name="Waiting").locator(".waited")
    expect(bars).to_have_count(2)
    share = "it => Number(getComputedStyle(it).getPropertyValue('--waited'))"
    first, second = bars.all()
    assert first.evaluate(share) == 1
    assert 0 <= second.evaluate(share) <= 1
    expect(page.get_by_role("list", name="Waiting")).to_contain_text(re.compile(r"since \d+ s"))
