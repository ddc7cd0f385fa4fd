"""The port of what estimates a person's mood and intent."""

from typing import Protocol

from duologue.model.base import Value
from duologue.model.events import Outcome
from duologue.model.signals import Signal, SignalScope, SignalSource


class Heard(Value, kw_only=True):
    """What is to be estimated.

    Attributes:
        text: what the person said; `limits.SIGNAL_TEXT_CHARS` characters at most.
        language: BCP 47 tag.
        scope: `message`, or `turn` where the answer is known too.
        earlier: what the person said before, oldest first; `limits.SIGNAL_EARLIER` at most.
        answer: what the agent said, of a turn.
        outcome: how the turn ended.
    """

    text: str
    language: str = "en"
    scope: SignalScope = "message"
    earlier: tuple[str, ...] = ()
    answer: str = ""
    outcome: Outcome | None = None


class IntentExamples(Value, kw_only=True):
    """An intent as the settings have it: its name, and what people say who have it, in any language."""

    name: str
    examples: tuple[str, ...]


class InstantSignals(Protocol):
    """Estimates in process, at once: under a millisecond, as it is asked on the event loop's thread."""

    @property
    def source(self) -> SignalSource:
        """What kind of estimate it makes."""
        ...

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...

    def estimate(self, heard: Heard) -> tuple[Signal, ...]:
        """Estimate what was said: one sentiment at most, and one intent at most. Does not raise."""
        ...


class SignalAdapter(Protocol):
    """Estimates in its own time: a small model in a thread, a language model elsewhere.

    An estimate that comes after the next turn has begun is still of use: each is kept with what it is about.
    """

    @property
    def source(self) -> SignalSource:
        """What kind of estimate it makes."""
        ...

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        ...

    @property
    def scopes(self) -> frozenset[SignalScope]:
        """What it is asked about: what was said, a turn as a whole, or both."""
        ...

    @property
    def at_once(self) -> int:
        """How many may be asked for at the same time; further ones are left out."""
        ...

    async def estimate(self, heard: Heard) -> tuple[Signal, ...]:
        """Estimate what was said: one sentiment at most, and one intent at most; none where it cannot tell.

        Raises:
            SignalError: it cannot, now or ever.
        Cancellation: safe at any await.
        """
        ...

    async def aclose(self) -> None:
        """Let go of threads and connections."""
        ...
