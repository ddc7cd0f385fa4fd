"""Speaking with the agent on the page `/`, in Chromium, through real WebRTC; the microphone is a file."""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, Protocol

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.e2e.calls import scripted_calls
from tests.e2e.conftest import Visit, browsing
from tests.e2e.harness import Live
from tests.e2e.spoken import MICROPHONE, WATCH, say_into, seen, sound, speaking_server, unheard, until

from duologue.runtime.voice.calls import Calls
from duologue.testing.scripted_agent import ScriptedAgent
from duologue.testing.scripted_speech import Partial, Segment

pytestmark = pytest.mark.slow

pytest.importorskip("aiortc", reason="aiortc is not installed: the extra webrtc")

QUESTION, SECOND = "What can you do for me?", "Tell me something else."
ANSWER = (
    "I can **answer** what you ask, and I cite [where](/docs) it is written. Speak whenever you like: I fall silent as "
    "soon as you begin, and I remember what you have heard of me and nothing beyond it, however much I had to say."
)
SPOKEN = ANSWER.replace("**", "").replace("[where](/docs)", "where")
SCRIPT = (2_500, "what can you do for me", 6_000, "tell me something else now", 30_000)


@pytest.fixture(scope="module")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser, None, None]:
    """Start Chromium with somebody at its microphone."""
    file = say_into(tmp_path_factory.mktemp("voice") / "person.wav", SCRIPT)
    with browsing(chromium, *MICROPHONE, f"--use-file-for-fake-audio-capture={file}%noloop") as browser:
        yield browser


class Speak(Protocol):
    """Starts a server that listens and speaks."""

    def __call__(self, *, calls: Callable[[], Calls] | None = ..., enabled: Literal["auto", "off"] = "off") -> Live:
        """Start it; what it hears is a script, or, without `calls`, by whatever is installed."""
        ...


@pytest.fixture
def speak(tmp_path: Path) -> Iterator[Speak]:
    """Start servers that end with the test."""
    with ExitStack() as running:

        def start(*, calls: Callable[[], Calls] | None = heard, enabled: Literal["auto", "off"] = "off") -> Live:
            data = tmp_path / f"data-{len(list(tmp_path.iterdir()))}"
            words = [f"{word} " for word in ANSWER.split(" ")]
            return running.enter_context(speaking_server(ScriptedAgent(words), data, calls, enabled=enabled))

        yield start


def heard() -> Calls:
    """What every person is understood to say."""
    first = Segment(
        text=QUESTION, partials=(Partial(text="What can", at_ms=300), Partial(text="What can you", at_ms=600))
    )
    return scripted_calls(first, *[Segment(text=SECOND, partials=(Partial(text="Tell me", at_ms=300),))] * 9)


def call_panel(page: Page) -> Locator:
    return page.locator("duo-call")


def talk(page: Page) -> None:
    page.get_by_role("button", name="Talk by voice").click()


def phase(page: Page, name: str) -> None:
    expect(call_panel(page)).to_have_attribute("data-phase", name)


def watched(visit: Visit, url: str) -> Page:
    """Open the page with everything noted that happens on it."""
    page = visit("about:blank")
    page.add_init_script(f"({WATCH})()")
    page.goto(url)
    return page


def test_one_talks_hears_sees_each_word_and_interrupts_by_talking(speak: Speak, visit: Visit) -> None:
    server = speak()
    page = watched(visit, server.url)
    talk(page)
    phase(page, "listening")
    expect(page.locator("#announcer")).to_have_text("The call is on. Just talk.")
    expect(page.locator("duo-person .said").first).to_have_text(QUESTION)
    expect(page.locator("duo-person").first).to_contain_text("Spoken")
    phase(page, "speaking")
    expect(page.locator("duo-call .call-hint")).to_have_text("Talk to interrupt.")
    until(page, "seen.words.length > 5")
    assert sound(page).heard > 0
    # The second thing that is said comes in the middle of the answer.
    first = page.locator("duo-answer").first
    expect(first).to_contain_text("You interrupted here; the rest was not heard.")
    expect(page.locator("duo-person .said").nth(1)).to_have_text(SECOND)
    rest = unheard(page).strip()
    assert rest and SPOKEN.endswith(rest) and rest != SPOKEN
    noted = seen(page)
    assert noted["partials"][:1] == ["What can"]
    assert [name for name in noted["phases"] if name in ("listening", "hearing")][:2] == ["listening", "hearing"]
    # The second answer begins anew.
    words = noted["words"]
    told = words[: words.index("I", 1)] if "I" in words[1:] else words
    said = SPOKEN.split(" ")
    assert told == [word for word in said if word in told][: len(told)]
    assert len(told) <= len(said) - len(rest.split())
    # What the first answer was not heard to say is still shown so after a reload.
    page.reload()
    expect(page.locator("duo-answer").first).to_contain_text("You interrupted here; the rest was not heard.")
    until(page, "CSS.highlights.get('unheard').size > 0")
    assert unheard(page).strip().endswith(rest)


def test_who_pushes_to_talk_is_heard_while_they_push(speak: Speak, visit: Visit) -> None:
    server = speak()
    page = watched(visit, server.url)
    page.evaluate("localStorage.setItem('duologue.talking', 'explicit')")
    page.reload()
    talk(page)
    phase(page, "ready")
    key = page.get_by_role("button", name="Hold to talk")
    expect(key).to_be_focused()
    page.wait_for_timeout(1_000)
    assert sound(page).said == 0, "nobody pushes"
    page.keyboard.down("Space")
    phase(page, "hearing")
    expect(page.get_by_role("button", name="Talking")).to_have_attribute("aria-pressed", "true")
    until(page, "seen.partials.length > 0")
    page.keyboard.up("Space")
    expect(page.locator("duo-person .said").first).to_have_text(QUESTION)
    expect(key).to_have_attribute("aria-pressed", "false")
    phase(page, "speaking")
    # Who pushes while the agent speaks interrupts it; a tap leaves the key pressed.
    page.keyboard.press("Space")
    expect(page.locator("duo-answer").first).to_contain_text("You interrupted here")
    expect(page.get_by_role("button", name="Talking")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("duo-person .said").nth(1)).to_have_text(SECOND)


def test_mute_and_hang_up(speak: Speak, visit: Visit) -> None:
    server = speak()
    page = watched(visit, server.url)
    page.get_by_role("button", name="Talk by voice").focus()
    page.keyboard.press("Enter")
    mute = page.get_by_role("button", name="Mute the microphone")
    expect(mute).to_be_focused()
    page.keyboard.press("Enter")
    expect(mute).to_have_attribute("aria-pressed", "true")
    phase(page, "muted")
    expect(call_panel(page)).to_contain_text("Nobody hears you.")
    page.wait_for_timeout(3_500)
    assert sound(page).said == 0
    expect(page.locator("duo-person")).to_have_count(0)
    page.get_by_role("button", name="Hang up").focus()
    page.keyboard.press("Enter")
    expect(call_panel(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Talk by voice")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("The call is over.")
    until(page, "peers.every((peer) => peer.connectionState === 'closed')")


@pytest.mark.parametrize(
    ("reason", "told"), [("lost", ""), ("idle", "Nothing was said for a while, so the call was ended.")]
)
def test_a_call_that_the_server_loses_comes_back_and_one_that_it_ends_does_not(
    speak: Speak, visit: Visit, reason: str, told: str
) -> None:
    made: list[Calls] = []

    def calls() -> Calls:
        made.append(heard())
        return made[0]

    server = speak(calls=calls)
    page = watched(visit, server.url)
    talk(page)
    phase(page, "listening")
    until(page, "peers.length === 1 && peers[0].connectionState === 'connected'")
    server.task.get_loop().call_soon_threadsafe(lambda: [call.hang_up(reason) for call in made[0]])
    if told:
        expect(call_panel(page).get_by_role("alert")).to_contain_text(told)
        call_panel(page).get_by_role("button", name="Call again").click()
    until(page, "peers.length === 2 && peers[1].connectionState === 'connected'")
    phase(page, "listening")
    expect(call_panel(page).get_by_role("alert")).to_be_hidden()


def test_only_the_page_to_talk_on_may_ask_for_the_microphone(speak: Speak, visit: Visit) -> None:
    url = speak().url
    page = visit(url)
    allowed = {path: page.request.get(url + path).headers["permissions-policy"] for path in ("/", "/sessions", "/docs")}
    assert {path for path, policy in allowed.items() if "microphone=(self)" in policy} == {"/"}
    assert all("camera=()" in policy for policy in allowed.values())


def test_another_window_takes_the_call_over(speak: Speak, visit: Visit) -> None:
    server = speak()
    page = watched(visit, server.url)
    talk(page)
    phase(page, "listening")
    other = page.context.new_page()
    other.goto(server.url)
    talk(other)
    expect(call_panel(page)).to_contain_text("The call goes on in another window or on another device.")
    phase(other, "listening")
    # The one that lost it does not take it back by itself.
    page.get_by_role("button", name="Close").click()
    expect(call_panel(page)).to_be_hidden()
    expect(call_panel(other)).to_be_visible()


def test_the_way_of_talking_changes_within_a_call(speak: Speak, visit: Visit) -> None:
    server = speak()
    page = watched(visit, server.url)
    talk(page)
    phase(page, "listening")
    page.get_by_role("button", name="Sound settings").click()
    expect(page.get_by_role("radio", name="Open microphone")).to_be_focused()
    expect(page.get_by_role("combobox", name="Microphone")).to_have_value(re.compile(r"\S"))
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Push to talk")).to_be_checked()
    phase(page, "ready")
    expect(page.get_by_role("button", name="Hold to talk")).to_be_enabled()
    until(page, "peers.length === 2 && peers[0].connectionState === 'closed'")
    page.reload()
    talk(page)
    phase(page, "ready")


def test_a_server_that_lacks_a_package_says_which(speak: Speak, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    def there(name: str) -> bool:
        return name != "piper"

    monkeypatch.setattr("duologue.server.voice_parts._there", there)
    page = visit(speak(calls=None, enabled="auto").url, expected="400")
    talk(page)
    expect(call_panel(page).get_by_role("alert")).to_contain_text("Piper needs pip install 'duologue[piper]'.")


def test_a_server_without_speech_says_what_to_do(speak: Speak, visit: Visit) -> None:
    server = speak(calls=None)
    page = visit(server.url, expected="400")
    talk(page)
    alert = call_panel(page).get_by_role("alert")
    expect(alert.locator("p")).to_have_text("Calls are switched off on this server (voice.enabled).")
    expect(alert.get_by_role("button", name="Call again")).to_be_hidden()
    alert.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Talk by voice")).to_be_focused()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("NotAllowedError", "was not told yes. Try again, and choose Allow."),
        ("NotFoundError", "No microphone was found. Connect one"),
        ("NotReadableError", "Close other programs that use it"),
        ("TypeError", "The microphone cannot be opened: it broke"),
    ],
)
def test_a_microphone_that_cannot_be_had_says_why(speak: Speak, visit: Visit, error: str, told: str) -> None:
    page = visit("about:blank")
    broken = f"async () => {{ throw Object.assign(new DOMException('it broke', '{error}')); }}"
    page.add_init_script(f"MediaDevices.prototype.getUserMedia = {broken}")
    page.goto(speak().url)
    talk(page)
    alert = call_panel(page).get_by_role("alert")
    expect(alert).to_contain_text(told)
    expect(alert.get_by_role("button", name="Call again")).to_be_visible()


def test_a_page_that_is_not_secure_says_what_to_do(speak: Speak, visit: Visit) -> None:
    page = visit("about:blank")
    page.add_init_script("Object.defineProperty(window, 'isSecureContext', { value: false })")
    server = speak()
    page.goto(server.url)
    talk(page)
    expect(call_panel(page)).to_contain_text(
        f"Open this page over https, or on the server's machine as http://localhost:{server.port}."
    )


@pytest.mark.parametrize(("width", "dark"), [(1200, False), (375, True)])
def test_the_call_fits_its_page(speak: Speak, visit: Visit, width: int, dark: bool) -> None:
    page = visit(speak().url, width=width, height=700, dark=dark)
    talk(page)
    phase(page, "listening")
    page.get_by_role("button", name="Sound settings").click()
    page.get_by_role("radio", name="Push to talk").check()
    phase(page, "ready")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for role in ("button", "radio", "combobox", "region"):
        for found in page.get_by_role(role).all():
            expect(found).to_have_accessible_name(re.compile(r"\S"))
    expect(page.get_by_role("button", name="Hang up")).to_be_in_viewport()
    expect(page.get_by_role("textbox", name="Message")).to_be_in_viewport()
