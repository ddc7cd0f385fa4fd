"""Which microphone is heard, and how loud it is, on the page `/`, in Chromium with devices of its own."""

import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.e2e.calls import scripted_calls
from tests.e2e.conftest import Visit, browsing
from tests.e2e.harness import Live
from tests.e2e.spoken import MICROPHONE, WATCH, speaking_server, until

from duologue.testing.scripted_agent import ScriptedAgent

pytest.importorskip("aiortc", reason="aiortc is not installed: the extra webrtc")

USED = "peers.at(-1).getSenders()[0].track.getSettings().deviceId"
"""The microphone whose sound is sent."""

LEVEL = "Number(document.querySelector('duo-call .meter').style.getPropertyValue('--level'))"

TALLEST = "Math.max(...[...document.querySelectorAll('duo-call .meter i')].map((bar) => bar.offsetHeight))"


@pytest.fixture(scope="module")
def browser(chromium: str) -> Generator[Browser, None, None]:
    """Start Chromium with several microphones, which beep once a second, and a person who allows it."""
    with browsing(chromium, *MICROPHONE) as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server that nobody understands anything on."""
    folder: Path = tmp_path_factory.mktemp("calls")
    with speaking_server(ScriptedAgent(["Yes."]), folder / "data", scripted_calls) as live:
        yield live


def calling(visit: Visit, url: str) -> Page:
    """Call, with all that happens noted, and the settings unfolded."""
    page = visit("about:blank")
    page.add_init_script(f"({WATCH})()")
    page.goto(url)
    call(page)
    return page


def call(page: Page) -> None:
    page.get_by_role("button", name="Talk by voice").click()
    expect(page.locator("duo-call")).to_have_attribute("data-phase", "listening")
    page.get_by_role("button", name="Sound settings").click()


def choice(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Microphone")


def test_another_microphone_is_chosen_in_the_call_and_kept(server: Live, visit: Visit) -> None:
    page = calling(visit, server.url)
    names = choice(page).get_by_role("option").all_inner_texts()
    assert len(names) > 1, names
    assert all(re.search(r"\S", name) for name in names)
    expect(choice(page)).to_have_value(page.evaluate(USED))
    other = next(one for one in names if one != choice(page).locator("option:checked").inner_text())
    choice(page).select_option(label=other)
    value = choice(page).input_value()
    until(page, f"{USED} === '{value}'")
    # The call is the same, and goes on.
    assert page.evaluate("peers.length") == 1
    expect(page.locator("duo-call")).to_have_attribute("data-phase", "listening")
    page.reload()
    call(page)
    assert page.evaluate(USED) == value
    expect(choice(page)).to_have_value(value)


def test_a_microphone_that_is_pulled_out_is_replaced(server: Live, visit: Visit) -> None:
    page = calling(visit, server.url)
    track = "peers[0].getSenders()[0].track"
    page.evaluate(f"window.pulled = {track}; pulled.stop(); pulled.dispatchEvent(new Event('ended'))")
    until(page, f"{track} !== pulled && {track}.readyState === 'live'")
    expect(choice(page)).to_have_value(page.evaluate(USED))
    until(page, f"{LEVEL} > 0.2")


def test_one_that_cannot_be_opened_leaves_the_one_that_is_used(server: Live, visit: Visit) -> None:
    page = calling(visit, server.url)
    used: str = page.evaluate(USED)
    broken = "async () => { throw new DOMException('in use', 'NotReadableError'); }"
    page.evaluate(f"() => {{ navigator.mediaDevices.getUserMedia = {broken}; }}")
    others = choice(page).locator("option").evaluate_all("all => all.map((each) => each.value)")
    choice(page).select_option(next(one for one in others if one != used))
    expect(page.locator("duo-call .call-hint")).to_contain_text("Close other programs that use it")
    expect(choice(page)).to_have_value(used)
    assert page.evaluate(USED) == used


def test_the_meter_moves_with_the_sound_and_rests_where_nobody_is_heard(server: Live, visit: Visit) -> None:
    page = calling(visit, server.url)
    until(page, f"{LEVEL} > 0.2 && {TALLEST} > 8")
    page.get_by_role("button", name="Mute the microphone").click()
    until(page, f"{LEVEL} === 0 && {TALLEST} === 4")
    expect(page.locator("duo-call")).to_contain_text("Nobody hears you.")
    page.get_by_role("button", name="Mute the microphone").click()
    until(page, f"{LEVEL} > 0.2")


def test_a_microphone_that_gives_nothing_says_so(server: Live, visit: Visit) -> None:
    page = visit("about:blank")
    silent = """(() => {
      const context = new AudioContext();
      MediaDevices.prototype.getUserMedia = async () => context.createMediaStreamDestination().stream;
      const draw = requestAnimationFrame.bind(window);
      // Eight seconds that nobody waits for.
      window.requestAnimationFrame = (job) => draw((at) => job(at + (window.late ?? 0)));
    })()"""
    page.add_init_script(silent)
    page.goto(server.url)
    page.get_by_role("button", name="Talk by voice").click()
    expect(page.locator("duo-call")).to_have_attribute("data-phase", "listening")
    page.evaluate("window.late = 9_000")
    expect(page.locator("duo-call .call-hint")).to_contain_text("Nothing comes from the microphone. Is it muted")
