"""The console's pages for customers and operators together, in two browsers, against a real server."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server

AGENT = ("--agent", "acting_agent:answer")


@pytest.fixture(scope="module")
def server(serve_module: Serve) -> Server:
    """A server that lives through all tests; each has a customer of its own."""
    return serve_module(*AGENT)


@pytest.fixture
def operate(server: Server, visit: Visit) -> Callable[[str], Page]:
    """Open the operator page as somebody."""

    def opened(name: str, *, width: int = 1440, dark: bool = False) -> Page:
        # Who decides second is refused, and the browser notes it.
        page = visit(server.url + "/docs", width=width, dark=dark, expected="409")
        page.evaluate("name => localStorage.setItem('duologue.operator', name)", name)
        page.goto(f"{server.url}/operator")
        expect(page.get_by_role("button", name=f"You are {name}")).to_be_visible()
        return page

    return opened


def say(page: Page, text: str) -> None:
    field = page.get_by_role("textbox", name="Message")
    field.fill(text)
    field.press("Enter")


def last(page: Page) -> Locator:
    return page.locator("duo-answer").last


def waiting(page: Page) -> Locator:
    return page.get_by_role("list", name="Waiting").get_by_role("link")


def act(page: Page, name: str) -> None:
    page.get_by_role("group", name="What to do").get_by_role("button", name=name, exact=True).click()


def stands(page: Page, words: str) -> None:
    expect(page.locator(".case-state")).to_contain_text(words)


def test_a_customer_and_an_operator_talk(server: Server, visit: Visit, operate: Callable[[str], Page]) -> None:
    customer, ada = visit(server.url), operate("Ada")
    expect(ada.get_by_text("Nobody waits.")).to_be_visible()

    # The agent wants to pay money back; the person lets it, after a reload.
    say(customer, "refund me")
    card = customer.get_by_role("group", name="Approval: refund")
    expect(card).to_contain_text("Refund 12.5 for order 4711?")
    expect(card).to_contain_text(re.compile(r"order\s*4711\s*amount\s*12.5"))
    expect(card).to_contain_text(re.compile(r"Expires in \d+:\d\d min"))
    customer.reload()
    card.get_by_role("button", name="Approve").click()
    expect(last(customer)).to_contain_text('It came to refund: {"order": 4711, "refunded": 12.5}.')
    expect(card).to_have_count(0)
    expect(customer.locator("duo-tool summary").first).to_contain_text("approved, done")

    # The agent passes the person on, and goes on answering until somebody takes them.
    say(customer, "human please")
    expect(last(customer)).to_contain_text("I am getting a colleague.")
    line = customer.locator("duo-handoff-line")
    expect(line).to_contain_text("Waiting for a person. You are next")
    expect(waiting(ada)).to_contain_text("wants a refund")
    expect(waiting(ada)).to_contain_text("priority 2")
    expect(ada.locator("#announcer")).to_contain_text("waits for a person. wants a refund")
    waiting(ada).click()
    expect(ada.locator("duo-transcript")).to_contain_text("human please")
    expect(ada.get_by_role("complementary", name="Context")).to_contain_text("A parcel was lost")
    say(customer, "count")
    expect(last(customer)).to_contain_text("word-5 ")
    expect(last(ada)).to_contain_text("word-5 ")

    # Somebody takes over in the middle of it.
    act(ada, "Take")
    expect(last(customer)).to_contain_text("Interrupted: Ada took over.")
    expect(line).to_contain_text("You are talking with Ada.")
    reply = ada.get_by_role("textbox", name="Answer")
    expect(reply).to_be_focused()
    ada.keyboard.type("Hello, this is Ada.")
    ada.keyboard.press("Enter")
    expect(last(customer)).to_contain_text("Hello, this is Ada.")
    expect(customer.get_by_role("article", name="Answer of Ada")).to_be_visible()
    say(customer, "I want the shipping back as well")
    say(customer, "and quickly")
    expect(ada.locator("duo-person").last).to_have_text("and quickly")
    expect(ada.locator("duo-person")).to_have_count(5)
    customer.reload()
    expect(line).to_contain_text("You are talking with Ada.")
    expect(customer.locator("duo-person").last).to_have_text("and quickly")
    ada.reload()
    stands(ada, "is with you")

    # A hold, a question to a supervisor, and back.
    act(ada, "Hold")
    expect(line).to_contain_text("On hold. Ada will be back.")
    expect(ada.get_by_text("The customer is on hold.").last).to_be_visible()
    act(ada, "Go on")
    expect(line).to_contain_text("You are talking with Ada.")
    grace = operate("Grace")
    ada.get_by_role("textbox", name="To the supervisor").fill("May I?")
    ada.keyboard.press("Enter")
    expect(line).to_contain_text("A colleague is asked.")
    waiting(grace).filter(has_text="asks a supervisor").click()
    expect(grace.get_by_role("list", name="Words with a supervisor")).to_contain_text("Ada May I?")
    grace.get_by_role("textbox", name="To the supervisor").fill("Yes, do.")
    grace.keyboard.press("Enter")
    expect(ada.get_by_role("list", name="Words with a supervisor")).to_contain_text("Grace Yes, do.")
    expect(customer.locator("body")).not_to_contain_text("Yes, do.")

    # The agent has it again, answers what nobody has, and knows what was said.
    act(ada, "Hand back")
    ada.get_by_role("dialog").get_by_role("textbox", name="Note").fill("shipping too")
    ada.get_by_role("dialog").get_by_role("button", name="Hand back").click()
    expect(last(customer)).to_contain_text("Hello, this is Ada.")
    expect(last(customer)).to_contain_text("I want the shipping back as well")
    expect(line).to_be_hidden()
    stands(ada, "is with the agent")


def test_a_supervisor_decides(server: Server, visit: Visit, operate: Callable[[str], Page]) -> None:
    customer, grace, other = visit(server.url), operate("Grace"), operate("Hugo")
    say(customer, "voucher")
    expect(customer.locator("duo-tool summary")).to_contain_text("waits for a supervisor")
    approvals = "Approvals that wait"
    card, same = (page.get_by_role("list", name=approvals).get_by_role("listitem") for page in (grace, other))
    expect(card).to_contain_text("Give 20 as a voucher?")
    expect(card).to_contain_text("voucher")
    expect(card).to_contain_text(re.compile(r"amount\s*20"))
    expect(card).to_contain_text(re.compile(r"account\s*\[hidden\]"))
    expect(card).to_contain_text(re.compile(r"Expires in\s*\d+:\d\d min"))
    for page in (grace, other):
        expect(page.locator("body")).not_to_contain_text("DE12 secret")
    customer.reload()
    grace.reload()
    # Both decide; the first one counts, and the second is told so.
    same.get_by_role("button", name="Deny").click()
    reason = other.get_by_role("dialog").get_by_role("textbox", name="Reason")
    reason.fill("not so much")
    card.get_by_role("button", name="Approve").click()
    grace.get_by_role("dialog").get_by_role("button", name="Approve").click()
    expect(last(customer)).to_contain_text('It came to voucher: {"letters": 11, "voucher": 20}.')
    expect(card).to_have_count(0)
    other.get_by_role("dialog").get_by_role("button", name="Deny").click()
    expect(other.get_by_role("region", name="Approvals")).to_contain_text("already decided (approved) by Grace")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_operator_works_on_a_phone(server: Server, visit: Visit, operate: Callable[..., Page], dark: bool) -> None:
    customer, ada = visit(server.url), operate(f"Ada {dark}", width=390, dark=dark)
    say(customer, "human on a phone")
    waiting(ada).click()
    stands(ada, "waits for a person")
    for name in ("Context", "Conversation"):
        ada.get_by_role("group", name="View").get_by_role("button", name=name).click()
        content, room = ada.locator("html").evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert content <= room
    for role in ("button", "link", "textbox", "region", "list", "complementary"):
        for found in ada.get_by_role(role).all():
            expect(found).to_have_accessible_name(re.compile(r"\S"))
    act(ada, "Take")
    ada.get_by_role("textbox", name="Answer").fill("Here I am.")
    ada.get_by_role("textbox", name="Answer").press("Enter")
    expect(last(customer)).to_contain_text("Here I am.")
    act(ada, "Resolve")
    ada.get_by_role("dialog").get_by_role("button", name="Resolve").click()
    stands(ada, "is with the agent")
    ada.get_by_role("link", name="Who waits", exact=True).click()
    expect(ada.get_by_role("heading", name="Operator")).to_be_visible()


def test_what_was_done_is_found_on_the_timeline(server: Server, visit: Visit) -> None:
    customer = visit(server.url)
    say(customer, "refund on the timeline")
    customer.get_by_role("group", name="Approval: refund").get_by_role("button", name="Approve").click()
    expect(last(customer)).to_contain_text("It came to refund")
    session_id: str = customer.evaluate("localStorage.getItem('duologue.session')")
    page = visit(f"{server.url}/sessions#id={session_id}")
    expect(page.get_by_role("list", name="Turns")).to_contain_text("refund: done")
    page.get_by_role("combobox", name="Show").select_option("tools")
    rows = page.get_by_role("listbox", name="Events").get_by_role("option")
    expect(rows.first).to_contain_text("Tool called")
    expect(rows.last).to_contain_text("Tool returned")
    expect(rows.filter(has_text="approved, by local")).to_have_count(1)
    expect(rows.filter(has_text="Turn accepted")).to_have_count(0)
    page.get_by_role("link", name="To the desk").click()
    act(page, "Take over")
    stands(page, "is with you")
    expect(customer.locator("duo-handoff-line")).to_contain_text("You are talking with")


def test_a_supervisor_is_told_what_waits_for_a_decision(
    server: Server, visit: Visit, operate: Callable[[str], Page]
) -> None:
    grace = operate("Grace who is quick")
    reads: list[str] = []
    grace.on("request", lambda request: reads.append(request.url) if request.url.endswith("/api/approvals") else None)
    cards = grace.get_by_role("list", name="Approvals that wait").get_by_role("listitem")
    customer = visit(server.url)
    expect(customer.locator("duo-status")).to_have_text("State: Ready")
    say(customer, "voucher")
    expect(cards).to_have_count(1)
    asked = grace.request.get(f"{server.url}/api/approvals").json()["approvals"][0]
    body = {"decision": "deny", "digest": asked["digest"]}
    assert grace.request.post(f"{server.url}/api/approvals/{asked['approvalId']}", data=body).ok
    expect(cards).to_have_count(0)
    # The page was told, and did not have to ask.
    assert reads == []


def test_decisions_are_found_where_the_stream_does_not_come_through(server: Server, visit: Visit) -> None:
    customer = visit(server.url)
    page = visit(server.url + "/docs", expected="ERR_FAILED")
    page.route("**/api/handoffs/events", lambda route: route.abort())
    page.goto(f"{server.url}/operator")
    say(customer, "voucher")
    card = page.get_by_role("list", name="Approvals that wait").get_by_role("listitem")
    expect(card).to_contain_text("Give 20 as a voucher?")
    card.get_by_role("button", name="Approve").click()
    page.get_by_role("dialog").get_by_role("button", name="Approve").click()
    expect(card).to_have_count(0)
    expect(last(customer)).to_contain_text("It came to voucher")
