"""Every voice and every recogniser keeps its port's contract."""

from typing import Any

import pytest
from tests.spoken import piper, samples, whisper

from duologue.testing.speech_to_text_suite import SPEECH_TO_TEXT_CHECKS, RecogniserCheck
from duologue.testing.text_to_speech_suite import TEXT_TO_SPEECH_CHECKS, VoiceCheck

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


# Checks are functions.
def _name(check: Any) -> str:
    return check.__name__


@pytest.fixture(scope="module")
def speech() -> Any:
    """What is said to recognisers; a fixture, so that it is made outside of the test's event loop."""
    return samples()


@pytest.mark.counterpart("piper-tts")
@pytest.mark.parametrize("check", TEXT_TO_SPEECH_CHECKS, ids=_name)
async def test_piper(check: VoiceCheck) -> None:
    await check(piper)


@pytest.mark.counterpart("faster-whisper")
@pytest.mark.parametrize("check", SPEECH_TO_TEXT_CHECKS, ids=_name)
async def test_whisper(check: RecogniserCheck, speech: Any) -> None:
    await check(whisper, speech)
