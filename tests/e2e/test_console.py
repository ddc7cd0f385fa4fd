"""The console `/` in Chromium, against a real server."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server

AGENT = ("--agent", "console_agent:answer")
LAST_WORD = "word-100"
REFUSED = "ERR_CONNECTION_REFUSED"

AA = 4.5
"""Contrast that normal text has to have. Source: WCAG 2.2, 1.4.3."""

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc000000301010018dd8db00000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """A server that lives through all tests; each has a session of its own."""
    return serve_module(*AGENT)


@pytest.fixture
def mortal(serve: Serve) -> Server:
    """A server that may be killed."""
    return serve(*AGENT)


def state(page: Page) -> Locator:
    return page.locator("duo-status")


def answer(page: Page) -> Locator:
    return page.locator("duo-answer").last


def say(page: Page, text: str) -> None:
    """Write and send, by keyboard alone."""
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def shown(page: Page) -> list[str]:
    """All turns as text."""
    return page.locator("duo-person, duo-answer").all_inner_texts()


def test_a_message_is_sent_by_keyboard_and_its_answer_streams(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    expect(state(page)).to_have_text("State: Ready")
    expect(page.get_by_role("heading", name="Talk with Duologue")).to_be_visible()
    say(page, "count")
    expect(page.locator("duo-person")).to_have_text("count")
    expect(answer(page)).to_contain_text("word-3")
    expect(state(page)).to_have_text("State: Answering")
    expect(answer(page)).not_to_contain_text(LAST_WORD)
    expect(page.locator("#announcer")).to_be_empty()
    expect(answer(page)).to_contain_text(LAST_WORD)
    expect(answer(page)).to_contain_text(re.compile(r"first word in \d+ ms · [\d.]+ tokens/s"))
    expect(page.locator("#announcer")).to_contain_text(f"{LAST_WORD}")
    expect(state(page)).to_have_text("State: Ready")
    expect(page.get_by_role("heading", name="Talk with Duologue")).to_be_hidden()


def test_shift_and_enter_make_a_new_line_and_the_field_grows(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    field = page.get_by_role("textbox", name="Message")
    expect(field).to_be_focused()
    low = field.evaluate("field => field.clientHeight")
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    assert field.evaluate("field => field.clientHeight") > low
    page.keyboard.press("Enter")
    expect(page.locator("duo-person .said")).to_have_text("one\ntwo", use_inner_text=True)
    assert field.evaluate("field => field.clientHeight") == low


@pytest.mark.parametrize("way", ["button", "escape"])
def test_an_answer_can_be_stopped(server: Server, visit: Visit, way: str) -> None:
    page = visit(server.url)
    stop = page.get_by_role("button", name="Stop the answer")
    expect(stop).to_be_hidden()
    say(page, "endless")
    expect(answer(page)).to_contain_text("and on and on")
    if way == "button":
        stop.focus()
        page.keyboard.press("Enter")
    else:
        page.keyboard.press("Escape")
    expect(answer(page)).to_contain_text("Stopped.")
    expect(stop).to_be_hidden()
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    expect(state(page)).to_have_text("State: Ready")
    expect(page.locator("#announcer")).to_have_text("The answer was stopped.")


def test_the_state_says_thinking_and_a_new_message_interrupts(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "think")
    expect(state(page)).to_have_text("State: Thinking")
    expect(answer(page).get_by_text("Thinking …")).to_be_attached()
    say(page, "hello")
    expect(page.locator("duo-answer").first).to_contain_text("Interrupted by your next message.")
    expect(answer(page)).to_contain_text("You said: hello")


def test_a_chip_sends_its_text(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "choose")
    page.get_by_role("button", name="The first").click()
    expect(answer(page)).to_contain_text("You said: chosen first")
    expect(page.locator("duo-answer .chip")).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()


def test_a_citation_opens_its_passage(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    filler = "\n\n".join(f"Paragraph {number} speaks of nothing in particular." for number in range(60))
    passage = "Penguins are fed at noon with two kilograms of herring."
    (folder / "zoo.md").write_text(f"# The zoo\n\n{filler}\n\n## Feeding penguins\n\n{passage}\n")
    server = serve("--folder", str(folder))
    page = visit(server.url)
    say(page, "When are the penguins fed?")
    expect(answer(page)).to_contain_text(passage)
    source = answer(page).get_by_role("region", name="Sources").get_by_role("link")
    expect(source).to_contain_text("The zoo › Feeding penguins")
    with page.context.expect_page() as opened:
        answer(page).get_by_role("link", name=re.compile("^Source 1: The zoo")).click()
    docs = opened.value
    expect(docs).to_have_url(f"{server.url}/docs/zoo#feeding-penguins")
    expect(docs.get_by_text(passage)).to_be_in_viewport()


def test_rich_payloads_are_drawn_or_shown_as_they_are(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "show")
    expect(answer(page).locator(".content > *")).to_have_count(5)
    expect(answer(page).get_by_role("link", name="A card")).to_have_attribute("href", f"{server.url}/docs")
    expect(answer(page).get_by_role("cell")).to_have_text(["a", "1", "b", "20"])
    other = answer(page).locator("details")
    expect(other.locator("dl").first).to_be_hidden()
    other.locator("summary").click()
    expect(other.locator("dl").first).to_be_visible()
    expect(other).to_contain_text("colourred")
    expect(answer(page).locator(".content > :last-child")).to_have_text("After.")


def test_what_an_agent_says_is_text_and_never_a_program(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "hostile")
    expect(answer(page)).to_contain_text('<img src=x onerror="document.title=1"> <script>')
    links = answer(page).locator(".prose a")
    assert links.evaluate_all("links => links.map(link => link.href)") == [
        f"{server.url}/docs",
        "https://example.com/a_(b)",
    ]
    expect(page).to_have_title("Talk · Duologue")


def test_tools_show_what_went_in_and_what_came_out(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "use")
    expect(answer(page).locator(".content > *")).to_have_count(4)
    first, second = answer(page).locator("duo-tool").all()
    expect(first.locator("summary")).to_have_text("find_ordertool, done")
    expect(second.locator("summary")).to_have_text("refundtool, failed")
    first.locator("summary").click()
    expect(first).to_contain_text("number42")
    expect(first).to_contain_text("statesent")
    second.locator("summary").click()
    expect(second).to_contain_text("errorNo money.")
    expect(answer(page)).to_contain_text("It was sent.")


def test_what_the_agent_asks_is_shown_and_told(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "ask")
    expect(answer(page).locator(".asks")).to_have_text("May I book it?")
    expect(answer(page)).to_contain_text("Waits for an answer to what it asked.")
    expect(page.locator("#announcer")).to_have_text("The agent asks: May I book it?")
    expect(state(page)).to_have_text("State: Ready")


def test_a_failed_answer_can_be_tried_again(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "fail once")
    expect(answer(page)).to_contain_text("The answer failed. The quota is used up.")
    expect(page.locator("#announcer")).to_contain_text("The quota is used up.")
    answer(page).get_by_role("button", name="Try again").click()
    expect(answer(page)).to_contain_text("This time it worked.")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_a_reload_brings_the_conversation_back(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    for number, text in enumerate(("count", "show", "choose"), start=1):
        say(page, text)
        expect(page.locator("duo-answer .foot")).to_have_count(number)
    before = shown(page)
    page.reload()
    expect(page.get_by_role("button", name="The first")).to_be_visible()
    assert shown(page) == before
    expect(page.locator("#announcer")).to_be_empty()


def test_two_pages_show_one_conversation(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "hello")
    expect(answer(page)).to_contain_text("You said: hello")
    other = page.context.new_page()
    other.goto(server.url)
    expect(answer(other)).to_contain_text("You said: hello")
    say(other, "and here")
    for each in (page, other):
        expect(each.locator("duo-answer .foot")).to_have_count(2)
    expect(answer(page)).to_contain_text("You said: and here")
    assert shown(page) == shown(other)


def test_a_crash_in_the_middle_loses_and_doubles_nothing(mortal: Server, visit: Visit) -> None:
    page = visit(mortal.url, expected=REFUSED)
    banner = page.locator("duo-banner")
    say(page, "count")
    expect(answer(page)).to_contain_text("word-5 ")
    mortal.kill()
    expect(banner).to_contain_text("Connection lost.")
    expect(state(page)).to_have_text("State: Offline")
    cut = page.locator("duo-answer .prose").inner_text()
    mortal.start()
    expect(banner).to_be_hidden()
    expect(page.locator("duo-answer")).to_have_count(2)
    expect(answer(page)).to_contain_text(LAST_WORD)
    expect(page.locator("duo-person")).to_have_count(1)
    expect(page.locator("duo-answer").first).to_contain_text("Cut off by a restart of the server.")
    first, second = page.locator("duo-answer .prose").all_inner_texts()
    assert first.split() == [f"word-{number}" for number in range(1, len(first.split()) + 1)]
    assert first.startswith(cut)
    assert second.split() == [f"word-{number}" for number in range(1, 101)]
    expect(answer(page).locator(".foot")).to_be_visible()
    live = shown(page)
    page.reload()
    expect(answer(page).locator(".foot")).to_be_visible()
    assert shown(page) == live


def test_what_is_written_while_offline_is_sent_once_later(mortal: Server, visit: Visit) -> None:
    page = visit(mortal.url, expected=REFUSED)
    expect(state(page)).to_have_text("State: Ready")
    mortal.kill()
    expect(page.locator("duo-banner")).to_be_visible()
    say(page, "kept for later")
    expect(page.locator("duo-person")).to_contain_text("Waits for the connection")
    mortal.start()
    expect(page.locator("duo-answer")).to_contain_text("You said: kept for later")
    expect(page.locator("duo-person")).to_have_count(1)
    expect(page.locator("duo-person")).to_have_text("kept for later")


def test_a_message_that_waits_survives_a_reload(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    # The page believes that it is connected; what it sends arrives nowhere.
    page.route_web_socket(re.compile("/chat/ws"), lambda _: None)
    page.reload()
    say(page, "after the reload")
    expect(page.locator("duo-person")).to_contain_text("Waits for the connection")
    page.unroute_all()
    waiting = json.loads(page.evaluate("sessionStorage.getItem('duologue.outbox')"))
    assert [letter["text"] for letter in waiting] == ["after the reload"]
    other = page.context.new_page()
    other.goto(server.url)
    other.evaluate("letters => sessionStorage.setItem('duologue.outbox', letters)", json.dumps(waiting * 2))
    other.reload()
    expect(answer(other)).to_contain_text("You said: after the reload")
    expect(other.locator("duo-person")).to_have_count(1)
    assert other.evaluate("sessionStorage.getItem('duologue.outbox')") == "[]"


def test_a_new_conversation_starts_empty_and_the_old_one_goes_on(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "hello")
    expect(answer(page).locator(".foot")).to_be_visible()
    old = page.evaluate("localStorage.getItem('duologue.session')")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name="Talk with Duologue")).to_be_visible()
    expect(page.locator("duo-person, duo-answer")).to_have_count(0)
    say(page, "again")
    expect(answer(page)).to_contain_text("You said: again")
    assert page.evaluate("localStorage.getItem('duologue.session')") != old


def test_a_session_that_ended_says_so_and_offers_another(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "hello")
    expect(answer(page).locator(".foot")).to_be_visible()
    session_id = page.evaluate("localStorage.getItem('duologue.session')")
    end = page.request.post(f"{server.url}/chat/end", data={"sessionId": session_id})
    assert end.ok
    expect(state(page)).to_have_text("State: Ended")
    expect(page.get_by_text("This conversation has ended.").last).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_hidden()
    expect(page.locator(".ended").get_by_role("button", name="New conversation")).to_be_focused()
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("State: Ready")
    say(page, "a new one")
    expect(answer(page)).to_contain_text("You said: a new one")


def test_files_are_attached_shown_and_taken_back(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    files: list[FilePayload] = [
        {"name": "pixel.png", "mimeType": "image/png", "buffer": PIXEL},
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Remember the milk."},
    ]
    page.get_by_label("Files to attach").set_input_files(files)
    shelf = page.get_by_role("list", name="Attached files")
    expect(shelf.get_by_role("listitem")).to_have_count(2)
    shelf.get_by_role("button", name="Remove notes.txt").click()
    expect(shelf.get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    say(page, "look")
    expect(answer(page)).to_contain_text("You said: look with pixel.png")
    picture = page.get_by_role("img", name="pixel.png")
    expect(picture).to_be_visible()
    expect(shelf).to_be_hidden()
    page.reload()
    expect(picture).to_be_visible()
    page.wait_for_function("() => document.querySelector('img.picture').naturalWidth === 1")


def test_a_file_that_is_no_picture_is_given_back(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    notes: FilePayload = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Remember the milk."}
    page.get_by_label("Files to attach").set_input_files([notes])
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    say(page, "read")
    expect(answer(page)).to_contain_text("with notes.txt")
    page.reload()
    with page.expect_download() as coming:
        page.get_by_role("button", name="notes.txt").click()
    assert coming.value.suggested_filename == "notes.txt"
    assert Path(coming.value.path()).read_bytes() == b"Remember the milk."


def test_a_server_that_asks_for_a_token_gets_one(serve: Serve, visit: Visit) -> None:
    key = "an-api-key-of-these-tests"
    server = serve(*AGENT, environment={"DUOLOGUE_AUTH__API_KEYS": json.dumps([key])})
    page = visit(server.url)
    dialog = page.get_by_role("dialog", name="Sign in")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_label("Token")).to_be_focused()
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("This token is not valid here.")
    page.keyboard.type(key)
    page.keyboard.press("Enter")
    expect(state(page)).to_have_text("State: Ready")
    say(page, "hello")
    expect(answer(page)).to_contain_text("You said: hello")
    assert key not in page.content()


def test_a_phone_needs_no_sideways_scrolling(server: Server, visit: Visit) -> None:
    page = visit(server.url, width=360, height=640)
    for number, text in enumerate(("show", "choose", "hostile", "x" * 300), start=1):
        say(page, text)
        expect(page.locator("duo-answer .foot")).to_have_count(number)
    wide = "box => [box.scrollWidth, box.clientWidth]"
    for box in (page.locator("html"), page.locator(".scroller")):
        content, room = box.evaluate(wide)
        assert content <= room
    expect(page.get_by_role("button", name="New conversation")).to_be_in_viewport()


def test_the_end_is_followed_only_by_who_is_there(server: Server, visit: Visit) -> None:
    page = visit(server.url, height=400)
    scroller = page.get_by_role("region", name="Conversation")
    for number in range(1, 4):
        say(page, "show")
        expect(page.locator("duo-answer .foot")).to_have_count(number)
        expect(answer(page).locator(".foot")).to_be_in_viewport()
    say(page, "endless")
    expect(answer(page)).to_contain_text("and on")
    expect(answer(page)).to_be_in_viewport()
    scroller.focus()
    page.keyboard.press("Home")
    jump = page.get_by_role("button", name="Jump to the latest")
    expect(jump).to_be_visible()
    page.wait_for_function("() => document.querySelector('.scroller').scrollTop === 0")
    length = answer(page).evaluate("turn => turn.textContent.length")
    page.wait_for_function(
        "length => document.querySelector('duo-answer:last-child').textContent.length > length + 50", arg=length
    )
    assert scroller.evaluate("box => box.scrollTop") == 0
    jump.click()
    expect(jump).to_be_hidden()
    expect(answer(page)).to_be_in_viewport()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_have_enough_contrast(server: Server, visit: Visit, dark: bool) -> None:
    page = visit(server.url, dark=dark)
    colours: dict[str, list[int]] = page.evaluate(READ_COLOURS)
    assert (sum(colours["paper"]) < 384) == dark
    texts = ("ink", "ink-soft", "ink-faint", "accent")
    pairs = [(text, ground) for text in texts for ground in ("paper", "surface", "sunken")]
    pairs += [("ink", "person"), ("accent-strong", "accent-soft"), ("on-accent", "accent")]
    pairs += [("ink-soft", "accent-soft"), ("danger", "accent-soft"), ("ink-soft", "warn-soft"), ("surface", "danger")]
    pairs += [("warn", "warn-soft"), ("danger", "danger-soft"), ("danger", "paper")]
    poor = {pair: contrast(*(colours[name] for name in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < AA} == {}
    assert contrast(colours["line-strong"], colours["surface"]) >= 3


def test_everything_that_can_be_used_has_a_name(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "choose")
    expect(answer(page).locator(".foot")).to_be_visible()
    for role in ("button", "link", "textbox", "region"):
        for found in page.get_by_role(role).all():
            expect(found).to_have_accessible_name(re.compile(r"\S"))
    for landmark in ("banner", "navigation", "main"):
        expect(page.get_by_role(landmark)).to_have_count(1)


def test_the_whole_page_is_reached_by_tab(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "choose")
    expect(answer(page).locator(".foot")).to_be_visible()
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.locator(".skip").focus()
    reached: list[str] = []
    for _ in range(16):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        reached.append(focused.evaluate("it => it.getAttribute('aria-label') || it.textContent.trim()"))
        outline = focused.evaluate("it => getComputedStyle(it).outlineStyle")
        assert outline != "none" or reached[-1] == "Message"
        if reached[-1] == "Message":
            break
    assert reached == [
        "Duologue",
        "Talk",
        "Sessions",
        "Operator",
        "Docs",
        "What is remembered of you",
        "New conversation",
        "Conversation",
        "Copy",
        "The first",
        "Second",
        "Attach files",
        "Message",
    ]


READ_COLOURS = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const styles = getComputedStyle(document.documentElement);
  const names = ["paper", "surface", "sunken", "ink", "ink-soft", "ink-faint", "line-strong", "accent",
    "accent-strong", "on-accent", "accent-soft", "person", "warn", "warn-soft", "danger", "danger-soft"];
  return Object.fromEntries(names.map((name) => {
    canvas.fillStyle = styles.getPropertyValue(`--${name}`);
    canvas.fillRect(0, 0, 1, 1);
    return [name, [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)];
  }));
}"""


def contrast(one: list[int], other: list[int]) -> float:
    """Contrast ratio of two sRGB colours. Source: WCAG 2.2, relative luminance."""

    def luminance(colour: list[int]) -> float:
        parts = [value / 255 for value in colour]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
