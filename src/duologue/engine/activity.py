"""When a person begins to speak, and when they stop: from how likely speech is in each window of sound.

It runs on the audio's path, some thirty times a second for each call, and is not journaled; what it finds is. Windows
are counted exactly: nothing smooths the falling edge, which is where the time between a person's last word and the
answer is lost. Where within its window speech began or ended is not known; the middle is taken, and what the model is
known to trail behind an end, so that the times that are given are right on average.
"""

from typing import TypeAlias

from duologue.model.base import Value


class ActivityRules(Value, kw_only=True):
    """How sure it has to be, and for how long.

    Attributes:
        start_probability: a window of silence becomes one of speech from here on, from 0 to 1.
        stop_probability: a window of speech becomes one of silence below it; not above `start_probability`. Between
            the two it goes on as it was.
        start_windows: so many windows of speech in a row are a beginning; 1 or more. A click is shorter than two.
        silence_ms: how long nobody may have spoken for speech to have stopped. It is rounded up to whole windows.
    """

    start_probability: float = 0.5
    stop_probability: float = 0.35
    start_windows: int = 2
    silence_ms: int = 200


class Began(Value, kw_only=True):
    """Somebody speaks. `ago_ms` before the end of the window that told, it began."""

    ago_ms: int


class Stopped(Value, kw_only=True):
    """Nobody speaks any more. `ago_ms` before the end of the window that told, it ended."""

    ago_ms: int


Edge: TypeAlias = Began | Stopped


class Activity:
    """Whether somebody speaks on one call. Its owner hands in each window once, in order."""

    __slots__ = ("_after_ms", "_began", "_rules", "_run", "_start", "_stop", "_stopped", "_window_ms", "speaking")

    def __init__(self, rules: ActivityRules, *, window_ms: int, trail_ms: int = 0) -> None:
        """Begin in silence.

        Args:
            rules: when speech begins and stops.
            window_ms: length of a window.
            trail_ms: for how long after speech has ended it is still taken for speech.
        """
        half_ms = window_ms // 2
        self._rules, self._window_ms, self._after_ms = rules, window_ms, half_ms + trail_ms
        self._start, self._stop = rules.start_windows, -(-max(rules.silence_ms - self._after_ms, 1) // window_ms)
        self._began = Began(ago_ms=self._start * window_ms - half_ms)
        self._stopped = Stopped(ago_ms=self._stop * window_ms + self._after_ms)
        self._run = 0
        self.speaking = False

    @property
    def due(self) -> bool:
        """Whether the next window may show anything; else its result only has to be there before the one after it."""
        return self._run + 1 >= (self._stop if self.speaking else self._start)

    def hear(self, probability: float) -> Edge | None:
        """Take in the next window.

        Args:
            probability: how likely it is that somebody speaks in it, from 0 to 1.
        Returns:
            What it shows: that speech began or stopped; `None` where all is as it was. The two take turns.
        """
        if self.speaking:
            return self._hear_speech(probability)
        self._run = self._run + 1 if probability >= self._rules.start_probability else 0
        if self._run < self._start:
            return None
        self.speaking, self._run = True, 0
        return self._began

    def stop(self) -> Stopped | None:
        """End speech where no sound comes any more; `None` where nobody spoke.

        Returns:
            When it ended, before the end of the last window that was handed in.
        """
        if not self.speaking:
            return None
        ago_ms = self._run * self._window_ms + self._after_ms
        self.speaking, self._run = False, 0
        return Stopped(ago_ms=ago_ms)

    def _hear_speech(self, probability: float) -> Edge | None:
        self._run = self._run + 1 if probability < self._rules.stop_probability else 0
        if self._run < self._stop:
            return None
        self.speaking, self._run = False, 0
        return self._stopped
