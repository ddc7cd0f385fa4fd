"""What calls of ours are measured with: stand-ins for all that thinks, and a link that sends sound as it is heard."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import talk
from benchmarks.talk import Talk
from duologue import Turn
from duologue.adapters.speech_silero.model import Silero, SileroState
from duologue.engine.activity import ActivityRules, Began, Edge, Stopped
from duologue.model.audio import FRAME_BYTES
from duologue.model.errors import SpeechError
from duologue.model.speech import Heard, Spoken, WordTime
from duologue.runtime.voice.call import Call
from duologue.runtime.voice.hearing import Ear, Hearing, Listener

LANGUAGE: Final = "en-x-"
"""Before a person's number: the language of their session, by which the stand-ins know them. Source: BCP 47, 2.2.7."""

MS: Final = 1000


class People:
    """Everybody who is measured, by the language of their session.

    Args:
        anybody: people who were never taken in are known as well; for a server, whose people are in another process.
    """

    def __init__(self, *, anybody: bool = False) -> None:
        self._all: dict[str, Talk] = defaultdict(lambda: Talk(())) if anybody else {}

    def add(self, person: Talk) -> str:
        """Take somebody in; returns their language."""
        language = f"{LANGUAGE}{len(self._all)}"
        self._all[language] = person
        return language

    def of(self, language: str | None) -> Talk:
        """Find somebody."""
        return self._all[language or ""]


class Activity(Silero):
    """Voice activity that notes what it takes.

    Attributes:
        used_s: CPU seconds of each inference.
        judged_s: when the last one was over.
    """

    judged_s: float = 0.0

    def __init__(self, model: Path) -> None:
        self.used_s: list[float] = []
        super().__init__(model)

    def probabilities(self, states: Sequence[SileroState], windows: Sequence[bytes]) -> Sequence[float]:
        """See the port."""
        begun = time.thread_time()
        found = super().probabilities(states, windows)
        self.used_s.append(time.thread_time() - begun)
        self.judged_s = talk.now()
        return found


class Noted:
    """Notes what voice activity decides, and passes it on.

    Args:
        person: on whose call.
        activity: what decides.
        listener: who is told.
        min_speech_s: how long somebody has to speak to interrupt.
    """

    def __init__(self, person: Talk, activity: Activity, listener: Listener | None, *, min_speech_s: float) -> None:
        self._person, self._activity, self._listener = person, activity, listener
        self._min_speech_s = min_speech_s

    def speech(self, edge: Edge) -> None:
        """See `Listener`."""
        match edge:
            case Stopped():
                self._person.mark("decided", at=self._activity.judged_s)
            case Began(ago_ms=ago_ms):
                self._person.mark("accepted", at=talk.now() - ago_ms / MS + self._min_speech_s)
        if self._listener is not None:
            self._listener.speech(edge)

    def deaf(self, error: SpeechError) -> None:
        """See `Listener`."""
        raise error


class NotedHearing(Hearing):
    """The ears of all calls; `person` is whose call is being opened."""

    person: Talk
    min_speech_s: float = 0.0

    def __init__(self, model: Activity) -> None:
        super().__init__(model)
        self._activity = model

    def open(self, rules: ActivityRules, listener: Listener | None) -> Ear:
        """See `Hearing`."""
        noted = Noted(self.person, self._activity, listener, min_speech_s=self.min_speech_s)
        return super().open(rules, noted)


class Transcription:
    """Knows what is said, a moment after the end."""

    def __init__(self, person: Talk) -> None:
        self._person = person
        self._segment = 1
        self._loop = asyncio.get_running_loop()
        self._finals: asyncio.Queue[Heard | None] = asyncio.Queue()

    def push(self, pcm: bytes) -> None:
        """See the port."""

    def finish(self) -> int:
        """See the port."""
        ended = self._segment
        self._segment += 1
        self._loop.call_later(talk.RECOGNISE_S, self._know, ended)
        return ended

    def drop(self) -> None:
        """See the port."""

    async def heard(self) -> AsyncGenerator[Heard, None]:
        """See the port."""
        while (heard := await self._finals.get()) is not None:
            yield heard

    async def aclose(self) -> None:
        """See the port."""
        self._finals.put_nowait(None)

    def _know(self, segment: int) -> None:
        self._person.mark("heard")
        stt_ms = round(talk.RECOGNISE_S * MS)
        self._finals.put_nowait(Heard(segment=segment, text=talk.SENTENCE, final=True, stt_ms=stt_ms))


class Recogniser:
    """Makes transcriptions."""

    name = "stand-in"

    def __init__(self, people: People) -> None:
        self._people = people

    def open(self, language: str | None) -> Transcription:
        """See the port."""
        return Transcription(self._people.of(language))

    async def warm(self) -> None:
        """See the port."""

    async def aclose(self) -> None:
        """See the port."""


class Voice:
    """Speaks the pieces of an answer, a moment after each was asked for; together as long as the peer's answer.

    It gives the time of each word, as good voices do.
    """

    name = "stand-in"

    def __init__(self, people: People) -> None:
        self._people = people
        letters = len("".join(talk.TOKENS))
        self._sound = talk.tone(talk.SPOKEN_S)
        self._letter_ms = talk.SPOKEN_S * MS / letters

    async def speak(self, text: str, language: str | None) -> AsyncGenerator[Spoken, None]:
        """See the port."""
        person = self._people.of(language)
        person.mark("voiced")
        await asyncio.sleep(talk.VOICE_S)
        person.mark("made")
        frames = round(len(text) * self._letter_ms / (talk.FRAME_S * MS))
        yield Spoken(pcm=self._sound[: frames * FRAME_BYTES], words=self._words(text))

    async def warm(self) -> None:
        """See the port."""

    async def aclose(self) -> None:
        """See the port."""

    def _words(self, text: str) -> tuple[WordTime, ...]:
        words: list[WordTime] = []
        begin = 0
        for word in text.split(" "):
            end = begin + len(word)
            if word:
                begin_ms, end_ms = round(begin * self._letter_ms), round(end * self._letter_ms)
                words.append(WordTime(begin_char=begin, end_char=end, begin_ms=begin_ms, end_ms=end_ms))
            begin = end + 1
        return tuple(words)


class Agent:
    """Says the same whatever it is asked."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def answer(self, turn: Turn) -> AsyncGenerator[str, None]:
        """Say it, token by token."""
        person = self._people.of(turn.language)
        person.mark("asked")
        for index, token in enumerate(talk.TOKENS):
            await asyncio.sleep(talk.TOKEN_S if index else talk.FIRST_TOKEN_S)
            person.mark("worded")
            yield token


class Link:
    """Sends each frame when it is heard, and no sooner."""

    lead_ms = 0
    tells = False

    def __init__(self, person: Talk) -> None:
        self._person = person
        self._call: Call | None = None
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None

    def begin(self, call: Call) -> None:
        """The call has begun."""
        self._call = call

    def wake(self) -> None:
        """See `Link` of the runtime."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_soon(self._send)

    def begun(self, response_id: str) -> None:
        """See `Link` of the runtime."""

    def cleared(self, response_id: str) -> None:
        """See `Link` of the runtime."""

    def paused(self, response_id: str) -> None:
        """See `Link` of the runtime."""

    def resumed(self, response_id: str) -> None:
        """See `Link` of the runtime."""

    # Any: what a call ends with does not matter here.
    def hung_up(self, *_: Any) -> None:
        """See `Link` of the runtime."""
        self._call = None
        if self._timer is not None:
            self._timer.cancel()

    def _send(self) -> None:
        self._timer = None
        if self._call is None:
            return
        playout = self._call.playout
        while playout.due(most=1):
            self._person.sound()
        wait_s = playout.wait_s(frames=1)
        if wait_s is not None:
            self._timer = self._loop.call_later(wait_s, self._send)
