"""Plugins of LiveKit Agents as voices and recognisers, on LiveKit's own classes."""

import importlib.util
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.spoken import samples, whisper

from duologue.adapters.speech_livekit import LivekitSpeechToText, LivekitTextToSpeech, load_plugin
from duologue.adapters.speech_whisper import WhisperSpeechToText
from duologue.model.errors import SpeechError
from duologue.testing.speech_to_text_suite import (
    SPEECH_TO_TEXT_CHECKS,
    RecogniserCheck,
    Sample,
    finals,
    opened,
    push,
)
from duologue.testing.text_to_speech_suite import TEXT, TEXT_TO_SPEECH_CHECKS, VoiceCheck, spoken

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.counterpart("livekit-agents"),
    # livekit-agents 1.8 leaves spans and generators to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.skipif(
        importlib.util.find_spec("livekit") is None, reason="livekit-agents is not installed: the extra livekit"
    ),
]


# Checks are functions.
def _name(check: Any) -> str:
    return check.__name__


@pytest.fixture(scope="module")
def speech() -> tuple[Sample, ...]:
    return samples()


@pytest.fixture(scope="module")
async def ears(speech: tuple[Sample, ...]) -> AsyncGenerator[WhisperSpeechToText]:
    """A vendor's servers are warm; made after the speech, as that needs an event loop of its own."""
    assert speech
    made = whisper()
    await made.warm()
    yield made
    await made.aclose()


# The module that needs LiveKit is imported where it is there.
def plugins() -> Any:
    from tests.counterparts import livekit_plugins

    return livekit_plugins


@pytest.mark.parametrize("check", TEXT_TO_SPEECH_CHECKS, ids=_name)
async def test_a_voice_keeps_the_contract(check: VoiceCheck) -> None:
    await check(lambda: LivekitTextToSpeech(plugins().Voice()))


@pytest.mark.parametrize("check", SPEECH_TO_TEXT_CHECKS, ids=_name)
async def test_a_recogniser_keeps_the_contract(
    check: RecogniserCheck, speech: tuple[Sample, ...], ears: WhisperSpeechToText
) -> None:
    await check(lambda: LivekitSpeechToText(plugins().Recogniser(ears)), speech)


async def test_words_have_the_plugins_times() -> None:
    voice = LivekitTextToSpeech(plugins().Voice())
    said = await spoken(voice, TEXT)
    assert voice.name == "livekit-piper"
    assert [TEXT[word.begin_char : word.end_char] for word in said.words] == TEXT.split()
    await voice.aclose()


async def test_a_failure_is_ours_and_quotes_nothing() -> None:
    voice = LivekitTextToSpeech(plugins().Voice(fails_after=1))
    with pytest.raises(SpeechError, match=r"^livekit-piper failed: APIStatusError 503$") as raised:
        await spoken(voice, TEXT)
    assert raised.value.retryable
    await voice.aclose()


async def test_a_stream_that_fails_ends_the_transcription(
    speech: tuple[Sample, ...], ears: WhisperSpeechToText
) -> None:
    plugin = plugins().Recogniser(ears)
    plugin.fails = True
    async with opened(lambda: LivekitSpeechToText(plugin)) as (transcription,):
        push(transcription, speech[0].pcm)
        transcription.finish()
        with pytest.raises(SpeechError, match=r"^livekit failed: APIStatusError 503$"):
            await finals(transcription, 1)
        push(transcription, speech[0].pcm)
        transcription.finish()


async def test_what_is_pending_is_the_final_where_none_comes(
    speech: tuple[Sample, ...], ears: WhisperSpeechToText
) -> None:
    plugin = plugins().Recogniser(ears)
    plugin.silent = "some words"
    async with opened(lambda: LivekitSpeechToText(plugin)) as (transcription,):
        push(transcription, speech[0].pcm)
        transcription.finish()
        (final,) = await finals(transcription, 1)
    assert final.text == "some words"


async def test_what_is_no_plugin_is_refused(ears: WhisperSpeechToText) -> None:
    with pytest.raises(SpeechError, match="object is no plugin that speaks"):
        LivekitTextToSpeech(object())
    with pytest.raises(SpeechError, match="object is no plugin that recognises"):
        LivekitSpeechToText(object())
    plugin = plugins().Recogniser(ears, streaming=False)
    with pytest.raises(SpeechError, match="use a StreamAdapter"):
        LivekitSpeechToText(plugin)


@pytest.mark.parametrize(
    ("place", "options", "why"),
    [
        ("livekit.plugins.nobody:STT", {}, "is not installed"),
        ("tests.counterparts.livekit_plugins:Nothing", {}, "has no Nothing"),
        ("tests.counterparts.livekit_plugins", {}, "has no class; write module:Class"),
        ("tests.counterparts.livekit_plugins:Voice", {"colour": 1}, "cannot be made: TypeError"),
    ],
)
async def test_a_plugin_is_named_by_module_and_class(place: str, options: dict[str, int], why: str) -> None:
    assert load_plugin("tests.counterparts.livekit_plugins:Voice", {"fails_after": 3}).fails_after == 3
    with pytest.raises(SpeechError, match=why):
        load_plugin(place, options)
