"""Who of all callers speaks: collects the windows of all calls, and has one inference judge those that are ready.

A network judges many windows at once for a fraction of what they cost one by one. Most windows cannot show anything
yet, such as the first of a silence; they wait `limits.HEARING_GATHER_MS` for others, and are judged before the next one
of their call comes. One that may show that speech began or stopped is judged at once, with all that wait. So nothing
is told later for being gathered. Nothing here hops between threads: an inference takes less than one hop for each frame
would.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

from duologue.engine.activity import Activity, ActivityRules, Began, Edge, Stopped
from duologue.model import limits
from duologue.model.audio import BYTES_PER_MS, RATE_HZ, SAMPLE_BYTES
from duologue.model.errors import SpeechError
from duologue.ports.voice_activity import VoiceActivity

MS: Final = 1000

BYTES_PER_S: Final = RATE_HZ * SAMPLE_BYTES

# What a model remembers of a call is its own affair; it is only handed back to it.
Model: TypeAlias = VoiceActivity[Any]


class Listener(Protocol):
    """Who is told what one call's ear hears; from the loop, never from within `Ear.hear`."""

    def speech(self, edge: Edge) -> None:
        """Somebody began to speak, or stopped; `edge.ago_ms` before now."""
        ...

    def deaf(self, error: SpeechError) -> None:
        """Nothing more will be heard on this call: the model failed."""
        ...


class Hearing:
    """The ears of all calls of a process; lives on one event loop.

    Args:
        model: judges the windows.
        time_s: a monotonic clock; the loop's where none is given.
    """

    def __init__(self, model: Model, *, time_s: Callable[[], float] | None = None) -> None:
        self.model = model
        self.window_bytes = model.window_samples * SAMPLE_BYTES
        self.window_ms = model.window_samples * MS // RATE_HZ
        self._time_s = time_s
        self._ears: set[Ear] = set()
        self._ready: list[Ear] = []
        self._timer: asyncio.Handle | None = None
        self._gathering = False

    def open(self, rules: ActivityRules, listener: Listener) -> "Ear":
        """Begin to listen to a call; whoever opens an ear closes it."""
        ear = Ear(self, rules, listener)
        self._ears.add(ear)
        return ear

    def now_s(self) -> float:
        """Read the clock."""
        return self._time_s() if self._time_s is not None else asyncio.get_running_loop().time()

    def ready(self, ear: "Ear") -> None:
        """Note that a window of this ear is whole; called once until it was judged."""
        self._ready.append(ear)
        if ear.due or len(self._ears) == 1:
            self._hurry()
        elif self._timer is None:
            self._wait(limits.HEARING_GATHER_MS)

    def forget(self, ear: "Ear") -> None:
        """Leave an ear out from now on."""
        self._ears.discard(ear)

    def _wait(self, wait_ms: int) -> None:
        loop = asyncio.get_running_loop()
        self._gathering = wait_ms > 0
        self._timer = loop.call_later(wait_ms / MS, self._judge) if wait_ms else loop.call_soon(self._judge)

    def _judge(self) -> None:
        """Judge one window of each ear that has one, as many as the loop may be blocked for."""
        self._timer = None
        batch = [ear for ear in self._ready[: limits.HEARING_BATCH] if not ear.closed]
        del self._ready[: limits.HEARING_BATCH]
        left = bool(self._ready)
        if batch:
            self._infer(batch)
        if left:
            # They have waited already; what is judged now may have more, which waits for others again.
            self._hurry()

    def _hurry(self) -> None:
        """Judge as soon as the loop comes to it."""
        if self._timer is not None and self._gathering:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._wait(0)

    def _infer(self, batch: "list[Ear]") -> None:
        try:
            found = self.model.probabilities([ear.state for ear in batch], [ear.take() for ear in batch])
        except SpeechError as error:
            for ear in batch:
                ear.fail(error)
            return
        now_s = self.now_s()
        for ear, probability in zip(batch, found, strict=True):
            ear.judged(probability, now_s)


class Ear:
    """What is heard on one call. Made by `Hearing.open`.

    Sound that stops coming while somebody speaks is silence, `limits.HEARING_STALL_MS` after the next piece was to
    come, as long after the last one as that was. Of sound that comes in
    a burst, `limits.HEARING_BACKLOG_WINDOWS` wait to be judged (policy: the oldest is dropped).

    Attributes:
        state: what the model remembers of the call.
        closed: nothing is heard any more.
        dropped_windows: how much of a burst was not judged.
    """

    def __init__(self, hearing: Hearing, rules: ActivityRules, listener: Listener) -> None:
        self.state: object = hearing.model.new_state()
        self.closed = False
        self.dropped_windows = 0
        self._hearing, self._listener = hearing, listener
        self._activity = Activity(rules, window_ms=hearing.window_ms, trail_ms=hearing.model.trail_ms)
        self._parts: list[bytes] = []
        self._bytes = 0
        self._heard_s = self._next_s = 0.0
        self._listed = False
        self._stall: asyncio.TimerHandle | None = None

    @property
    def speaking(self) -> bool:
        """Whether somebody speaks, as far as was judged."""
        return self._activity.speaking

    @property
    def due(self) -> bool:
        """Whether the window that comes next may show anything."""
        return self._activity.due

    def hear(self, pcm: bytes) -> None:
        """Take in the next sound of the call; it is kept and not copied until its window is whole.

        Args:
            pcm: PCM16 at 16,000 Hz, whole samples, of any length; after `close` it is ignored.
        """
        if self.closed or not pcm:
            return
        self._parts.append(pcm)
        self._bytes += len(pcm)
        self._heard_s = self._hearing.now_s()
        self._next_s = self._heard_s + len(pcm) / BYTES_PER_S
        if self._bytes >= self._hearing.window_bytes:
            self._bound()
            self._list()

    def take(self) -> bytes:
        """Take the oldest whole window out."""
        whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        window = whole[: self._hearing.window_bytes]
        rest = whole[self._hearing.window_bytes :]
        self._parts = [rest] if rest else []
        self._bytes = len(rest)
        self._listed = False
        return window

    def judged(self, probability: float, now_s: float) -> None:
        """Take what the model found of the window that was taken."""
        edge = self._activity.hear(probability)
        if edge is not None:
            self._tell(edge, late_ms=self._late_ms(now_s))
        if self._bytes >= self._hearing.window_bytes:
            self._list()

    def fail(self, error: SpeechError) -> None:
        """Hear nothing more, and say why."""
        if not self.closed:
            self.close()
            asyncio.get_running_loop().call_soon(self._listener.deaf, error)

    def close(self) -> None:
        """Hear nothing more; harmless when called again. What was told already may still arrive."""
        self.closed = True
        self._parts.clear()
        self._bytes = 0
        if self._stall is not None:
            self._stall.cancel()
        self._hearing.forget(self)

    def _list(self) -> None:
        if not self._listed:
            self._listed = True
            self._hearing.ready(self)

    def _late_ms(self, now_s: float) -> int:
        """How long ago the window ended: what came after it, and what it waited since that came."""
        after_ms = self._bytes // BYTES_PER_MS
        return after_ms + round((now_s - self._heard_s) * MS)

    def _tell(self, edge: Edge, *, late_ms: int) -> None:
        """Tell the listener from the loop, so that what it does and raises is its own."""
        loop = asyncio.get_running_loop()
        match edge:
            case Began(ago_ms=ago_ms):
                loop.call_soon(self._listener.speech, Began(ago_ms=ago_ms + late_ms))
                if self._stall is None:
                    self._watch(limits.HEARING_STALL_MS)
            case Stopped(ago_ms=ago_ms):
                loop.call_soon(self._listener.speech, Stopped(ago_ms=ago_ms + late_ms))

    def _bound(self) -> None:
        """Drop what is too far behind: it would be judged long after it was said."""
        over = self._bytes // self._hearing.window_bytes - limits.HEARING_BACKLOG_WINDOWS
        if over > 0:
            self._parts = [b"".join(self._parts)[over * self._hearing.window_bytes :]]
            self._bytes = len(self._parts[0])
            self.dropped_windows += over

    def _watch(self, wait_ms: float) -> None:
        self._stall = asyncio.get_running_loop().call_later(wait_ms / MS, self._look)

    def _look(self) -> None:
        """Take it for silence where somebody spoke and no sound comes any more."""
        self._stall = None
        if self.closed or not self.speaking:
            return
        missing_ms = (self._hearing.now_s() - self._next_s) * MS
        if missing_ms < limits.HEARING_STALL_MS:
            self._watch(limits.HEARING_STALL_MS - missing_ms)
            return
        if (edge := self._activity.stop()) is not None:
            self.state = self._hearing.model.new_state()
            self._tell(edge, late_ms=self._late_ms(self._hearing.now_s()))
