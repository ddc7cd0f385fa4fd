"""The console `/sessions` in Chromium, against a real server."""

import json
import re
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server

AGENT = ("--agent", "console_agent:answer")

LONG = 10_000
"""Events of a session that has to stay usable."""

PAUSED_MS = 1_000
"""Longest that one press of a key may take in a long session, on a busy CI machine."""


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """A server with conversations: `choices`, of two turns and somebody else's `guest`."""
    server = serve_module(*AGENT)
    say(server, "guest", "a word from a guest", subject="gwen")
    say(server, "choices", "choose")
    say(server, "choices", "fail at this")
    return server


def say(server: Server, session_id: str, text: str, *, subject: str = "local") -> None:
    body = {"sessionId": session_id, "requestId": f"r-{text}", "text": text}
    headers = {"Accept": "application/json", "Duologue-Subject": subject}
    httpx2.post(f"{server.url}/chat/stream", json=body, headers=headers, timeout=60)


def events_of(server: Server, session_id: str) -> list[dict[str, object]]:
    lines = httpx2.get(f"{server.url}/api/sessions/{session_id}/events").text.splitlines()
    return [json.loads(line)["event"] for line in lines]


def row(page: Page, title: str) -> Locator:
    return page.locator("duo-session-list .rows a", has_text=title)


def where(page: Page) -> Locator:
    return page.locator("duo-player .where")


def chosen(page: Page) -> Locator:
    return page.locator("duo-event-list [aria-selected=true]")


def watch(page: Page) -> None:
    """Put the focus on the session's title, where no control has its own keys."""
    page.locator("#session-title").focus()


def test_the_list_shows_everybodys_conversations_to_who_runs_the_server(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions")
    expect(row(page, "choose")).to_contain_text("2 turns")
    expect(row(page, "a word from a guest")).to_contain_text("gwen")
    expect(page.get_by_role("heading", name="Choose a conversation")).to_be_visible()
    row(page, "choose").click()
    expect(page).to_have_url(re.compile(r"/sessions#id=choices$"))
    expect(page.get_by_role("heading", name="choose", level=2)).to_be_focused()
    expect(page).to_have_title("choose · Duologue")
    expect(row(page, "choose")).to_have_attribute("aria-current", "true")
    expect(page.locator("duo-person")).to_have_text(["choose", "fail at this"])
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    expect(page.locator("duo-person")).to_have_text(["choose", "fail at this"])
    page.go_back()
    expect(page.get_by_role("heading", name="Choose a conversation")).to_be_visible()
    expect(row(page, "choose")).to_be_focused()


def test_words_are_found_marked_and_lead_to_their_turn(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions")
    page.get_by_role("searchbox", name="Search").fill("CHOOSE one")
    found = row(page, "choose")
    expect(page.locator("duo-session-list .rows a")).to_have_count(1)
    expect(found.locator(".excerpt")).to_have_text("Agent, turn 1: Choose one.")
    expect(found.locator("mark")).to_have_text(["Choose", "one"])
    expect(page.get_by_role("status").filter(has_text="found")).to_have_text("1 found.")
    found.click()
    expect(page.locator("duo-person")).to_have_count(1)
    expect(page.locator("duo-answer")).to_contain_text("Choose one.")
    page.get_by_role("searchbox", name="Search").fill("nowhere at all")
    expect(page.get_by_role("status").filter(has_text="found")).to_have_text("Nothing found.")


def test_the_list_is_narrowed_by_state_and_person(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions")
    page.get_by_role("textbox", name="Person").fill("gwen")
    expect(page.locator("duo-session-list .rows a")).to_have_count(1)
    page.get_by_role("combobox", name="State").select_option("ended")
    expect(page.get_by_text("No conversation is like that.")).to_be_visible()


def test_a_turn_has_a_bar_and_its_figures_in_words(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions#id=choices")
    turns = page.get_by_role("list", name="Turns").get_by_role("button")
    expect(turns).to_have_count(2)
    expect(turns.nth(0)).to_contain_text(re.compile(r"Turn 1 · chat\s*choose\s*completed"))
    expect(turns.nth(0)).to_contain_text(re.compile(r"first word in \d+ ms · whole \d+ ms · 1 token"))
    expect(turns.nth(1)).to_contain_text("The quota is used up.")
    expect(turns.nth(1)).to_have_attribute("aria-current", "true")
    expect(turns.nth(0).locator("svg rect").first).to_be_attached()
    turns.nth(0).click()
    expect(chosen(page)).to_contain_text("Turn accepted")
    expect(page.locator("duo-person")).to_have_count(1)
    expect(page.locator("duo-answer")).to_have_count(0)


def test_one_steps_through_time_by_keyboard_and_the_address_follows(server: Server, visit: Visit) -> None:
    kinds = [str(event["kind"]) for event in events_of(server, "choices")]
    page = visit(f"{server.url}/sessions#id=choices")
    expect(where(page)).to_contain_text(f"{len(kinds)} of {len(kinds)}")
    watch(page)
    page.keyboard.press("Shift+ArrowLeft")
    second = len(kinds) - 1 - kinds[::-1].index("turn_accepted")
    expect(where(page)).to_contain_text(f"{second + 1} of {len(kinds)}")
    expect(page).to_have_url(re.compile(rf"#id=choices&event={second + 1}$"))
    page.keyboard.press("ArrowLeft")
    expect(where(page)).to_contain_text(f"{second} of {len(kinds)}")
    expect(page.locator("duo-person")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator("duo-person")).to_have_count(2)
    slider = page.get_by_role("slider", name="Event")
    slider.focus()
    page.keyboard.press("Home")
    expect(where(page)).to_contain_text(f"1 of {len(kinds)} · 00:00.000")
    expect(page.locator("duo-person, duo-answer")).to_have_count(0)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^Event 1 of \d+, Session started: "))
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("turn 1, Turn accepted: choose"))


def test_a_link_to_an_event_shows_the_conversation_as_it_stood(server: Server, visit: Visit) -> None:
    kinds = [str(event["kind"]) for event in events_of(server, "choices")]
    at = kinds.index("text_delta") + 1
    page = visit(f"{server.url}/sessions#id=choices&event={at}")
    expect(chosen(page)).to_contain_text("Text")
    expect(page.locator("duo-answer")).to_contain_text("Choose one.")
    expect(page.locator("duo-answer .chip")).to_have_count(0)
    page.evaluate(f"location.hash = '#id=choices&event={kinds.index('turn_ended') + 1}'")
    # What could be said next is shown, and cannot be said here.
    expect(page.locator("duo-answer .chip")).to_have_text(["The first", "Second"])
    expect(page.locator("duo-answer").get_by_role("button", name="The first")).to_have_count(0)


def test_each_protocols_frames_are_shown_raw(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions#id=choices&event=2")
    tabs = page.get_by_role("tablist", name="Protocols").get_by_role("tab")
    described = httpx2.get(f"{server.url}/api/sessions/choices").json()["protocols"]
    expect(tabs).to_have_count(1 + len(described))
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text('"kind": "turn_accepted"')
    page.get_by_role("tab", name="Chat").click()
    expect(panel).to_contain_text('"category": "turn.accepted"')
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Ghost")).to_be_focused()
    expect(panel).not_to_contain_text("turn.accepted")
    page.get_by_role("tab", name="Chat").click()
    page.get_by_label("Its whole turn").check()
    expect(panel).to_contain_text('"type":"response.completed"')
    lines = panel.inner_text().splitlines()
    assert {json.loads(line)["requestId"] for line in lines} == {"r-choose"}
    page.get_by_label("Its whole turn").uncheck()
    page.get_by_role("listbox", name="Events").focus()
    page.keyboard.press("Home")
    expect(panel).to_have_text("This protocol has no word for this event.")


def test_it_plays_from_the_beginning_to_the_end(server: Server, visit: Visit) -> None:
    say(server, "counted", "count")
    page = visit(f"{server.url}/sessions#id=counted")
    last = len(events_of(server, "counted"))
    expect(where(page)).to_contain_text(f"{last} of {last}")
    watch(page)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("duo-answer")).to_contain_text("word-3")
    expect(page.locator("duo-answer")).not_to_contain_text("word-100")
    page.get_by_role("combobox", name="Speed").select_option("20")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(where(page)).to_contain_text(f"{last} of {last}")
    expect(page.locator("duo-answer")).to_contain_text("word-100")


def test_an_open_session_goes_on_before_ones_eyes(server: Server, visit: Visit) -> None:
    say(server, "lively", "hello")
    page = visit(f"{server.url}/sessions#id=lively")
    expect(page.get_by_role("button", name="Live", exact=True)).to_be_disabled()
    expect(page.locator("duo-answer")).to_contain_text("You said: hello")
    say(server, "lively", "and more")
    expect(page.locator("duo-answer").last).to_contain_text("You said: and more")
    expect(page.get_by_role("list", name="Turns").get_by_role("button")).to_have_count(2)
    watch(page)
    page.keyboard.press("Shift+ArrowLeft")
    # Who looks back is left where they are, and finds the way to what is new.
    say(server, "lively", "a third")
    expect(page.get_by_role("list", name="Turns").get_by_role("button")).to_have_count(3)
    expect(page.locator("duo-person")).to_have_count(2)
    page.get_by_role("button", name="To live").click()
    expect(page.locator("duo-person")).to_have_count(3)
    httpx2.post(f"{server.url}/chat/end", json={"sessionId": "lively"})
    expect(page.locator("duo-session-head")).to_contain_text("ended")
    expect(page.get_by_role("link", name="Continue in Talk")).to_be_hidden()
    expect(page.get_by_role("button", name="New conversation")).to_have_count(0)


def test_a_lost_server_comes_back(serve: Serve, visit: Visit) -> None:
    server = serve(*AGENT)
    say(server, "s", "hello")
    page = visit(f"{server.url}/sessions#id=s", expected="ERR_")
    expect(page.get_by_role("button", name="Live", exact=True)).to_be_visible()
    server.kill()
    expect(page.get_by_role("button", name="Reconnecting …")).to_be_visible()
    server.start()
    say(server, "s", "again")
    expect(page.locator("duo-answer").last).to_contain_text("You said: again")


def test_one_goes_on_with_it_on_the_talk_page(server: Server, visit: Visit) -> None:
    say(server, "parlour", "hello")
    page = visit(f"{server.url}/sessions#id=parlour")
    page.get_by_role("link", name="Continue in Talk").click()
    expect(page).to_have_url(f"{server.url}/")
    expect(page.locator("duo-answer")).to_contain_text("You said: hello")
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    page.keyboard.type("on and on")
    page.keyboard.press("Enter")
    expect(page.locator("duo-answer").last).to_contain_text("You said: on and on")
    page.goto(f"{server.url}/sessions#id=guest")
    expect(page.get_by_role("heading", name="a word from a guest")).to_be_visible()
    expect(page.get_by_role("link", name="Continue in Talk")).to_be_hidden()


def test_a_session_is_exported_deleted_and_imported(server: Server, visit: Visit, tmp_path: Path) -> None:
    say(server, "traveller", "take me with you")
    page = visit(f"{server.url}/sessions#id=traveller", expected="404")
    with page.expect_download() as coming:
        page.get_by_role("button", name="Export").click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    assert file.name == "traveller.jsonl"
    assert file.read_bytes() == httpx2.get(f"{server.url}/api/sessions/traveller/export").content
    page.get_by_role("button", name="Delete").click()
    question = page.get_by_role("dialog", name="Delete this conversation?")
    expect(question.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="take me with you")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    question.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Choose a conversation")).to_be_visible()
    expect(row(page, "take me with you")).to_have_count(0)
    expect(page.locator("#announcer")).to_have_text("The conversation was deleted.")
    assert httpx2.get(f"{server.url}/api/sessions/traveller").status_code == 404
    page.get_by_label("File to import").set_input_files(file)
    expect(page.get_by_role("heading", name="take me with you")).to_be_visible()
    expect(page.locator("duo-answer")).to_contain_text("You said: take me with you")


def test_a_file_that_is_none_is_refused_with_the_reason(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions", expected="400")
    files: list[FilePayload] = [{"name": "no.jsonl", "mimeType": "application/jsonl", "buffer": b"oops\n"}]
    page.get_by_label("File to import").set_input_files(files)
    expect(page.get_by_role("alert").filter(has_text="line 1: is damaged")).to_be_visible()


def test_a_session_that_is_not_there_says_so(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions#id=nobody", expected="404")
    expect(page.get_by_role("alert").filter(has_text="This conversation is not there")).to_be_visible()
    page.get_by_role("link", name="All sessions").last.click()
    expect(page.get_by_role("heading", name="Choose a conversation")).to_be_visible()


def test_a_session_that_is_deleted_elsewhere_is_told(server: Server, visit: Visit) -> None:
    say(server, "fleeting", "not for long")
    page = visit(f"{server.url}/sessions#id=fleeting", expected="404")
    expect(page.get_by_role("button", name="Live", exact=True)).to_be_visible()
    httpx2.delete(f"{server.url}/api/sessions/fleeting").raise_for_status()
    expect(page.get_by_role("alert").filter(has_text="This conversation is not there")).to_be_visible()


def test_an_empty_server_says_what_will_be_here(serve: Serve, visit: Visit) -> None:
    page = visit(f"{serve(*AGENT).url}/sessions")
    expect(page.get_by_text("No conversations yet.")).to_be_visible()


def test_a_server_that_asks_for_a_token_gets_one_and_shows_what_is_theirs(serve: Serve, visit: Visit) -> None:
    key = "an-api-key-of-these-tests"
    server = serve(*AGENT, environment={"DUOLOGUE_AUTH__API_KEYS": json.dumps([key])})
    with httpx2.Client(base_url=server.url, headers={"Authorization": f"Bearer {key}"}) as backend:
        for subject in ("ada", "bob"):
            body = {"sessionId": f"of-{subject}", "requestId": "r", "text": f"I am {subject}"}
            headers = {"Accept": "application/json", "Duologue-Subject": subject}
            backend.post("/chat/stream", json=body, headers=headers).raise_for_status()
        token = backend.post("/chat/token", json={"subject": "ada"}).json()["token"]
    page = visit(f"{server.url}/sessions", expected="401")
    dialog = page.get_by_role("dialog", name="Sign in")
    expect(dialog).to_be_visible()
    page.keyboard.type(token)
    page.keyboard.press("Enter")
    expect(row(page, "I am ada")).to_be_visible()
    expect(page.locator("duo-session-list .rows a")).to_have_count(1)
    row(page, "I am ada").click()
    expect(page.locator("duo-answer")).to_contain_text("You said: I am ada")
    expect(page.get_by_role("link", name="Continue in Talk")).to_be_visible()


def test_pages_of_the_list_follow_one_another(serve: Serve, visit: Visit) -> None:
    server = serve(*AGENT)
    for number in range(105):
        say(server, f"s-{number:03}", f"message {number}")
    page = visit(f"{server.url}/sessions")
    rows = page.locator("duo-session-list .rows a")
    expect(rows).to_have_count(100)
    page.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(105)
    expect(rows.last).to_contain_text("message 0")
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()


@pytest.fixture(scope="module")
def long_server(serve_module: Serve) -> Server:
    """A server with a session of some ten thousand events."""
    server = serve_module(*AGENT)
    for number in range(5):
        say(server, "long", f"many {LONG // 5} {number}")
    return server


def test_a_session_of_ten_thousand_events_stays_usable(long_server: Server, visit: Visit) -> None:
    page = visit(f"{long_server.url}/sessions#id=long")
    events = events_of(long_server, "long")
    last = len(events)
    assert last >= LONG
    expect(where(page)).to_contain_text(f"{last} of {last}")
    assert page.locator("duo-event-list [role=option]").count() < 100
    watch(page)
    for key, at in (
        ("ArrowLeft", last - 1),
        ("Shift+ArrowLeft", None),
        ("Shift+ArrowLeft", None),
        ("ArrowRight", None),
    ):
        took = page.evaluate(PRESSED, key)
        assert took < PAUSED_MS, key
        if at is not None:
            expect(where(page)).to_contain_text(f"{at} of {last}")
    page.get_by_role("slider", name="Event").evaluate(
        "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input', { bubbles: true })); }", last // 2
    )
    expect(where(page)).to_contain_text(f"{last // 2 + 1} of {last}")
    said = "".join(str(event["text"]) for event in events[: last // 2 + 1] if event["kind"] == "text_delta")
    expect(page.locator("duo-answer").last).to_contain_text(said.split()[-1])


PRESSED = """async (keys) => {
  const begun = performance.now();
  const [key, shift] = keys.split("+").length > 1 ? [keys.split("+")[1], true] : [keys, false];
  const how = { key, shiftKey: shift, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", how));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return performance.now() - begun;
}"""


@pytest.mark.parametrize("view", ["Conversation", "Turns", "Events", "Frames"])
def test_a_phone_needs_no_sideways_scrolling(server: Server, visit: Visit, view: str) -> None:
    page = visit(f"{server.url}/sessions#id=choices", width=360, height=640)
    expect(where(page)).to_be_visible()
    page.get_by_role("button", name=view, exact=True).click()
    content, room = page.locator("html").evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert content <= room
    shown = {
        "Conversation": page.get_by_role("region", name="Conversation"),
        "Turns": page.get_by_role("list", name="Turns"),
        "Events": page.get_by_role("listbox", name="Events"),
        "Frames": page.get_by_role("tabpanel"),
    }
    for name, part in shown.items():
        expect(part).to_be_visible(visible=name == view)
    expect(page.get_by_role("button", name="Next event")).to_be_in_viewport()
    page.get_by_role("link", name="All sessions").click()
    expect(row(page, "choose")).to_be_visible()
    expect(where(page)).to_be_hidden()


def test_everything_that_can_be_used_has_a_name(server: Server, visit: Visit) -> None:
    page = visit(f"{server.url}/sessions#id=choices")
    expect(chosen(page)).to_be_visible()
    for role in ("button", "link", "textbox", "searchbox", "combobox", "slider", "region", "tab", "listbox", "list"):
        for found in page.get_by_role(role).all():
            expect(found).to_have_accessible_name(re.compile(r"\S"))
    for landmark in ("banner", "navigation", "main", "search"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    listbox = page.get_by_role("listbox", name="Events")
    active = listbox.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
