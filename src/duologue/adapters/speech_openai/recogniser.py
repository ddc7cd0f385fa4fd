"""Speech recognised by a server."""

import math
import struct
from typing import Final

import httpx2
import msgspec

from duologue.adapters.speech_openai.calling import make_client, refuse, unreachable
from duologue.adapters.speech_openai.options import TranscriptionEndpoint
from duologue.adapters.speech_openai.transcription import OpenaiTranscription, Read
from duologue.model import audio
from duologue.model.errors import SpeechError

_WAV: Final = struct.Struct("<4sI4s4sIHHIIHH4sI")
_WAV_PCM: Final = 1
_FORMAT_BYTES: Final = 16


class _Part(msgspec.Struct):
    """A segment, as Whisper tells it."""

    avg_logprob: float | None = None


class _Transcribed(msgspec.Struct):
    """What the server answers, as `json` or `verbose_json`."""

    text: str
    language: str | None = None
    segments: list[_Part] | None = None


class OpenaiSpeechToText:
    """See `ports.speech_to_text.SpeechToText`. A segment is sent as a WAV file when it ends, and before that where
    partials are wanted.

    Source: OpenAI's API reference, "Create transcription".
    """

    name = "openai"

    def __init__(self, endpoint: TranscriptionEndpoint) -> None:
        self._endpoint = endpoint
        self._client = make_client(endpoint.base_url, endpoint.api_key)

    def open(self, language: str | None) -> OpenaiTranscription:
        """Begin to listen to somebody."""
        code = (language or "").split("-")[0].lower()
        return OpenaiTranscription(self._ask, language=code, partial_ms=self._endpoint.partial_ms)

    async def warm(self) -> None:
        """Nothing takes time here; a wrong key shows with the first speech."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, pcm: bytes, language: str) -> Read:
        fields = {"model": self._endpoint.model, "response_format": self._endpoint.response_format}
        if language:
            fields["language"] = language
        files = {"file": ("speech.wav", _wav(pcm), "audio/wav")}
        try:
            async with self._client.stream("POST", "/audio/transcriptions", data=fields, files=files) as response:
                await refuse(response)
                body = await response.aread()
        except httpx2.HTTPError as error:
            raise unreachable(error) from None
        try:
            said = msgspec.json.decode(body, type=_Transcribed)
        except msgspec.MsgspecError:
            raise SpeechError("the server for speech answered what is no transcription") from None
        return Read(text=said.text.strip(), confidence=_confidence(said), language=language or _code(said.language))


def _confidence(said: _Transcribed) -> float | None:
    """The mean probability of words, where the server tells it."""
    known = [part.avg_logprob for part in said.segments or [] if part.avg_logprob is not None]
    return math.exp(min(0.0, sum(known) / len(known))) if known else None


def _code(language: str | None) -> str | None:
    """A language as a code; a server that spells its name out says nothing that could be kept."""
    return language.lower() if language is not None and len(language) <= 3 else None


def _wav(pcm: bytes) -> bytes:
    """Put the header of a WAV file before sound. Source: Microsoft's RIFF WAVE, format 1."""
    rate, width = audio.RATE_HZ, audio.SAMPLE_BYTES
    size = _WAV.size - 8 + len(pcm)
    head = _WAV.pack(
        b"RIFF",
        size,
        b"WAVE",
        b"fmt ",
        _FORMAT_BYTES,
        _WAV_PCM,
        1,
        rate,
        rate * width,
        width,
        width * 8,
        b"data",
        len(pcm),
    )
    return head + pcm
