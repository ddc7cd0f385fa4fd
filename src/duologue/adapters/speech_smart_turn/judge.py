"""Smart Turn's network: 8 s of sound in, how likely it is that the person has finished out.

What goes in and comes out, as the network itself declares it: `input_features` (calls, 80, 800) float32; `logits`
(calls, 1), which are probabilities in spite of their name.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Protocol, cast

import onnxruntime

from duologue.adapters.speech_smart_turn.features import BANDS, STEPS, Floats, features
from duologue.model import limits
from duologue.model.errors import SpeechError

SHAPE: Final = (BANDS, STEPS)


class _Options(Protocol):
    """What is used of `onnxruntime.SessionOptions`."""

    intra_op_num_threads: int
    inter_op_num_threads: int
    log_severity_level: int


class _Port(Protocol):
    """One input or output of a network."""

    name: str
    shape: Sequence[int | str | None]


class _Session(Protocol):
    """What is used of `onnxruntime.InferenceSession`, which has no types."""

    def get_inputs(self) -> Sequence[_Port]: ...

    def run(self, output_names: None, input_feed: Mapping[str, object]) -> Sequence[Floats]: ...


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


def _load(model: Path) -> _Session:
    # The package has no types; `_Options` and `_Session` are what is used of it.
    options = cast(_Options, onnxruntime.SessionOptions())  # pyright: ignore[reportUnknownMemberType]
    # Calls need the other cores; and threads that wait for one another spin.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = cast(_Session, onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"]))
    except Exception as error:
        message = f"{model} cannot be loaded as an ONNX model; name an ONNX file of Smart Turn v3"
        raise SpeechError(message, retryable=False) from error
    found = {port.name: tuple(port.shape)[1:] for port in session.get_inputs()}
    if found != {"input_features": SHAPE}:
        raise SpeechError(f"{model} is no Smart Turn v3: it takes {', '.join(sorted(found))}", retryable=False)
    return session
