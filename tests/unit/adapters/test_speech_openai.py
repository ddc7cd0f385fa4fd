"""Speech over OpenAI's protocol, against a real server that speaks it with Whisper and Piper."""

import asyncio
import math
from collections.abc import AsyncGenerator
from typing import Any

import msgspec
import pytest
from tests.counterparts.speech_server import SpeechServer
from tests.spoken import samples

from duologue.adapters.speech_openai import (
    OpenaiSpeechToText,
    OpenaiTextToSpeech,
    SpeechEndpoint,
    TranscriptionEndpoint,
)
from duologue.model import audio, limits
from duologue.model.errors import SpeechError
from duologue.testing.speech_to_text_suite import (
    SPEECH_TO_TEXT_CHECKS,
    RecogniserCheck,
    Sample,
    finals,
    is_about,
    opened,
    push,
)
from duologue.testing.text_to_speech_suite import TEXT_TO_SPEECH_CHECKS, VoiceCheck, spoken

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture(scope="module")
def speech() -> tuple[Sample, ...]:
    return samples()


@pytest.fixture(scope="module")
async def server(speech: tuple[Sample, ...]) -> AsyncGenerator[SpeechServer]:
    """One server for the module, made after the speech, as that needs an event loop of its own."""
    assert speech
    made = SpeechServer()
    async with made.serving():
        yield made


# The endpoint's own fields are of several types.
def voice(server: SpeechServer, **changed: Any) -> OpenaiTextToSpeech:
    endpoint = SpeechEndpoint(base_url=server.url, api_key=server.key)
    return OpenaiTextToSpeech(msgspec.structs.replace(endpoint, **changed))


# As above.
def recogniser(server: SpeechServer, **changed: Any) -> OpenaiSpeechToText:
    endpoint = TranscriptionEndpoint(base_url=server.url, api_key=server.key)
    return OpenaiSpeechToText(msgspec.structs.replace(endpoint, **changed))


# Checks are functions.
def _name(check: Any) -> str:
    return check.__name__


@pytest.mark.parametrize("check", TEXT_TO_SPEECH_CHECKS, ids=_name)
async def test_its_voice_keeps_the_contract(check: VoiceCheck, server: SpeechServer) -> None:
    await check(lambda: voice(server))


@pytest.mark.parametrize("check", SPEECH_TO_TEXT_CHECKS, ids=_name)
async def test_its_recogniser_keeps_the_contract(
    check: RecogniserCheck, server: SpeechServer, speech: tuple[Sample, ...]
) -> None:
    await check(lambda: recogniser(server), speech)


async def test_what_is_asked_is_what_is_set(server: SpeechServer) -> None:
    server.requests.clear()
    made = voice(server, model="a-model", voice="a-voice", instructions="calmly", speed=1.5)
    await spoken(made, "Yes.")
    await made.aclose()
    asked = {
        "model": "a-model",
        "voice": "a-voice",
        "input": "Yes.",
        "response_format": "pcm",
        "instructions": "calmly",
        "speed": "1.5",
    }
    assert server.requests == [("speech", asked)]


async def test_confidence_and_partials_where_they_are_wanted(server: SpeechServer, speech: tuple[Sample, ...]) -> None:
    sample = speech[0]
    async with opened(lambda: recogniser(server, response_format="verbose_json", partial_ms=1_000)) as (transcription,):
        push(transcription, sample.pcm)
        async with asyncio.timeout(60):
            stream = transcription.heard()
            partial = await anext(stream)
            transcription.finish()
            final = await anext(stream)
            await stream.aclose()
    assert [partial.final, final.final] == [False, True]
    assert is_about(final, sample)
    assert final.confidence is not None
    assert math.isclose(final.confidence, math.exp(-0.5))


async def test_a_partial_is_given_up_when_its_segment_ends(server: SpeechServer, speech: tuple[Sample, ...]) -> None:
    async with opened(lambda: recogniser(server, partial_ms=100)) as (transcription,):
        push(transcription, speech[0].pcm)
        listening = asyncio.ensure_future(finals(transcription, 1))
        await asyncio.sleep(0)
        transcription.finish()
        (final,) = await listening
    assert is_about(final, speech[0])


@pytest.mark.parametrize(("status", "retryable"), [(429, True), (503, True), (400, False), (404, False)])
async def test_a_refusal_says_whether_to_try_again(server: SpeechServer, status: int, retryable: bool) -> None:
    server.refusals = [status]
    made = voice(server)
    with pytest.raises(SpeechError, match=rf"answered {status} \(rate_limit\)$") as raised:
        await spoken(made, "Yes.")
    assert raised.value.retryable is retryable
    await made.aclose()


async def test_a_final_is_asked_for_again(server: SpeechServer, speech: tuple[Sample, ...]) -> None:
    server.refusals = [503, 429]
    async with opened(lambda: recogniser(server)) as (transcription,):
        push(transcription, speech[0].pcm)
        transcription.finish()
        (final,) = await finals(transcription, 1)
    assert is_about(final, speech[0])


async def test_a_wrong_key_is_no_secret_told(server: SpeechServer, speech: tuple[Sample, ...]) -> None:
    async with opened(lambda: recogniser(server, api_key="a-bad-key")) as (transcription,):
        push(transcription, speech[0].pcm)
        transcription.finish()
        with pytest.raises(SpeechError, match=r"401 \(invalid_api_key\)") as raised:
            await finals(transcription, 1)
    assert "bad-key" not in str(raised.value)
    assert not raised.value.retryable
    assert "bad-key" not in repr(TranscriptionEndpoint(api_key="a-bad-key"))
    assert "bad-key" not in repr(SpeechEndpoint(api_key="a-bad-key"))


async def test_sound_that_is_cut_off_is_a_failure_after_some_sound(server: SpeechServer) -> None:
    server.cut_after_bytes = 20_000
    made = voice(server)
    got: list[bytes] = []

    async def speak() -> None:
        async for part in made.speak("This is a sentence that is cut off in its middle.", "en"):
            got.append(part.pcm)

    with pytest.raises(SpeechError, match="not reached"):
        await speak()
    assert 0 < sum(map(len, got)) < 30_000
    server.cut_after_bytes = 0
    await made.aclose()


async def test_a_server_that_is_not_there_is_said_to_be_so() -> None:
    made = OpenaiTextToSpeech(SpeechEndpoint(base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(SpeechError, match="not reached") as raised:
        await spoken(made, "Yes.")
    assert raised.value.retryable
    await made.aclose()


async def test_too_much_sound_is_stopped(server: SpeechServer) -> None:
    made = voice(server, rate_hz=100)
    with pytest.raises(SpeechError, match="too much sound"):
        await spoken(made, "This is a sentence that lasts for quite a while, and then some more.")
    assert limits.PIECE_AUDIO_MS * audio.BYTES_PER_MS > 0
    await made.aclose()
