"""Silero VAD's network: one model for all calls of a process, a small state for each call.

What goes in and comes out, as the network itself declares it: `input` (calls, 64 + 512) float32, of which the first
64 samples are the end of the window before; `state` (2, calls, 128) float32; `sr` int64. Out come `output` (calls, 1)
and the next state. Version 5 and later are of this form.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from duologue.model.audio import RATE_HZ
from duologue.model.errors import SpeechError
from duologue.onnx.session import Floats, Session, load

WINDOW_SAMPLES: Final = 512
"""Samples that are judged at a time, 32 ms. Source: Silero VAD 5, at 16,000 Hz it takes no other number."""

CONTEXT_SAMPLES: Final = 64
"""Samples of the window before that are seen again. Source: Silero VAD 5, at 16,000 Hz."""

HIDDEN: Final = (2, 128)
"""What the network remembers of a call: the two vectors of its LSTM."""

TRAIL_MS: Final = 40
"""For how long after its end speech is still heard: of 72 utterances of Piper's, with and without noise, from 41 ms
(a tenth) over 61 (half) to 81 (nine tenths), to below a probability of 0.35 (2026-11)."""

FIRST_CALLS: Final = 16
"""Calls for which there is room at first; it doubles when they are more."""

FULL_SCALE: Final = 1 / 32_768
"""Turns 16-bit samples into what the network was trained on, -1 to 1."""


class SileroState:
    """The place of one call in `Silero`'s memory; given back when nobody holds it any more."""

    __slots__ = ("_free", "place")

    def __init__(self, place: int, free: list[int]) -> None:
        self.place, self._free = place, free

    def __del__(self) -> None:
        self._free.append(self.place)


class Silero:
    """Silero VAD as a `VoiceActivity`. Called from one thread; holds no thread of its own.

    What it remembers of all calls, 1.25 KiB each, stands in two arrays, so that those of a batch are taken out and
    put back at once: one by one costs 3.5 µs a call, beside 48 µs for the network.
    """

    def __init__(self, model: Path) -> None:
        """Load the model.

        Raises:
            SpeechError: the file is no ONNX model, or another one.
        """
        self.window_samples, self.trail_ms = WINDOW_SAMPLES, TRAIL_MS
        self._session = _load(model)
        self._rate = np.array(RATE_HZ, np.int64)
        self._free: list[int] = []
        self._hidden: Floats = np.zeros((HIDDEN[0], 0, HIDDEN[1]), np.float32)
        self._context: Floats = np.zeros((0, CONTEXT_SAMPLES), np.float32)
        # The first inference makes room for what it needs, and takes ten times as long; no call should.
        self.probabilities([self.new_state()], [bytes(2 * WINDOW_SAMPLES)])

    def new_state(self) -> SileroState:
        """Begin a call, in silence."""
        if not self._free:
            self._grow()
        place = self._free.pop()
        self._hidden[:, place] = self._context[place] = 0
        return SileroState(place, self._free)

    def probabilities(self, states: Sequence[SileroState], windows: Sequence[bytes]) -> Sequence[float]:
        """Judge one window of each call; see the port. A model that fails leaves the states as they were."""
        places = [state.place for state in states]
        sound = np.empty((len(places), CONTEXT_SAMPLES + WINDOW_SAMPLES), np.float32)
        samples = np.frombuffer(b"".join(windows), "<i2").reshape(len(places), WINDOW_SAMPLES)
        np.multiply(samples, FULL_SCALE, out=sound[:, CONTEXT_SAMPLES:], casting="unsafe")
        sound[:, :CONTEXT_SAMPLES] = self._context[places]
        found, hidden = self._run(sound, self._hidden[:, places])
        self._context[places] = sound[:, -CONTEXT_SAMPLES:]
        self._hidden[:, places] = hidden
        return found[:, 0].tolist()

    def _grow(self) -> None:
        """Make room for as many calls again."""
        calls = self._context.shape[0]
        more = max(calls, FIRST_CALLS)
        self._hidden = np.pad(self._hidden, ((0, 0), (0, more), (0, 0)))
        self._context = np.pad(self._context, ((0, more), (0, 0)))
        self._free.extend(range(calls, calls + more))

    def _run(self, sound: Floats, hidden: Floats) -> tuple[Floats, Floats]:
        try:
            found, after = self._session.run(("output", "stateN"), {"input": sound, "state": hidden, "sr": self._rate})
        # onnxruntime raises exceptions of its own without a common base.
        except Exception as error:
            raise SpeechError(f"the voice activity model failed: {type(error).__name__}") from error
        return found, after


def _load(model: Path) -> Session:
    session = load(model, name="Silero VAD")
    names = sorted(port.name for port in session.get_inputs())
    if names != ["input", "sr", "state"]:
        message = f"{model} is no Silero VAD of version 5 or later: it takes {', '.join(names)}"
        raise SpeechError(message, retryable=False)
    return session
