"""What is remembered of a person, as they see it on the talk page, against a real server."""

import json

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import Serve, Visit
from tests.e2e.harness import Server

AGENT = ("--agent", "console_agent:answer")


@pytest.fixture
def server(serve: Serve) -> Server:
    """A server that remembers people."""
    return serve(*AGENT, environment={"DUOLOGUE_MEMORY__ENABLED": "true"})


def tell(page: Page, text: str) -> None:
    """Tell something of oneself, and wait until it is remembered."""
    field = page.get_by_role("textbox", name="Message")
    field.fill(text)
    field.press("Enter")
    expect(page.locator("duo-answer .foot").last).to_be_visible()


def look(page: Page) -> None:
    page.get_by_role("button", name="What is remembered of you").click()


def test_a_person_sees_and_forgets_what_is_remembered_of_them(server: Server, visit: Visit) -> None:
    page = visit(server.url)
    panel = page.get_by_role("dialog", name="What is remembered of you")
    look(page)
    expect(panel).to_contain_text("Nothing is remembered.")
    page.keyboard.press("Escape")
    tell(page, "I live in Leeds.")
    tell(page, "I am allergic to nuts.")
    items = panel.get_by_role("listitem")
    # It is learnt beside the conversation, shortly after.
    for _ in range(20):
        look(page)
        expect(panel.get_by_role("status")).not_to_have_text("Loading …")
        if items.count() == 2:
            break
        page.keyboard.press("Escape")
    expect(items).to_have_count(2)
    expect(items.filter(has_text="Leeds")).to_contain_text("Fact")
    with page.expect_download() as coming:
        panel.get_by_role("button", name="Save a copy").click()
    assert len(json.loads(coming.value.path().read_text())["memories"]) == 2
    items.filter(has_text="Leeds").get_by_role("button", name="Forget").click()
    expect(items).to_have_count(1)
    expect(items.get_by_role("button")).to_be_focused()
    panel.get_by_role("checkbox").uncheck()
    everything = panel.get_by_role("button", name="Forget everything")
    everything.click()
    panel.get_by_role("button", name="Yes, forget everything").click()
    expect(panel).to_contain_text("Nothing is remembered.")
    page.reload()
    look(page)
    expect(panel.get_by_role("checkbox")).not_to_be_checked()
    expect(panel).to_contain_text("Nothing is remembered.")


def test_a_server_that_remembers_nobody_says_so(serve: Serve, visit: Visit) -> None:
    page = visit(serve(*AGENT).url, expected="Failed to load resource")
    look(page)
    panel = page.get_by_role("dialog", name="What is remembered of you")
    expect(panel.get_by_role("alert")).to_contain_text("remembers nobody")
    expect(panel.get_by_role("button")).to_have_text(["Close"])
