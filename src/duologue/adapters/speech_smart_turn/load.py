"""Loads Smart Turn, and says what is missing where it cannot."""

from typing import TYPE_CHECKING

from duologue.adapters.speech_smart_turn.find import find_model
from duologue.model.errors import SpeechError

if TYPE_CHECKING:
    from duologue.adapters.speech_smart_turn.judge import SmartTurn


def load_smart_turn(path: str = "") -> "SmartTurn":
    """Load the model, once for all calls of the process. Whoever loads it closes it.

    Args:
        path: an ONNX file of Smart Turn v3; empty for the one that the package `pipecat-ai` carries.
    Raises:
        SpeechError: a package or the model is missing, or the file is not that model; the message says what to do.
    """
    model = find_model(path)
    if model is None:
        wanted = f"there is no file {path}" if path else "there is no end of turn model"
        message = (
            f"{wanted}; name an ONNX file of Smart Turn v3, or pip install --no-deps pipecat-ai, which carries one"
        )
        raise SpeechError(message, retryable=False)
    try:
        from duologue.adapters.speech_smart_turn.judge import SmartTurn
    except ImportError as error:
        message = f"no end of turn model without {error.name}; pip install 'duologue[speech]'"
        raise SpeechError(message, retryable=False) from error
    return SmartTurn(model)
