"""Text spoken by a plugin of LiveKit Agents."""

from collections.abc import AsyncGenerator, Iterable
from typing import Any, Final

from duologue.adapters.speech_livekit.plugins import agents, failure, once
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken, WordTime
from duologue.runtime.voice.resample import Resampler

_TIMED: Final = "lk.timed_transcripts"
"""Where a frame has the times of its words. Source: LiveKit Agents 1.8, `types.USERDATA_TIMED_TRANSCRIPT`."""


class LivekitTextToSpeech:
    """See `ports.text_to_speech.TextToSpeech`. Word times are given where the plugin has them.

    Raises:
        SpeechError: LiveKit Agents is not installed, or the plugin is none for speaking.
    """

    # The plugin is somebody else's class.
    def __init__(self, plugin: Any) -> None:
        if not isinstance(plugin, agents().tts.TTS):
            raise SpeechError(f"{type(plugin).__name__} is no plugin that speaks", retryable=False)
        self._plugin = plugin
        self.name = f"livekit-{plugin.provider}" if plugin.provider != "unknown" else "livekit"

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:  # noqa: ARG002 - a plugin's voice has its language
        """Speak a text."""
        if not any(map(str.isalnum, text)):
            return
        if len(text) > limits.PIECE_CHARS:
            raise SpeechError("the text is longer than a piece", retryable=False)
        made = _Made(text)
        try:
            async with self._plugin.synthesize(text, conn_options=once()) as stream:
                async for event in stream:
                    yield made.take(event.frame)
        except SpeechError:
            raise
        except Exception as error:  # noqa: BLE001 - a plugin raises what it likes
            raise failure(self.name, error) from None
        if rest := made.finish():
            yield Spoken(pcm=rest)

    async def warm(self) -> None:
        """Let the plugin connect."""
        self._plugin.prewarm()

    async def aclose(self) -> None:
        """Close the plugin."""
        await self._plugin.aclose()


class _Made:
    """What a plugin made of a text so far."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._from = 0
        self._resampler: Resampler | None = None
        self._taken_ms = 0.0

    # A frame of LiveKit's, which has no types that hold.
    def take(self, frame: Any) -> Spoken:
        self._taken_ms += frame.samples_per_channel * 1000 / frame.sample_rate
        if self._taken_ms > limits.PIECE_AUDIO_MS:
            raise SpeechError("the plugin speaks for too long", retryable=False)
        if self._resampler is None:
            self._resampler = Resampler(frame.sample_rate, audio.RATE_HZ, channels=frame.num_channels)
        words = tuple(self._words(frame.userdata.get(_TIMED) or ()))
        return Spoken(pcm=self._resampler.feed(bytes(frame.data)), words=words)

    def finish(self) -> bytes:
        """Give what was held back."""
        return self._resampler.finish() if self._resampler is not None else b""

    # Timed strings of LiveKit's: text with attributes.
    def _words(self, timed: Iterable[Any]) -> Iterable[WordTime]:
        """Find the plugin's words in the text; one that is not there, or has no time, is left out."""
        for said in timed:
            word = str(said).strip()
            begin = self._text.find(word, self._from) if word else -1
            if begin < 0 or not isinstance(said.start_time, float | int) or not isinstance(said.end_time, float | int):
                continue
            self._from = begin + len(word)
            begin_ms = round(said.start_time * 1000)
            end_ms = max(begin_ms, round(said.end_time * 1000))
            yield WordTime(begin_char=begin, end_char=self._from, begin_ms=begin_ms, end_ms=end_ms)
