"""End of turn by Smart Turn v3, through ONNX Runtime. Needs the extra `speech`, but to be imported."""

from duologue.adapters.speech_smart_turn.find import find_model
from duologue.adapters.speech_smart_turn.load import load_smart_turn

__all__ = ["find_model", "load_smart_turn"]
