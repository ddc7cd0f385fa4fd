"""The port: estimates by a small classifier, in a thread of its own."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from duologue.adapters.signals_local.examples import Example, sentences
from duologue.model import limits
from duologue.model.errors import SettingsError, SignalError
from duologue.model.signals import Signal, SignalScope, SignalSource
from duologue.ports.signal_adapter import Heard, InstantSignals, IntentExamples

if TYPE_CHECKING:
    from duologue.adapters.signals_local.intents import Nearest
    from duologue.adapters.signals_local.moods import Moods

PACKAGE: Final = "sklearn"
"""What the extra `signals` brings."""


class LocalSignals:
    """Estimates a mood by naive Bayes, and an intent by the nearest example.

    Both are trained when the adapter is made, in its thread, from sentences of our own and the examples of intents: no
    model is downloaded. Loading takes two seconds, an estimate some 2 ms. Needs the extra `signals`.
    Source: `duologue.ports.signal_adapter.SignalAdapter`.

    Args:
        hints: the rules, of which the classifier makes use.
        intents: those that are told; none where empty.
        examples: sentences of known mood, beside our own.
    Raises:
        SettingsError: the extra is not installed.
    """

    def __init__(
        self, hints: InstantSignals, intents: Sequence[IntentExamples] = (), *, examples: Sequence[Example] = ()
    ) -> None:
        if find_spec(PACKAGE) is None:
            raise SettingsError('signals.sources has "local", which needs the extra: pip install "duologue[signals]"')
        self._hints: Final = hints
        self._intents: Final = tuple(intents)
        self._examples: Final = tuple(examples)
        self._thread: Final = ThreadPoolExecutor(1, thread_name_prefix="signals")
        self._loading: Future[tuple[Moods, Nearest | None]] = self._thread.submit(self._load)

    @property
    def source(self) -> SignalSource:
        """A small model of this machine's."""
        return "local"

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return "scikit-learn"

    @property
    def scopes(self) -> frozenset[SignalScope]:
        """What was said: it makes nothing of answers."""
        return frozenset({"message"})

    @property
    def at_once(self) -> int:
        """How many may wait for the thread."""
        return limits.SIGNALS_LOCAL_AT_ONCE

    async def estimate(self, heard: Heard) -> tuple[Signal, ...]:
        """Estimate what was said, as the port says; the first one waits until the classifier is loaded.

        Raises:
            SignalError: it could not be loaded.
        """
        asked = self._thread.submit(self._estimate, heard)
        try:
            return await asyncio.wrap_future(asked)
        except (RuntimeError, ImportError, ValueError) as error:
            raise SignalError(f"the local classifier does not work: {type(error).__name__}") from error

    async def aclose(self) -> None:
        """End the thread once it has done what it is at; what waits is dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _load(self) -> "tuple[Moods, Nearest | None]":
        from duologue.adapters.signals_local.intents import Nearest
        from duologue.adapters.signals_local.moods import Moods

        return Moods(self._hints, sentences(), own=self._examples), Nearest(self._intents) if self._intents else None

    def _estimate(self, heard: Heard) -> tuple[Signal, ...]:
        # Loaded in the same thread, and before.
        moods, intents = self._loading.result()
        sentiment = moods.estimate(heard)
        intent = intents.estimate(heard.text) if intents is not None else None
        return (sentiment,) if intent is None else (sentiment, intent)
