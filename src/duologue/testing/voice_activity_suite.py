"""The suite of the port `VoiceActivity`: what every implementation must do, as checks.

@pytest.mark.parametrize("check", VOICE_ACTIVITY_CHECKS, ids=lambda check: check.__name__)
def test_voice_activity(check):
    check(my_model, speech)
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from duologue.model.audio import RATE_HZ, SAMPLE_BYTES
from duologue.ports.voice_activity import VoiceActivity

# What a model remembers of a call is its own affair.
Model: TypeAlias = VoiceActivity[Any]

VoiceActivityCheck: TypeAlias = Callable[[Model, bytes], None]
"""Gets the model, and at least a second of speech: PCM16, 16,000 Hz, mono."""

CLOSE: Final = 1e-3
"""How far two results of the same windows may differ: a batch is summed up in another order."""

LIKELY: Final = 0.5


def windows_of(model: Model, pcm: bytes) -> Sequence[bytes]:
    """Cut sound into the model's windows; what is left over is dropped."""
    size = model.window_samples * SAMPLE_BYTES
    return [pcm[at : at + size] for at in range(0, len(pcm) - size + 1, size)]


def judged(model: Model, pcm: bytes) -> Sequence[float]:
    """Judge sound, window after window, as a call of its own."""
    state = model.new_state()
    return [model.probabilities([state], [window])[0] for window in windows_of(model, pcm)]


def check_silence_is_not_speech(model: Model, speech: bytes) -> None:
    """Before anybody spoke, and a while after."""
    silence = bytes(RATE_HZ * SAMPLE_BYTES)
    assert max(judged(model, silence)) < LIKELY
    assert max(judged(model, speech + silence)[-5:]) < LIKELY


def check_speech_is_speech(model: Model, speech: bytes) -> None:
    """In most windows of it; each is a probability."""
    found = judged(model, speech)
    assert sum(one > LIKELY for one in found) > len(found) / 2
    assert all(0 <= one <= 1 for one in found)


def check_calls_of_a_batch_do_not_hear_each_other(model: Model, speech: bytes) -> None:
    """Each call is judged as it would be alone, wherever it stands in a batch and whoever else is in it."""
    windows = windows_of(model, speech)
    starts = range(min(7, len(windows)))
    states = [model.new_state() for _ in starts]
    found: list[list[float]] = [[] for _ in starts]
    for step in range(len(windows)):
        # Calls come at different times, and in another order each time.
        batch = [call for call in sorted(starts, key=lambda call: (call * 5 + step) % 7) if step >= call]
        results = model.probabilities([states[call] for call in batch], [windows[step - call] for call in batch])
        assert len(results) == len(batch)
        for call, result in zip(batch, results, strict=True):
            found[call].append(result)
    alone = judged(model, speech)
    for call in starts:
        differences = [abs(one - other) for one, other in zip(found[call], alone, strict=False)]
        assert max(differences) < CLOSE, call


def check_a_new_call_knows_nothing_of_earlier_ones(model: Model, speech: bytes) -> None:
    """Also where it takes the place of one that ended."""
    first = judged(model, speech)
    assert max(abs(one - other) for one, other in zip(judged(model, speech), first, strict=True)) < CLOSE


VOICE_ACTIVITY_CHECKS: Final[Sequence[VoiceActivityCheck]] = (
    check_silence_is_not_speech,
    check_speech_is_speech,
    check_calls_of_a_batch_do_not_hear_each_other,
    check_a_new_call_knows_nothing_of_earlier_ones,
)
"""All of them."""
