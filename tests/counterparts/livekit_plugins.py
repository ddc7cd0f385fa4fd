"""Plugins on LiveKit Agents' own classes, as a vendor writes them; what they say and hear is Piper's and Whisper's."""

from typing import Any

from livekit import rtc
from livekit.agents import APIConnectOptions, APIStatusError, stt, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr, TimedString
from livekit.agents.utils import AudioBuffer
from tests.spoken import piper

from duologue.adapters.speech_whisper import WhisperSpeechToText
from duologue.model import audio
from duologue.runtime.voice.resample import Resampler

RATE_HZ = 24_000
STATUS = 503


class Voice(tts.TTS[Any]):
    """Attributes:
    fails_after: how many sentences it speaks before it fails; -1 for not.
    """

    def __init__(self, fails_after: int = -1) -> None:
        capabilities = tts.TTSCapabilities(streaming=False, aligned_transcript=True)
        super().__init__(capabilities=capabilities, sample_rate=RATE_HZ, num_channels=1)
        self.piper = piper()
        self.fails_after = fails_after

    @property
    def provider(self) -> str:
        return "piper"

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _Spoken(tts=self, input_text=text, conn_options=conn_options)

    async def aclose(self) -> None:
        await self.piper.aclose()


class _Spoken(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        # The plugins' own events have no type here.
        voice: object = self._tts  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        assert isinstance(voice, Voice)
        output_emitter.initialize(
            request_id="one", sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm", stream=False
        )
        resampler = Resampler(audio.RATE_HZ, RATE_HZ)
        number = 0
        async for spoken in voice.piper.speak(self.input_text, "en"):
            if number == voice.fails_after:
                raise APIStatusError(f"no more of {self.input_text}", status_code=STATUS)
            number += bool(spoken.words)
            for word in spoken.words:
                said = self.input_text[word.begin_char : word.end_char]
                output_emitter.push_timed_transcript(TimedString(said, word.begin_ms / 1000, word.end_ms / 1000))
            output_emitter.push(resampler.feed(spoken.pcm))
        output_emitter.flush()


class Recogniser(stt.STT[Any]):
    """Attributes:
    fails: whether its streams fail at the next flush.
    silent: what they say of any sound instead, and never as a final; empty for not.
    """

    def __init__(self, whisper: WhisperSpeechToText, *, streaming: bool = True) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=streaming, interim_results=True))
        self.whisper = whisper
        self.fails = False
        self.silent = ""

    async def _recognize_impl(
        self, buffer: AudioBuffer, *, language: NotGivenOr[str] = NOT_GIVEN, conn_options: APIConnectOptions
    ) -> stt.SpeechEvent:
        raise NotImplementedError

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> stt.RecognizeStream:
        assert language == "en"
        return _Heard(stt=self, conn_options=conn_options, sample_rate=RATE_HZ)


class _Heard(stt.RecognizeStream):
    """Is sent sound at a rate of its own, and says all that it hears of a segment when it is flushed."""

    async def _run(self) -> None:
        # As above.
        recogniser: object = self._stt  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        assert isinstance(recogniser, Recogniser)
        resampler = Resampler(RATE_HZ, audio.RATE_HZ)
        transcription = recogniser.whisper.open("en")
        stream = transcription.heard()
        try:
            async for item in self._input_ch:
                if recogniser.silent:
                    self._say(stt.SpeechEventType.INTERIM_TRANSCRIPT, recogniser.silent)
                    continue
                if isinstance(item, rtc.AudioFrame):
                    transcription.push(resampler.feed(bytes(item.data)))
                    continue
                if recogniser.fails:
                    raise APIStatusError("we heard a secret", status_code=STATUS)
                transcription.finish()
                while not (heard := await anext(stream)).final:
                    self._say(stt.SpeechEventType.INTERIM_TRANSCRIPT, heard.text)
                if heard.text:
                    self._say(stt.SpeechEventType.INTERIM_TRANSCRIPT, heard.text)
                if heard.text:
                    self._say(stt.SpeechEventType.FINAL_TRANSCRIPT, heard.text)
        finally:
            await stream.aclose()
            await transcription.aclose()

    def _say(self, kind: stt.SpeechEventType, text: str) -> None:
        said = stt.SpeechData(language="en", text=text, confidence=0.75)  # pyright: ignore[reportArgumentType] - made one
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind, alternatives=[said]))
