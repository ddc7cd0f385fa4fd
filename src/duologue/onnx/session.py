"""Loading a network, with the types that onnxruntime has not."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import onnxruntime

from duologue.model.errors import SpeechError

Floats = npt.NDArray[np.float32]


class Port(Protocol):
    """One input or output of a network."""

    name: str
    shape: Sequence[int | str | None]


class Session(Protocol):
    """What is used of `onnxruntime.InferenceSession`."""

    def get_inputs(self) -> Sequence[Port]:
        """What it takes."""
        ...

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, object]) -> Sequence[Floats]:
        """Run it; outputs that are not named are all of them. Raises exceptions without a common base."""
        ...


class _Options(Protocol):
    """What is used of `onnxruntime.SessionOptions`."""

    intra_op_num_threads: int
    inter_op_num_threads: int
    log_severity_level: int


def load(model: Path, *, name: str) -> Session:
    """Load a network that uses one core: calls need the others, and threads that wait for one another spin.

    Args:
        name: of the network, for whoever named another file.
    Raises:
        SpeechError: the file is no ONNX model.
    """
    # The package has no types; `_Options` and `Session` are what is used of it.
    options = cast(_Options, onnxruntime.SessionOptions())  # pyright: ignore[reportUnknownMemberType]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return cast(Session, onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"]))
    # onnxruntime raises exceptions of its own without a common base.
    except Exception as error:
        message = f"{model} cannot be loaded as an ONNX model; name an ONNX file of {name}"
        raise SpeechError(message, retryable=False) from error
