"""Signals: has what people say estimated, beside their turns, and gives the engine what comes of it.

The rules are asked at once, before the agent has begun; a classifier and a language model in their own time, so an
estimate may come when the turn is over. Nothing waits for any of them.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from duologue.engine.signals_session import so_far
from duologue.model import limits
from duologue.model.errors import SignalError, StoreError
from duologue.model.events import AnyEvent, SignalUpdated, TurnAccepted, TurnEnded, TurnExtended
from duologue.model.inputs import SignalsEstimated
from duologue.model.signals import EscalationRule, Signal, SignalSource
from duologue.ports.signal_adapter import Heard, InstantSignals, SignalAdapter
from duologue.runtime.session import LiveSession

if TYPE_CHECKING:
    from duologue.runtime.hub import Hub

SUM_NAME: Final = "duologue-running"
"""The adapter of a session's own signals, which are added up from those of its turns."""


class Signals:
    """Estimates moods and intents of every turn. A companion of its hub, which `join` gives it.

    Args:
        instant: is asked at once; `None` where nothing is.
        adapters: are asked in their own time.
        rules: of escalation; they go with every estimate, so that the journal says by which rules it was decided.
        now_ns: a clock for how long an adapter took, in ns.
    """

    def __init__(
        self,
        instant: InstantSignals | None = None,
        adapters: Sequence[SignalAdapter] = (),
        *,
        rules: Sequence[EscalationRule] = (),
        now_ns: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._instant, self._adapters, self._rules = instant, tuple(adapters), tuple(rules)
        self._now_ns = now_ns
        self._hub: Hub | None = None
        self._group = asyncio.TaskGroup()
        self._asking: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self.left_out: Counter[str] = Counter()
        """By adapter, how many estimates were left out since it was asked too much."""

    def join(self, hub: "Hub") -> None:
        """Estimate what is said in a hub's sessions."""
        self._hub = hub

    @property
    def asking(self) -> int:
        """How many estimates are being made."""
        return len(self._tasks)

    # --- what a companion does

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop what is being estimated: it is of no use any more."""
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(None, None, None)
        for adapter in self._adapters:
            await adapter.aclose()

    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:
        """Have what was said estimated, right after this and not within it."""
        for event in events:
            match event:
                case TurnAccepted() | TurnExtended():
                    self._loop.call_soon(self._heard, session_id, event)
                case TurnEnded():
                    self._loop.call_soon(self._ended, session_id, event)
                case SignalUpdated(scope="message" | "turn", of_turn=turn):
                    self._loop.call_soon(self._sum_up, session_id, turn)
                case _:
                    pass

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Keeps nothing of them."""

    # --- what is heard

    def _heard(self, session_id: str, event: TurnAccepted | TurnExtended) -> None:
        session = self._session(session_id)
        if session is None or not event.text.strip():
            return
        heard = Heard(
            text=_shortened(event.text), language=event.language, earlier=_earlier(session, before_turn=event.turn)
        )
        self._estimate(session, heard, event)

    def _ended(self, session_id: str, event: TurnEnded) -> None:
        session = self._session(session_id)
        if session is None or not event.text.strip():
            return
        heard = Heard(
            text=_shortened(event.text),
            language=session.state.language,
            scope="turn",
            earlier=_earlier(session, before_turn=event.turn),
            answer=_shortened(event.answer),
            outcome=event.outcome,
        )
        self._estimate(session, heard, event)
        self._sum_up(session_id, event.turn)

    def _estimate(self, session: LiveSession, heard: Heard, event: TurnAccepted | TurnExtended | TurnEnded) -> None:
        """Ask the instant one now, and let the others begin."""
        if self._instant is not None:
            begun = self._now_ns()
            found = self._instant.estimate(heard)
            estimate = self._estimated(self._instant, heard, event, found, begun=begun)
            self._give(session, estimate)
        spared = () if self._hub is None else self._hub.condition.policy.signals
        for adapter in self._adapters:
            if heard.scope not in adapter.scopes or (self._hub is not None and adapter.source not in spared):
                continue
            if self._asking[adapter.name] >= adapter.at_once:
                self.left_out[adapter.name] += 1
                continue
            self._asking[adapter.name] += 1
            asking = self._ask(adapter, session.state.session_id, heard, event)
            task = self._group.create_task(asking, name="signals")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _ask(
        self, adapter: SignalAdapter, session_id: str, heard: Heard, event: TurnAccepted | TurnExtended | TurnEnded
    ) -> None:
        """Ask one that takes its time."""
        begun = self._now_ns()
        try:
            async with asyncio.timeout(limits.SIGNALS_MS / 1000):
                found = await adapter.estimate(heard)
            if (session := self._session(session_id)) is not None:
                self._give(session, self._estimated(adapter, heard, event, found, begun=begun))
        except SignalError as error:
            self._log("signal_failed", adapter=adapter.name, error=str(error))
        # An adapter may raise anything, and the others go on.
        except Exception as error:  # noqa: BLE001
            self._log("signal_failed", adapter=adapter.name, error=type(error).__name__, **{"pii.detail": str(error)})
        finally:
            self._asking[adapter.name] -= 1

    def _sum_up(self, session_id: str, turn: int) -> None:
        """Add up the session's turns, once one of them is over."""
        session = self._session(session_id)
        if session is None or session.state.signals is None:
            return
        open_turn = session.state.open
        if open_turn is not None and open_turn.number == turn:
            return
        begun = self._now_ns()
        found = so_far(session.state.signals)
        self._give(
            session,
            SignalsEstimated(
                of_turn=0,
                source="rule",
                adapter=SUM_NAME,
                scope="session",
                signals=found,
                latency_ms=self._since_ms(begun),
            ),
        )

    # --- what is given

    def _estimated(
        self,
        adapter: InstantSignals | SignalAdapter,
        heard: Heard,
        event: TurnAccepted | TurnExtended | TurnEnded,
        found: tuple[Signal, ...],
        *,
        begun: int,
    ) -> SignalsEstimated:
        source: SignalSource = adapter.source
        return SignalsEstimated(
            of_turn=event.turn,
            source=source,
            adapter=adapter.name,
            scope=heard.scope,
            signals=found,
            latency_ms=self._since_ms(begun),
            rules=self._rules,
            of_seq=event.seq,
        )

    def _since_ms(self, begun: int) -> float:
        return round((self._now_ns() - begun) / 1_000_000, 3)

    def _give(self, session: LiveSession, estimate: SignalsEstimated) -> None:
        try:
            session.give(estimate)
        except StoreError as error:
            self._log("signal_lost", session=session.state.session_id, error=str(error))

    def _session(self, session_id: str) -> LiveSession | None:
        """The session, while it is in memory: nobody needs a mood of one that nobody uses."""
        return None if self._hub is None else self._hub.sessions.live(session_id)

    def _log(self, event: str, **fields: object) -> None:
        if self._hub is not None:
            self._hub.log(event, **fields)


def _shortened(text: str) -> str:
    if len(text) <= limits.SIGNAL_TEXT_CHARS:
        return text
    half = limits.SIGNAL_TEXT_CHARS // 2
    return f"{text[:half]}\n{text[1 - half :]}"


def _earlier(session: LiveSession, *, before_turn: int) -> tuple[str, ...]:
    """What the person said last before a turn, oldest first."""
    found: list[str] = []
    for message in reversed(session.state.history):
        if message.role == "user" and message.turn < before_turn and message.text:
            found.append(_shortened(message.text))
            if len(found) == limits.SIGNAL_EARLIER:
                break
    return tuple(reversed(found))
