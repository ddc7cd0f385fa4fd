"""Takes the pictures of the pages that the documentation shows: `make screenshots`.

A real server with the shop's agent, real browsers, and the same words each time. Only times and figures differ, since
they are measured.
"""

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from pathlib import Path
from typing import Final, NamedTuple

import httpx2
from playwright.sync_api import Browser, Page, expect
from tests.e2e.calls import scripted_calls
from tests.e2e.conftest import browsing
from tests.e2e.harness import Server
from tests.e2e.spoken import MICROPHONE, WATCH, say_into, speaking_server, until
from tests.png import IMAGES, MOST_BYTES, small

from duologue import Turn
from duologue.adapters.agent_python import PythonAgent
from duologue.testing.scripted_speech import Segment

SETTINGS: Final = """
[agent]
name = "Bean Post"

[memory]
enabled = true

[signals]
sources = ["rule"]

[[signals.intents]]
name = "track_order"
examples = ["Where is my order 4711?", "Has my parcel been sent?"]
"""

CHROMIUM: Final = shutil.which("chromium") or "chromium"

SPOKEN: Final = (
    "I can **answer** what you ask, and I cite [where](/docs) it is written. Speak whenever you like: I fall silent as "
    "soon as you begin, and I remember what you have heard of me and nothing beyond it, however much I had to say.",
    "Of course. A conversation is one journal, and every channel is a view of it: the web chat, the app, the device, "
    "and this call. Lose the network, come back, and go on where you were.",
)
"""What the agent answers in the call, one after the other."""

HEARD: Final = "[...(CSS.highlights.get('spoken') ?? [])].some((range) => String(range).startsWith('journal'))"
"""A word of the second answer is spoken."""

WORD_S: Final = 0.02
"""Between two words that the agent writes in the call."""

PERSON: Final = (2_500, "what can you do for me", 7_000, "tell me something else now", 30_000)
"""What is said into the microphone, and for how long nothing, in ms; the second comes in the middle of the answer."""

OPERATOR: Final = "Ada Lovelace"


class Stage(NamedTuple):
    """A server with the shop's agent, and the browser that looks at it."""

    server: Server
    browser: Browser

    def open(self, path: str, *, width: int, height: int, dark: bool = False, operator: str = "") -> Page:
        """Open a page in a profile of its own."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale="en-GB",
            timezone_id="UTC",
            reduced_motion="reduce",
        )
        page = context.new_page()
        if operator:
            context.add_init_script(f"localStorage.setItem('duologue.operator', {operator!r})")
        page.goto(self.server.url + path)
        return page

    def say(self, customer: str, *texts: str) -> None:
        """Say something as a customer whose page is elsewhere, in a session of their name."""
        for text in texts:
            body = {"sessionId": customer, "requestId": text, "text": text}
            headers = {"Accept": "application/json", "Duologue-Subject": customer}
            httpx2.post(f"{self.server.url}/chat/stream", json=body, headers=headers, timeout=30).raise_for_status()


@contextlib.contextmanager
def stage(folder: Path) -> Generator[Stage]:
    """Serve the shop."""
    (folder / "duologue.toml").write_text(SETTINGS)
    server = Server(arguments=["--agent", "shop_agent:answer"], data=folder / "data", environment={})
    server.start()
    try:
        with browsing(CHROMIUM) as browser:
            yield Stage(server, browser)
    finally:
        server.stop()


def answered(page: Page, text: str) -> None:
    """Say something on the talk page, and wait for the whole answer."""
    field = page.get_by_role("textbox", name="Message")
    before = page.locator("duo-answer .foot").count()
    field.fill(text)
    field.press("Enter")
    expect(page.locator("duo-answer .foot")).to_have_count(before + 1)


def talk(stage: Stage, *, width: int = 1100, height: int = 900, dark: bool = False) -> Page:
    """A question that was looked up, and money that is paid back only after a yes."""
    page = stage.open("/", width=width, height=height, dark=dark)
    answered(page, "Where is my order 4711?")
    answered(page, "The grinder arrived broken. I want my money back.")
    expect(page.get_by_role("group", name="Approval: refund")).to_be_visible()
    return page


def operator(stage: Stage, *, width: int = 1360, height: int = 820, dark: bool = False) -> Page:
    """A conversation that was taken over, who waits, and what waits for a supervisor."""
    page = stage.open("/operator", width=width, height=height, dark=dark, operator=OPERATOR)
    stage.say("gwen", "Where is my order 4711?", "That is what you said on Friday. I need it for a birthday tomorrow!!")
    stage.say("gwen", "This is ridiculous!! I am so frustrated, nobody there decides anything.")
    page.get_by_role("list", name="Waiting").get_by_role("link").filter(has_text="gwen").click()
    page.get_by_role("button", name="Take", exact=True).click()
    reply = page.get_by_role("textbox", name="Answer")
    reply.fill("Hello Gwen, this is Ada. I have read all of it. The express parcel leaves today, and there is no fee.")
    reply.press("Enter")
    expect(page.locator("duo-answer").last).to_contain_text("there is no fee")
    stage.say("gwen", "Thank you, that is a relief. Will it be here before noon?")
    stage.say("tom", "I send everything back.")
    stage.say("li", "Can somebody ring me?")
    expect(page.locator("duo-approval-list li, duo-queue .rows li")).to_have_count(3)
    expect(page.locator("duo-person").last).to_contain_text("before noon")
    expect(page.locator(".mood-keys")).to_contain_text("satisfaction")
    reply.focus()
    page.mouse.move(0, 0)
    return page


def sessions(stage: Stage, *, width: int = 1360, height: int = 860, dark: bool = False) -> Page:
    """The same conversation, event by event, where somebody takes it over."""
    page = stage.open("/sessions#id=gwen", width=width, height=height, dark=dark)
    page.get_by_role("combobox", name="Show").select_option("handoff")
    page.get_by_role("listbox", name="Events").get_by_role("option").filter(has_text="connected, Ada").click()
    expect(page.locator("#frame")).to_contain_text("connected")
    return page


PICTURES: Final[dict[str, Callable[[Stage], Page]]] = {"talk": talk, "operator": operator, "sessions": sessions}
"""In this order: the last shows what the one before it did."""


async def speaks(turn: Turn) -> AsyncGenerator[str, None]:
    """Answer in the call, word by word: first at length, then shortly."""
    for word in SPOKEN[len(turn.history) > 0].split(" "):
        yield f"{word} "
        await asyncio.sleep(WORD_S)


@contextlib.contextmanager
def call(folder: Path) -> Generator[tuple[Browser, Page]]:
    """An answer that was interrupted, and the word of the next one that is heard: a call, with a file as microphone."""
    heard = [Segment(text=text) for text in ("What can you do for me?", "Tell me something else.")]
    spoken = say_into(folder / "person.wav", PERSON)
    microphone = (*MICROPHONE, f"--use-file-for-fake-audio-capture={spoken}%noloop")
    served = speaking_server(PythonAgent(speaks), folder / "calls", lambda: scripted_calls(*heard))
    with served as server, browsing(CHROMIUM, *microphone) as browser:
        page = browser.new_page(viewport={"width": 1000, "height": 640}, locale="en-GB", timezone_id="UTC")
        page.add_init_script(f"({WATCH})()")
        page.goto(server.url)
        page.get_by_role("button", name="Talk by voice").click()
        expect(page.locator("duo-answer").first).to_contain_text("You interrupted here")
        until(page, HEARD)
        yield browser, page


def keep(browser: Browser, page: Page, name: str) -> None:
    """Take a picture of a page as it is now."""
    file = IMAGES / f"{name}.png"
    made = small(browser, page.screenshot(animations="disabled", caret="hide"))
    assert len(made) <= MOST_BYTES, f"{name} is too large for the repository: {len(made)} bytes"
    file.write_bytes(made)
    sys.stdout.write(f"{os.path.relpath(file)}: {len(made):,} bytes\n")


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, stage(Path(folder)) as shop:
        for name, take in PICTURES.items():
            keep(shop.browser, take(shop), name)
    with tempfile.TemporaryDirectory() as folder, call(Path(folder)) as (browser, page):
        keep(browser, page, "call")


if __name__ == "__main__":
    main()
