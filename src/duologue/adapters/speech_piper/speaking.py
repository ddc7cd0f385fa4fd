"""Piper, sentence by sentence, as PCM16 at 16 kHz with the times of words. Runs in the worker's process only."""

import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from piper import AudioChunk, PiperConfig, PiperVoice, SynthesisConfig
from piper.patch_voice_with_alignment import add_alignment_output

from duologue.adapters.speech_piper.words import WordStarts
from duologue.model.base import Value
from duologue.runtime.voice.resample import Resampler

_RATE_HZ: Final = 16_000


class SpokenSentence(Value, kw_only=True):
    """A sentence's sound. `words`: first and last code point, begin and end in ms from the text's begin."""

    pcm: bytes
    words: tuple[tuple[int, int, int, int], ...]


class Speaker:
    """One voice."""

    def __init__(self, *, voice: str, speaker: int | None, speed: float, threads: int, word_times: bool) -> None:
        if not Path(voice).is_file() or not Path(f"{voice}.json").is_file():
            raise FileNotFoundError(f"{voice} and {voice}.json have to be there")
        self._voice = _load(voice, threads=threads, word_times=word_times)
        self._config = SynthesisConfig(speaker_id=speaker, length_scale=self._voice.config.length_scale / speed)
        # As in `_load`.
        session: Any = self._voice.session
        self.word_times = word_times and len(session.get_outputs()) > 1

    def warm(self) -> None:
        """Speak a word: the first time takes longest."""
        self.speech("Yes.").next()

    def speech(self, text: str) -> "Speech":
        """Begin to speak a text."""
        return Speech(self._voice, self._config, text, word_times=self.word_times)


def _load(voice: str, *, threads: int, word_times: bool) -> PiperVoice:
    """Load a voice whose threads do not spin while they wait: others want the cores."""
    # Neither of the two packages has types that hold.
    onnxruntime: Any = importlib.import_module("onnxruntime")
    onnx: Any = importlib.import_module("onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    model = onnx.load(voice)
    if word_times:
        # A model without the layer that tells how long each sound is, or one that shows it already.
        with suppress(ValueError):
            add_alignment_output(model)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), sess_options=options, providers=["CPUExecutionProvider"]
    )
    config = json.loads(Path(f"{voice}.json").read_text(encoding="utf-8"))
    return PiperVoice(config=PiperConfig.from_dict(config), session=session)


class Speech:
    """One text, spoken a sentence at a time."""

    def __init__(self, voice: PiperVoice, config: SynthesisConfig, text: str, *, word_times: bool) -> None:
        self._voice = voice
        self._text = text
        self._chunks: Iterator[AudioChunk] = iter(
            voice.synthesize(text, syn_config=config, include_alignments=word_times)
        )
        self._word_times = word_times
        self._starts: WordStarts | None = None
        self._resampler = Resampler(voice.config.sample_rate, _RATE_HZ)
        self._sentence = 0
        self._samples = 0
        self._over = False

    def next(self) -> SpokenSentence | None:
        """Speak the next sentence; `None` where there is none."""
        if self._over:
            return None
        chunk = next(self._chunks, None)
        if chunk is None:
            self._over = True
            rest = self._resampler.finish()
            return SpokenSentence(pcm=rest, words=()) if rest else None
        words = self._words(chunk)
        self._samples += len(chunk.audio_float_array)
        return SpokenSentence(pcm=self._resampler.feed(chunk.audio_int16_bytes), words=words)

    def _words(self, chunk: AudioChunk) -> tuple[tuple[int, int, int, int], ...]:
        """When the sentence's words are spoken; nothing where Piper does not say."""
        sentence, self._sentence = self._sentence, self._sentence + 1
        # Piper leaves sentences without a sound out of its chunks, and out of its phonemes.
        if not self._word_times or chunk.phoneme_alignments is None:
            return ()
        if self._starts is None:
            self._starts = WordStarts(self._text, self._voice.phonemize(self._text), self._voice.phonemize)
        ends_ms = self._phoneme_ends_ms(chunk.phoneme_alignments)
        return tuple(
            (*self._starts.ranges[word], ends_ms[first], ends_ms[after])
            for word, first, after in self._starts.in_sentence(sentence)
            if after < len(ends_ms)
        )

    def _phoneme_ends_ms(self, alignments: Sequence[Any]) -> list[int]:
        """When each phoneme of a sentence ends; the first entry is the sentence's opening, before its first phoneme."""
        samples, ends = self._samples, list[int]()
        for alignment in alignments:
            samples += int(alignment.num_samples)
            ends.append(samples * 1000 // self._voice.config.sample_rate)
        return ends
