"""The port through which Duologue hears whether somebody speaks."""

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

State = TypeVar("State")


class VoiceActivity(Protocol, Generic[State]):
    """Judges short windows of sound, those of several calls at once.

    One instance serves all calls of a process; what it has to remember of a call is that call's `State`.
    """

    @property
    def window_samples(self) -> int:
        """How many samples are judged at a time, always as many (PCM16, 16,000 Hz, mono)."""
        ...

    @property
    def trail_ms(self) -> int:
        """For how long after speech has ended it is still taken for speech, at least, in nine of ten cases."""
        ...

    def new_state(self) -> State:
        """Make what is remembered of a call that has just begun; it needs no closing."""
        ...

    def probabilities(self, states: Sequence[State], windows: Sequence[bytes]) -> Sequence[float]:
        """Judge one window of each of several calls, in one inference.

        Blocks for about 0.1 ms a window, so that the loop may call it.

        Args:
            states: of different calls, each as the window before left it; they change in place.
            windows: one for each state, each of `window_samples` samples and right after that call's last one.
        Returns:
            How likely it is that somebody speaks in each, from 0 to 1, in the same order.
        Raises:
            SpeechError: it cannot judge; the states are to be thrown away.
        """
        ...
