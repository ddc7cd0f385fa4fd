"""What the talk page does for the agent, as the person decides, in Chromium, against a real server."""

import re

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server
from tests.e2e.test_console import PIXEL

AGENT = ("--agent", "acting_agent:answer")


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """A server that lives through all tests; each has a session of its own."""
    return serve_module(*AGENT)


def say(page: Page, text: str) -> None:
    field = page.get_by_role("textbox", name="Message")
    field.fill(text)
    field.press("Enter")


def last(page: Page) -> Locator:
    return page.locator("duo-answer").last


def card(page: Page) -> Locator:
    return page.get_by_role("group", name="Approval: refund")


def test_what_is_denied_is_not_done(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "refund")
    card(page).get_by_role("button", name="Deny").click()
    expect(page.locator("duo-tool summary").first).to_contain_text("denied")
    expect(page.locator("#announcer")).not_to_contain_text("refunded")
    expect(page.locator("body")).not_to_contain_text("12.5}")


def test_words_decide_as_well(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "refund")
    expect(card(page)).to_be_visible()
    say(page, "yes")
    expect(last(page)).to_contain_text('refund: {"order": 4711, "refunded": 12.5}')
    expect(card(page)).to_have_count(0)


def test_who_decides_second_is_told_so(server: Server, visit: Visit) -> None:
    page = visit(server.url, expected="409")
    say(page, "refund")
    expect(card(page)).to_be_visible()
    other = page.context.new_page()
    other.goto(server.url)
    expect(card(other)).to_be_visible()
    # Somebody is about to press the button here, and has not seen what the other page has decided.
    page.evaluate("() => document.body.append(document.querySelector('duo-approval'))")
    card(other).get_by_role("button", name="Approve").click()
    expect(last(other)).to_contain_text("It came to refund")
    late = page.locator("body > duo-approval")
    late.get_by_role("button", name="Deny").click()
    expect(late.get_by_role("alert")).to_contain_text("already decided")


def test_a_photo_is_taken_looked_at_and_shown(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "photo")
    asked = page.get_by_role("group", name="A photo is asked for")
    expect(asked).to_contain_text("Take a photo of the box.")
    expect(asked).to_contain_text(re.compile(r"Waits \d+:\d\d min more"))
    expect(asked.get_by_label("Photo from the camera")).to_have_attribute("capture", "environment")
    wrong: FilePayload = {"name": "notes.txt", "mimeType": "image/png", "buffer": b"no picture at all"}
    asked.get_by_label("Photo from a file").set_input_files(wrong)
    expect(asked.get_by_role("alert")).to_contain_text("notes.txt is no picture that this browser can read.")
    photo: FilePayload = {"name": "box.png", "mimeType": "image/png", "buffer": PIXEL}
    asked.get_by_label("Photo from a file").set_input_files(photo)
    expect(asked.get_by_role("img", name="The photo as it will be shown")).to_be_visible()
    expect(asked).to_contain_text("1 × 1")
    expect(asked.get_by_role("button", name="Show this photo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(last(page)).to_contain_text("I see a photo.")
    expect(asked).to_contain_text("Shown.")
    page.reload()
    expect(page.get_by_role("img", name="Photo, 1 × 1")).to_be_visible()
    expect(asked).to_contain_text("Shown.")


def test_a_photo_that_is_too_large_is_made_smaller(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    script = """() => import('/console/photo.js').then(async ({ prepare }) => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 3000, height: 1500 });
        const pen = canvas.getContext("2d");
        const dots = pen.createImageData(3000, 1500);
        // Noise, which cannot be made small without loss.
        for (let at = 0; at < dots.data.length; at += 65536) crypto.getRandomValues(dots.data.subarray(at, at + 65536));
        for (let at = 3; at < dots.data.length; at += 4) dots.data[at] = 255;
        pen.putImageData(dots, 0, 0);
        const data = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
        const file = new File([data], "big.png", { type: "image/png" });
        const { file: made, width, height, shrunk } = await prepare(file);
        const most = 8 * 1024 * 1024;
        return [data.size > most, made.name, made.type, width, height, shrunk, made.size <= most]; })"""
    assert page.evaluate(script) == [True, "big.jpg", "image/jpeg", 2560, 1280, True, True]


def test_a_tag_is_typed_in_where_the_browser_cannot_read_it(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "tag")
    asked = page.get_by_role("group", name="A tag is asked for")
    expect(asked).to_contain_text("This browser cannot read tags.")
    asked.get_by_role("textbox", name="Number of the tag").fill("nonsense")
    page.keyboard.press("Enter")
    expect(asked.get_by_role("alert")).to_contain_text("A tag's number is pairs of the digits")
    asked.get_by_role("textbox", name="Number of the tag").fill("04:A2:2B")
    asked.get_by_role("textbox", name="What is on it").fill("https://example.com/machine/7")
    page.keyboard.press("Enter")
    expect(last(page)).to_contain_text("I see a nfc.")
    expect(page.locator("duo-person").last).to_contain_text("Tag: https://example.com/machine/7")


NDEF_READER = """
window.NDEFReader = class extends EventTarget {
  async scan() {
    const data = (text) => new DataView(new TextEncoder().encode(text).buffer);
    const records = [{ recordType: "text", lang: "en", encoding: "utf-8", data: data("Machine 7") }];
    const read = Object.assign(new Event("reading"), { serialNumber: "04:a2:2b:01", message: { records } });
    setTimeout(() => this.dispatchEvent(read));
  }
};
"""
"""Web NFC as its specification has it: no desktop browser has a reader."""


def test_a_tag_is_read_where_the_browser_can(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    page.add_init_script(NDEF_READER)
    page.reload()
    say(page, "tag")
    page.get_by_role("button", name="Read the tag").click()
    expect(last(page)).to_contain_text("I see a nfc.")
    expect(page.locator("duo-person").last).to_contain_text("Tag: Machine 7")


def test_what_is_asked_to_be_shown_can_be_declined(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "photo")
    page.get_by_role("button", name="I cannot show it").click()
    expect(last(page)).to_contain_text("I know: photo | I cannot show it.")
    expect(page.get_by_role("group", name="A photo is asked for")).to_contain_text("Not shown.")


def test_the_page_runs_its_own_tools(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    say(page, "clock")
    expect(last(page)).to_contain_text(re.compile(r'page_local_time: \{"time": "\d{4}-\d\d-\d\d .*"timeZone": "'))
    expect(page.locator("duo-tool summary").first).to_have_text("page_local_timetool of a client, done")
    answers = page.locator("duo-answer").count()
    page.reload()
    expect(page.locator("duo-answer")).to_have_count(answers)
    expect(page.locator("duo-tool summary").first).to_contain_text("done")
