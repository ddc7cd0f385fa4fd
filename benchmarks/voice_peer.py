"""The peer of `benchmarks.voice`: a Pipecat pipeline with the same stand-ins; prints one line of JSON.

Its own interpreter runs it, with `pipecat-ai[silero]`. It is given what is quickest for it: no RTVI, no tracking of
turns, tokens to the voice as they come, no loudness gate, no wait after the end of speech.
"""

# The peer's packages are not in our environment, so nothing of them has a type here.
# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUntypedBaseClass=false, reportMissingTypeArgument=false

import argparse
import asyncio
import importlib.metadata
import json
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams, VADState
from pipecat.frames.frames import (
    Frame,
    InputAudioRawFrame,
    InterruptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    OutputAudioRawFrame,
    StartFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import LLMService
from pipecat.services.settings import LLMSettings, STTSettings, TTSSettings
from pipecat.services.stt_service import STTService
from pipecat.services.tts_service import TextAggregationMode, TTSService
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.user_start import VADUserTurnStartStrategy
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.utils.time import time_now_iso8601
from pipecat.workers.runner import WorkerRunner

from benchmarks import holding, talk
from benchmarks.talk import Talk

START_S = 30.0
"""A pipeline that has not started by then will not."""

WINDOW_S = 0.032
"""Of Silero VAD."""

CHUNK_S = 0.02
"""Of the voice's sound."""

VOICE_CPU: list[float] = []
"""CPU seconds of each look of voice activity."""

LOADING: list[float] = []
"""How long each loading of its model took: there is one for each call."""


class Listening(SileroVADAnalyzer):
    """Voice activity that tells when it decides, and what it takes."""

    def __init__(self, person: Talk) -> None:
        start_s = talk.START_WINDOWS * WINDOW_S
        params = VADParams(confidence=talk.PROBABILITY, start_secs=start_s, stop_secs=talk.SILENCE_S, min_volume=0.0)
        begun = talk.now()
        super().__init__(sample_rate=talk.RATE_HZ, params=params)
        LOADING.append(talk.now() - begun)
        self._person = person
        self._spoke = False

    def voice_confidence(self, buffer: bytes) -> float:
        begun = time.thread_time()
        found = super().voice_confidence(buffer)
        VOICE_CPU.append(time.thread_time() - begun)
        return found

    def _run_analyzer(self, buffer: bytes) -> VADState:
        found = super()._run_analyzer(buffer)
        if found is VADState.QUIET and self._spoke:
            self._spoke = False
            self._person.mark("decided")
        elif found is VADState.SPEAKING and not self._spoke:
            self._spoke = True
            self._person.mark("accepted")
        return found


class Ears(BaseInputTransport):
    """Where sound comes in."""

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)


class Mouth(BaseOutputTransport):
    """Where sound goes out, as fast as it is heard."""

    def __init__(self, params: TransportParams, person: Talk) -> None:
        super().__init__(params)
        self._person = person
        self._until = 0.0

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        frames = len(frame.audio) // talk.FRAME_BYTES
        self._person.sound(frames)
        self._until = max(self._until, talk.now()) + frames * talk.FRAME_S
        await asyncio.sleep(self._until - talk.now())
        return True

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame):
            self._until = 0.0


class Recogniser(STTService):
    """Knows what is said, a moment after speech has stopped."""

    def __init__(self, person: Talk) -> None:
        super().__init__(settings=STTSettings(model=None, language=None), ttfs_p99_latency=2 * talk.RECOGNISE_S)
        self._person = person

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:  # noqa: ARG002 # of the base
        yield None

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            self.create_task(self._recognise())

    async def _recognise(self) -> None:
        await asyncio.sleep(talk.RECOGNISE_S)
        self._person.mark("heard")
        await self.push_frame(TranscriptionFrame(talk.SENTENCE, "person", time_now_iso8601(), finalized=True))


class Agent(LLMService):
    """Says the same whatever it is asked."""

    def __init__(self, person: Talk) -> None:
        nothing = LLMSettings(
            model="stand-in",
            system_instruction=None,
            temperature=None,
            max_tokens=None,
            top_p=None,
            top_k=None,
            frequency_penalty=None,
            presence_penalty=None,
            seed=None,
            filter_incomplete_user_turns=False,
            user_turn_completion_config=None,
        )
        super().__init__(settings=nothing)
        self._person = person

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        self._person.mark("asked")
        await self.push_frame(LLMFullResponseStartFrame())
        try:
            for index, token in enumerate(talk.TOKENS):
                await asyncio.sleep(talk.TOKEN_S if index else talk.FIRST_TOKEN_S)
                self._person.mark("worded")
                await self._push_llm_text(token)
        finally:
            await self.push_frame(LLMFullResponseEndFrame())


class Voice(TTSService):
    """Speaks for as long as ever, a moment after the first text of an answer."""

    def __init__(self, person: Talk) -> None:
        super().__init__(
            push_start_frame=True,
            push_text_frames=True,
            text_aggregation_mode=TextAggregationMode.TOKEN,
            sample_rate=talk.RATE_HZ,
            settings=TTSSettings(model=None, voice=None, language=None),
        )
        self._person = person
        self._speaking: dict[str, asyncio.Task] = {}
        self._whole: dict[str, asyncio.Event] = {}

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:  # noqa: ARG002 # of the base
        if context_id not in self._speaking:
            self._person.mark("voiced")
            self._whole[context_id] = asyncio.Event()
            self._speaking[context_id] = self.create_task(self._speak(context_id))
        yield None

    async def flush_audio(self, context_id: str | None = None) -> None:
        if context_id in self._whole:
            self._whole[context_id].set()

    async def on_audio_context_interrupted(self, context_id: str) -> None:
        task = self._speaking.pop(context_id, None)
        self._whole.pop(context_id, None)
        if task is not None:
            await self.cancel_task(task)
        await super().on_audio_context_interrupted(context_id)

    async def _speak(self, context_id: str) -> None:
        await asyncio.sleep(talk.VOICE_S)
        self._person.mark("made")
        sound = talk.tone(CHUNK_S)
        for _ in range(round(talk.SPOKEN_S / CHUNK_S)):
            frame = TTSAudioRawFrame(sound, talk.RATE_HZ, 1, context_id=context_id)
            await self.append_to_audio_context(context_id, frame)
        await self._whole[context_id].wait()
        await self.append_to_audio_context(context_id, TTSStoppedFrame(context_id=context_id))
        await self.remove_audio_context(context_id)
        del self._speaking[context_id], self._whole[context_id]


@dataclass(frozen=True, slots=True)
class Line:
    """A call that has begun."""

    hear: Callable[[bytes], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


async def call(person: Talk) -> Line:
    """Begin a call."""
    sound = TransportParams(audio_in_enabled=True, audio_out_enabled=True, audio_out_end_silence_secs=0)
    ears = Ears(sound)
    turns = UserTurnStrategies(
        start=[VADUserTurnStartStrategy()], stop=[SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0.0)]
    )
    person_side = LLMUserAggregatorParams(vad_analyzer=Listening(person), user_turn_strategies=turns)
    both = LLMContextAggregatorPair(LLMContext([]), user_params=person_side)
    parts = [
        ears,
        Recogniser(person),
        both.user(),
        Agent(person),
        Voice(person),
        Mouth(sound, person),
        both.assistant(),
    ]
    worker = PipelineWorker(
        Pipeline(parts),
        params=PipelineParams(audio_in_sample_rate=talk.RATE_HZ, audio_out_sample_rate=talk.RATE_HZ),
        enable_rtvi=False,
        enable_turn_tracking=False,
    )
    started = asyncio.Event()

    async def note(*_: object) -> None:
        started.set()

    worker.add_event_handler("on_pipeline_started", note)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await asyncio.wait_for(started.wait(), START_S)

    async def hear(frame: bytes) -> None:
        await ears.push_audio_frame(InputAudioRawFrame(audio=frame, sample_rate=talk.RATE_HZ, num_channels=1))

    async def close() -> None:
        await worker.cancel()
        await running

    return Line(hear, close)


async def main(asked: argparse.Namespace) -> None:
    """Hold the calls, and print what was measured."""
    found: dict[str, object] = {"software": f"Pipecat {importlib.metadata.version('pipecat-ai')}"}
    if asked.first is not None:
        line = await call(Talk(()))
        found |= {"first_call_s": time.time() - asked.first, "loading_s": sum(LOADING)}
        await line.close()
    else:
        sentence = talk.frames_of(asked.recording)
        found |= await holding.hold(call, sentence, calls=asked.calls, interrupt=asked.interrupt, vad_s=VOICE_CPU)
    print(json.dumps(found))


if __name__ == "__main__":
    logger.remove()
    logger.add(sys.stderr, level="ERROR")
    asyncio.run(main(holding.arguments()))
