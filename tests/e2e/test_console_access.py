"""Everybody can use the console's pages: contrast, keyboard, zoom, less motion, other scripts, and much to read."""

import re
from collections.abc import Callable
from typing import Final

import httpx2
import pytest
from playwright.sync_api import Page, expect
from tests.e2e.access import poor_contrast, sideways, walk_by_tab
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server
from tests.e2e.test_console_operator import act, last, say, stands

AGENT = ("--agent", "acting_agent:answer")

MANY: Final = 500
"""Messages of a conversation that has to stay as quick as a short one."""


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """A server that lives through all tests."""
    return serve_module(*AGENT, environment={"DUOLOGUE_SIGNALS__SOURCES": '["rule"]'})


@pytest.fixture(scope="module")
def session(server: Server) -> str:
    """A conversation in which something is done, a call waits for a supervisor, one for the person, and they wait."""
    for text in ("voucher this is ridiculous!!", "human", "refund"):
        body = {"sessionId": "shown", "requestId": text, "text": text}
        headers = {"Accept": "application/json"}
        httpx2.post(f"{server.url}/chat/stream", json=body, headers=headers, timeout=60).raise_for_status()
    return "shown"


@pytest.fixture
def pages(server: Server, visit: Visit, session: str) -> Callable[..., dict[str, Page]]:
    """Open all pages on which that is seen."""

    def opened(*, width: int = 1280, height: int = 720) -> dict[str, Page]:
        addresses = {
            "docs": "/docs/operator",
            "operator": "/operator",
            "case": f"/operator#id={session}&handoff={session}~1",
            "sessions": f"/sessions#id={session}",
        }
        found = {name: visit(server.url + path, width=width, height=height) for name, path in addresses.items()}
        talk = found["talk"] = found["docs"].context.new_page()
        talk.set_viewport_size({"width": width, "height": height})
        talk.goto(f"{server.url}/docs")
        talk.evaluate("session => localStorage.setItem('duologue.session', session)", session)
        talk.goto(server.url)
        expect(talk.get_by_role("group", name="Approval: refund")).to_be_visible()
        expect(found["operator"].get_by_role("list", name="Approvals that wait")).to_be_visible()
        stands(found["case"], "waits for a person")
        expect(found["sessions"].locator("#session-title")).to_be_visible()
        return found

    return opened


def test_every_text_stands_out_in_the_light_and_in_the_dark(pages: Callable[..., dict[str, Page]]) -> None:
    opened = pages()
    for scheme in ("light", "dark"):
        for page in opened.values():
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        poor = {name: found for name, page in opened.items() if (found := poor_contrast(page))}
        assert poor == {}, scheme


def test_at_twice_the_size_nothing_is_lost(pages: Callable[..., dict[str, Page]]) -> None:
    # A window of 1280 x 720 at 200 %. Source: WCAG 2.2, 1.4.4, and 1.4.10 for the narrow one.
    opened = pages(width=640, height=360)
    for width in (640, 320):
        for name, page in opened.items():
            page.set_viewport_size({"width": width, "height": 360})
            assert sideways(page) == [], f"{name} at {width} px"
    expect(opened["talk"].get_by_role("textbox", name="Message")).to_be_in_viewport()
    expect(opened["talk"].get_by_role("button", name="New conversation")).to_be_in_viewport()


def test_every_page_is_walked_by_tab(pages: Callable[..., dict[str, Page]]) -> None:
    walked = {name: walk_by_tab(page) for name, page in pages().items()}
    for stops in walked.values():
        assert [stops[0].partition(" ")[0], *stops[1:6]] == ["Skip", "Duologue", "Talk", "Sessions", "Operator", "Docs"]
    assert {"Approve", "Deny", "Never mind", "Message"} <= set(walked["talk"])
    assert {"Approve", "Deny", "See why"} <= set(walked["operator"])
    assert {"Take", "Keep it while I read", "All events"} <= set(walked["case"])
    # What is read stands before what is done below it, and both in one place.
    assert walked["sessions"].index("Export") < walked["sessions"].index("Conversation")


def test_an_operator_takes_and_answers_without_a_mouse(server: Server, visit: Visit) -> None:
    customer, ada = visit(server.url), visit(server.url + "/operator")
    say(customer, "human by keyboard")
    # Others of this file may be waiting as well.
    session: str = customer.evaluate("localStorage.getItem('duologue.session')")
    ada.locator(f'a[href*="{session}"]').focus()
    ada.keyboard.press("Enter")
    stands(ada, "waits for a person")
    expect(ada.locator("#case-title")).to_be_focused()
    ada.keyboard.press("Tab")
    expect(ada.get_by_role("button", name="Take", exact=True)).to_be_focused()
    ada.keyboard.press("Enter")
    expect(ada.get_by_role("textbox", name="Answer")).to_be_focused()
    ada.keyboard.type("By hand.")
    ada.keyboard.press("Enter")
    expect(last(customer)).to_contain_text("By hand.")
    expect(customer.locator("#announcer")).to_have_text("local: By hand.")
    say(customer, "I see.")
    expect(ada.locator("#announcer")).to_have_text("local: I see.")
    # A dialog is left by Esc, which does nothing else, and the focus is where it was.
    act(ada, "Resolve")
    dialog = ada.get_by_role("dialog")
    expect(dialog).to_be_visible()
    ada.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(ada.get_by_role("button", name="Resolve")).to_be_focused()
    stands(ada, "is with you")
    for page in (customer, ada):
        expect(page.locator("#announcer")).to_have_attribute("aria-live", "polite")


def test_who_wants_less_motion_sees_none(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    page.emulate_media(reduced_motion="reduce")
    say(page, "count")
    expect(last(page)).to_contain_text("word-3")
    moving = "document.getAnimations().filter((each) => each.playState === 'running').map((each) => String(each))"
    assert page.evaluate(moving) == []
    page.keyboard.press("Escape")


ARABIC, HEBREW = "أريد أن أعرف أين طلبي رقم 4711", "איפה ההזמנה שלי?"


@pytest.mark.parametrize("text", [ARABIC, HEBREW], ids=["arabic", "hebrew"])
def test_what_is_written_from_right_to_left_stands_so(server: Server, visit: Visit, text: str) -> None:
    page = visit(server.url)
    field = page.get_by_role("textbox", name="Message")
    field.fill(text)
    direction = "it => getComputedStyle(it).direction"
    assert field.evaluate(direction) == "rtl"
    field.press("Enter")
    expect(last(page).locator(".foot")).to_be_visible()
    assert page.locator("duo-person .said").evaluate(direction) == "rtl"
    # It begins in English, and what is quoted in it keeps its own order.
    assert last(page).locator(".prose p").evaluate(direction) == "ltr"
    session: str = page.evaluate("localStorage.getItem('duologue.session')")
    page.goto(f"{server.url}/sessions#id={session}")
    assert page.locator("#session-title").evaluate(direction) == "rtl"
    assert page.locator(".turn-bars .said").evaluate(direction) == "rtl"


LONG_CONVERSATION = """async (many) => {
  const { EMPTY, fold } = await import("./console/transcript.js");
  const view = document.querySelector("duo-transcript");
  let [told, sequence] = [EMPTY, 0];
  const stamp = { timestamp: "2026-01-02T03:04:05Z", requestId: "r" };
  const tell = (type, rest) => (told = fold(told, { type, sequence: (sequence += 1), ...stamp, ...rest }));
  const show = () => view.show(told, [], { online: true, known: true });
  for (let turn = 1; turn <= many / 2; turn += 1) {
    const responseId = `response-${turn}`;
    const details = { turn, text: `Question ${turn}`, source: "typed" };
    tell("diagnostic", { category: "turn.accepted", details });
    tell("response.started", { responseId });
    const delta = `An **answer** with a list:\\n\\n- one\\n- two\\n\\n~~~\\ncode ${turn}\\n~~~\\n`;
    tell("text.delta", { responseId, delta });
    if (turn < many / 2) tell("response.completed", { responseId, outcome: "completed" });
  }
  show();
  const answer = [...document.querySelectorAll("duo-answer")].at(-1);
  const watch = new MutationObserver(() => {});
  watch.observe(view, { childList: true, subtree: true, characterData: true, attributes: true });
  for (let word = 0; word < 40; word += 1) {
    tell("text.delta", { responseId: `response-${many / 2}`, delta: `word-${word} ` });
    show();
  }
  const changed = watch.takeRecords().map((change) => change.target);
  const messageOf = (target) => (target.closest ? target : target.parentElement)?.closest("duo-person, duo-answer");
  const others = changed.filter((target) => ![answer, null, undefined].includes(messageOf(target)));
  const elsewhere = others.map((target) => target.nodeName);
  const messages = document.querySelectorAll("duo-person, duo-answer").length;
  return { messages, changed: changed.length, elsewhere };
}"""


def test_in_a_long_conversation_a_word_changes_its_own_message_alone(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    expect(page.locator("duo-status")).to_have_text("State: Ready")
    told = page.evaluate(LONG_CONVERSATION, MANY)
    assert told["messages"] == MANY
    assert told["changed"] >= 40
    assert told["elsewhere"] == []


def test_long_words_and_code_stay_in_their_place(server: Server, visit: Visit) -> None:
    page = visit(server.url, width=390)
    word = "Donaudampfschifffahrtsgesellschaftskapitän" * 6
    say(page, word)
    expect(last(page).locator(".foot")).to_be_visible()
    assert sideways(page) == []
    session: str = page.evaluate("localStorage.getItem('duologue.session')")
    page.goto(f"{server.url}/sessions#id={session}")
    expect(page.locator("#session-title")).to_contain_text(re.compile("Donaudampf"))
    assert sideways(page) == []
