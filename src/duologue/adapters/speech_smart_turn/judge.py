"""Smart Turn's network: 8 s of sound in, how likely it is that the person has finished out.

What goes in and comes out, as the network itself declares it: `input_features` (calls, 80, 800) float32; `logits`
(calls, 1), which are probabilities in spite of their name.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from duologue.adapters.speech_smart_turn.features import BANDS, STEPS, features
from duologue.model import limits
from duologue.model.errors import SpeechError
from duologue.onnx.session import Session, load

SHAPE: Final = (BANDS, STEPS)


class SmartTurn:
    """Smart Turn v3 as an `EndOfTurn`. One inference at a time, in a thread of its own; the words do not matter."""

    def __init__(self, model: Path) -> None:
        """Load the model.

        Raises:
            SpeechError: the file is no ONNX model, or another one.
        """
        self._session = _load(model)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="end-of-turn")
        self._waiting = 0

    # The port hands in the words; this one goes by the sound.
    async def probability(self, audio: bytes, text: str) -> float:  # noqa: ARG002
        """Judge whether the turn is over; see the port.

        Raises:
            SpeechError: the model failed, or more are waiting than `limits.END_OF_TURN_WAITING`.
        """
        if self._waiting >= limits.END_OF_TURN_WAITING:
            raise SpeechError(f"{self._waiting} turns are waiting to be judged")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._judge, audio)
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let go of the thread, once no call is left; what is being computed ends by itself."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _judge(self, audio: bytes) -> float:
        try:
            (found,) = self._session.run(None, {"input_features": features(audio)[None]})
        # onnxruntime raises exceptions of its own without a common base.
        except Exception as error:
            raise SpeechError(f"the end of turn model failed: {type(error).__name__}") from error
        return min(max(float(found[0, 0]), 0.0), 1.0)


def _load(model: Path) -> Session:
    session = load(model, name="Smart Turn v3")
    found = {port.name: tuple(port.shape)[1:] for port in session.get_inputs()}
    if found != {"input_features": SHAPE}:
        raise SpeechError(f"{model} is no Smart Turn v3: it takes {', '.join(sorted(found))}", retryable=False)
    return session
