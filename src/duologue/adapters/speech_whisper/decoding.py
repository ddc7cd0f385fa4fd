"""Whisper on a window of sound, as short as it still reads well. Runs in the worker's process only."""

import importlib
import math
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from duologue.model.base import Value

_RATE_HZ: Final = 16_000

_LEAST_FRAMES: Final = 1_000
"""Shortest window, 10 s. Whisper is trained on 30 s, and encoding that takes 870 ms on 2 cores (tiny); 10 s take 60 and
read as well, 5 s make it repeat itself (16 sentences of Piper's, word error rate 0.06, 0.06 and 0.56; 2026-11-30)."""

_AFTER_FRAMES: Final = 300
"""Empty window after the speech: without it Whisper repeats what it has read."""

_MOST_FRAMES: Final = 3_000
"""Whisper's own window: 30 s."""

_SILENCE_SAMPLES: Final = _RATE_HZ * 3 // 10
"""Silence that is put after the speech: cut off short, it is read worse."""

_LEAST_SAMPLES: Final = _RATE_HZ // 10
"""Less sound than this holds no word."""

_TOKENS_A_SECOND: Final = 12
_TOKENS: Final = 24
"""Most tokens of a window, by its speech and in any case: people say three words a second; so it cannot run away."""

_NO_SPEECH: Final = 0.6
_UNSURE: Final = -1.0
"""Nothing was said where Whisper thinks so with this probability, and was less sure of its words than this. Source:
the thresholds of OpenAI's own `transcribe`."""

_REPETITIVE: Final = 2.4
"""Text that can be compressed so well repeats itself. Source: the same."""


class Said(Value, kw_only=True):
    """What was read in a window: text, the mean probability of its words, and which language."""

    text: str
    confidence: float
    language: str


class Decoder:
    """One model, one window after the other."""

    def __init__(self, *, model: str, device: str, compute_type: str, threads: int) -> None:
        # Neither faster-whisper nor CTranslate2 below it has types that hold.
        faster_whisper: Any = importlib.import_module("faster_whisper")
        self._model: Any = faster_whisper.WhisperModel(
            model,
            device=device,
            compute_type=compute_type,
            cpu_threads=threads,
            local_files_only=not Path(model).is_dir(),
        )
        self._faster: Any = faster_whisper
        self._whisper: Any = self._model.model
        self.multilingual = bool(self._whisper.is_multilingual)

    def warm(self) -> None:
        """Read a moment of silence: the first time takes longest."""
        self.decode(bytes(_RATE_HZ), language="en", beam=1)

    def decode(self, pcm: bytes, *, language: str, beam: int) -> Said:
        """Read a window.

        Args:
            pcm: mono PCM16 at 16 kHz, at most 30 s.
            language: Whisper's code; empty, or one that it does not know: it finds out itself.
            beam: how many readings are followed at once.
        """
        sound = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32_768)
        if len(sound) < _LEAST_SAMPLES:
            return Said(text="", confidence=0.0, language=language or "en")
        said, repeats = self._read(sound, language, beam=beam, least_frames=_LEAST_FRAMES)
        if repeats:
            said, repeats = self._read(sound, language, beam=max(beam, 2), least_frames=_MOST_FRAMES)
        return Said(text="", confidence=0.0, language=said.language) if repeats else said

    def _read(self, sound: NDArray[np.float32], language: str, *, beam: int, least_frames: int) -> tuple[Said, bool]:
        """Read once. Returns also whether the text repeats itself."""
        encoded = self._encode(sound, least_frames)
        code = self._language(encoded, language)
        # As above.
        tokenizer: Any = self._faster.tokenizer.Tokenizer(
            self._model.hf_tokenizer, self.multilingual, task="transcribe", language=code if self.multilingual else None
        )
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        longest = len(prompt) + _TOKENS + len(sound) * _TOKENS_A_SECOND // _RATE_HZ
        result: Any = self._whisper.generate(
            encoded,
            [prompt],
            beam_size=beam,
            max_length=min(longest, self._model.max_length),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        tokens: list[int] = result.sequences_ids[0]
        mean = float(result.scores[0]) * len(tokens) / (len(tokens) + 1)
        text = str(tokenizer.decode(tokens)).strip()
        silent: bool = result.no_speech_prob > _NO_SPEECH and mean < _UNSURE
        said = Said(text="" if silent else text, confidence=math.exp(min(0.0, mean)), language=code)
        return said, _repeats(said.text)

    # CTranslate2's arrays have no types.
    def _encode(self, sound: NDArray[np.float32], least_frames: int) -> Any:
        quiet = np.zeros(_SILENCE_SAMPLES, dtype=np.float32)
        features = self._model.feature_extractor(np.concatenate((sound, quiet)))[..., :-1]
        frames = min(_MOST_FRAMES, max(least_frames, features.shape[-1] + _AFTER_FRAMES))
        # As above.
        window: Any = self._faster.audio.pad_or_trim(features, frames + frames % 2)
        storage: Any = self._faster.transcribe.get_ctranslate2_storage(window[np.newaxis])
        return self._whisper.encode(storage, to_cpu=False)

    def _language(self, encoded: Any, language: str) -> str:
        if not self.multilingual:
            return "en"
        if language in self._model.supported_languages:
            return language
        token: str = self._whisper.detect_language(encoded)[0][0][0]
        return token[2:-2]


def _repeats(text: str) -> bool:
    data = text.encode()
    return bool(data) and len(data) / len(zlib.compress(data)) > _REPETITIVE
