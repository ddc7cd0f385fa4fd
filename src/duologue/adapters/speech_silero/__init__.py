"""Voice activity by Silero VAD, through ONNX Runtime. Needs the extra `speech`, but to be imported."""

from duologue.adapters.speech_silero.find import find_model
from duologue.adapters.speech_silero.load import load_silero

__all__ = ["find_model", "load_silero"]
