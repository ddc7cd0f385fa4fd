"""Every implementation keeps the port's contract."""

import pytest
from tests.unit.adapters.babble import babble

from duologue.adapters.speech_silero import load_silero
from duologue.testing.voice_activity_suite import VOICE_ACTIVITY_CHECKS, Model, VoiceActivityCheck


def _name(check: VoiceActivityCheck) -> str:
    return getattr(check, "__name__", "check")


@pytest.fixture(scope="module")
def model() -> Model:
    return load_silero()


@pytest.fixture(scope="module")
def speech() -> bytes:
    return babble(1_500)


@pytest.mark.parametrize("check", VOICE_ACTIVITY_CHECKS, ids=_name)
def test_voice_activity(check: VoiceActivityCheck, model: Model, speech: bytes) -> None:
    check(model, speech)
