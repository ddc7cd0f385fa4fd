"""Text spoken by a server."""

from collections.abc import AsyncGenerator

import httpx2

from duologue.adapters.speech_openai.calling import make_client, refuse, unreachable
from duologue.adapters.speech_openai.options import SpeechEndpoint
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.model.speech import Spoken
from duologue.runtime.voice.resample import Resampler


class OpenaiTextToSpeech:
    """See `ports.text_to_speech.TextToSpeech`. Sound is given as it comes; the protocol has no word times.

    Source: OpenAI's API reference, "Create speech", `response_format` `pcm`: 24 kHz, 16 bits, mono, without a header.
    """

    name = "openai"

    def __init__(self, endpoint: SpeechEndpoint) -> None:
        self._endpoint = endpoint
        self._client = make_client(endpoint.base_url, endpoint.api_key)

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:  # noqa: ARG002 - the model hears the language itself
        """Speak a text."""
        if not any(map(str.isalnum, text)):
            return
        if len(text) > limits.PIECE_CHARS:
            raise SpeechError("the text is longer than a piece", retryable=False)
        sound = _Sound(self._endpoint.rate_hz)
        try:
            async with self._client.stream("POST", "/audio/speech", json=self._asked(text)) as response:
                await refuse(response)
                async for part in response.aiter_bytes():
                    if pcm := sound.take(part):
                        yield Spoken(pcm=pcm)
        except httpx2.HTTPError as error:
            raise unreachable(error) from None
        if pcm := sound.finish():
            yield Spoken(pcm=pcm)

    async def warm(self) -> None:
        """Nothing takes time here; a wrong key shows with the first text."""

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def _asked(self, text: str) -> dict[str, object]:
        endpoint = self._endpoint
        asked: dict[str, object] = {
            "model": endpoint.model,
            "voice": endpoint.voice,
            "input": text,
            "response_format": "pcm",
        }
        if endpoint.instructions:
            asked["instructions"] = endpoint.instructions
        if endpoint.speed != 1.0:
            asked["speed"] = endpoint.speed
        return asked


class _Sound:
    """Turns the bytes of a response into whole samples at our rate, up to the bound."""

    def __init__(self, rate_hz: int) -> None:
        self._resampler = Resampler(rate_hz, audio.RATE_HZ)
        self._most_bytes = limits.PIECE_AUDIO_MS * rate_hz // 1000 * audio.SAMPLE_BYTES
        self._taken_bytes = 0
        self._half = b""

    def take(self, data: bytes) -> bytes:
        """Take what came.

        Raises:
            SpeechError: it is too much for the text.
        """
        self._taken_bytes += len(data)
        if self._taken_bytes > self._most_bytes:
            raise SpeechError("the server for speech sends too much sound", retryable=False)
        data = self._half + data
        whole = len(data) // audio.SAMPLE_BYTES * audio.SAMPLE_BYTES
        self._half = data[whole:]
        return self._resampler.feed(data[:whole]) if whole else b""

    def finish(self) -> bytes:
        """Give what was held back."""
        return self._resampler.finish()
