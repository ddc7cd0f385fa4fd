"""The calls of a process: one a session at most, and the answers that are prepared for them."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Self
from weakref import WeakKeyDictionary

import msgspec

from duologue.model import limits
from duologue.model.effects import DropAnswer, PrepareAnswer, ReleaseAnswer, VoiceEffect
from duologue.model.errors import Code, DuologueError, Problem, Refused, StoreError
from duologue.model.events import AnyEvent, BargedIn, TurnEnded
from duologue.model.inputs import AnswerReleased
from duologue.model.voice import VoiceMode, VoiceRules
from duologue.runtime import files
from duologue.runtime.events_log import EventLog
from duologue.runtime.figures import count
from duologue.runtime.hub import Hub
from duologue.runtime.session import LiveSession
from duologue.runtime.voice.call import Call, Ending, Speaking
from duologue.runtime.voice.early import Prepared
from duologue.runtime.voice.figures import CallFigures
from duologue.runtime.voice.link import Link

CALL_ID_BYTES: Final = 12
"""Of chance in a call's id: it stands in an address, by which the call is hung up."""


class Calls:
    """Opens calls, and carries out what the engine orders of them. A companion of its hub, which `join` gives it.

    What calls speak and listen with is made in the background from the start on, so that the server need not wait.

    Args:
        make: makes it; raises what it likes, and then there are no calls.
        rules: how calls take turns.
        log: hears of failures.
    Attributes:
        rules: how calls take turns, where their client does not say otherwise.
        figures: counts.
    """

    def __init__(self, make: Callable[[], Awaitable[Speaking]], *, rules: VoiceRules, log: EventLog) -> None:
        self.rules = rules
        self.figures = CallFigures()
        self._make, self._log = make, log
        self._group = asyncio.TaskGroup()
        self._hub: Hub | None = None
        self._speaking: asyncio.Task[Speaking | None] | None = None
        self._made: Speaking | None = None
        self._live: dict[str, Call] = {}
        self._prepared: dict[str, Prepared] = {}
        self._modes: WeakKeyDictionary[LiveSession, VoiceMode] = WeakKeyDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def join(self, hub: Hub) -> None:
        """Carry out the voice effects of a hub's sessions."""
        self._hub = hub
        hub.voice = self

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._speaking = self._group.create_task(self._begin(), name="voice")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for prepared in self._prepared.values():
            prepared.drop()
        for call in self._live.values():
            call.hang_up("draining", "the server is restarting; call again")
        assert self._speaking is not None, "it was entered"
        self._speaking.cancel()
        for task in self._tasks:
            task.cancel()
        await self._group.__aexit__(None, None, None)
        if self._made is not None:
            await self._made.aclose()

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[Call]:
        return iter(list(self._live.values()))

    # --- what transports ask for

    async def ready(self) -> Speaking:
        """Wait until calls can be opened, `limits.VOICE_START_MS` at most.

        Raises:
            Refused: they cannot, or not yet.
        """
        assert self._speaking is not None, "it was entered"
        try:
            async with asyncio.timeout(limits.VOICE_START_MS / 1000):
                speaking = await asyncio.shield(self._speaking)
        except TimeoutError:
            message = "the models of speech are still being loaded; try again in a moment"
            problem = Problem(code=Code.SERVER_FULL, message=message, retry_after_ms=limits.VOICE_START_MS)
            raise Refused(problem) from None
        if speaking is None:
            message = "speech does not work on this server at the moment; its log says why"
            raise Refused(Problem(code=Code.NO_AUDIO, message=message))
        return speaking

    async def hold(
        self, session: LiveSession, link: Link, begun: Callable[[Call], None], *, mode: VoiceMode | None = None
    ) -> Ending:
        """Open a call and hold it until either side hangs up; an earlier one of the session is hung up.

        Args:
            session: whose call; joined by who calls.
            link: the way to the person's ears.
            begun: told the call once it takes sound.
            mode: who says when the person has finished; `None` as the session's clients have said, else as the rules.
        Raises:
            Refused: there can be none now.
        Cancellation: the call ends as `lost`.
        """
        speaking = await self.ready()
        hub = self._hub
        if hub is None or hub.draining:
            raise Refused(Problem(code=Code.DRAINING, message="the server is stopping; call again"))
        if not hub.condition.policy.new_calls:
            message = "this machine has too little left for another call; write instead, or call later"
            raise Refused(Problem(code=Code.SERVER_FULL, message=message, retry_after_ms=limits.CONDITION_RETRY_MS))
        session_id = session.state.session_id
        if (earlier := self._live.get(session_id)) is not None:
            earlier.hang_up("taken_over", "another call of this session has taken over")
        call: Call | None = None
        ending = Ending("lost")
        try:
            call = Call(
                session,
                link,
                call_id=f"call-{secrets.token_urlsafe(CALL_ID_BYTES)}",
                rules=self._rules(session, mode),
                speaking=speaking,
                clock=hub.clock,
                draining=lambda: hub.draining,
            )
            self._live[session_id] = call
            self.figures.begun += 1
            begun(call)
            ending = await call.run()
        # The boundary of the actor: whatever is wrong with one call is no other's affair.
        except Exception as error:  # noqa: BLE001
            self._log("call_failed", session=session_id, error=type(error).__name__, **{"pii.detail": str(error)})
            ending = Ending("failed")
        finally:
            count(self.figures.ended, ending.reason)
            link.hung_up(*ending)
            if call is not None and self._live.get(session_id) is call:
                del self._live[session_id]
        return ending

    # Any: what a coroutine yields to the loop is the loop's own business.
    def spawn(self, work: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
        """Run what a transport does for a call in a task of this group; what it raises is logged."""
        task = self._group.create_task(self._guard(work), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Any: see `spawn`.
    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        # The boundary of the actor: one link's trouble is no other's.
        except Exception as error:  # noqa: BLE001
            self._log("link_failed", error=type(error).__name__, **{"pii.detail": str(error)})

    def take_turns(self, session: LiveSession, mode: VoiceMode) -> None:
        """Let a client of the session say who ends its turns; a call that goes by another rule is hung up."""
        self._modes[session] = mode
        call = self._live.get(session.state.session_id)
        if call is not None and call.rules.mode != mode:
            call.hang_up("turns_changed", "another client of this session has changed who ends turns; call again")

    # --- what the engine orders

    def __call__(self, session: LiveSession, effect: VoiceEffect) -> None:
        """Carry out an effect, once its cause is durable; returns at once and does not raise."""
        match effect:
            case PrepareAnswer():
                self._prepare(session, effect)
            case ReleaseAnswer():
                # The engine is told that it is out; not before it has handed out all of its orders.
                asyncio.get_running_loop().call_soon(self._release, session, effect)
            case DropAnswer(response_id=response_id):
                self._drop(session, response_id)
            case _:
                call = self._live.get(session.state.session_id)
                if call is not None and call.call_id == effect.call_id:
                    call.obey(effect)

    def _prepare(self, session: LiveSession, order: PrepareAnswer) -> None:
        hub, session_id = self._hub, session.state.session_id
        if hub is None:
            return
        self._drop(session, None)
        stored = files.StoredFiles(hub.store, session.state.subject)
        self._prepared[session_id] = Prepared(
            order.request,
            agent=hub.agents.find(order.request.agent, order.request.tier),
            files=stored,
            group=self._group,
            recall=hub.recall,
        )

    def _release(self, session: LiveSession, order: ReleaseAnswer) -> None:
        hub, response_id = self._hub, order.request.response_id
        turn = session.state.open
        if hub is None or turn is None or turn.response.response_id != response_id:
            return
        prepared = self._prepared.pop(session.state.session_id, None)
        if prepared is not None and (prepared.request.response_id != response_id or prepared.failed):
            prepared.drop()
            prepared = None
            count(self.figures.preflights, "miss")
        elif prepared is not None:
            count(self.figures.preflights, "hit" if prepared.tokens else "pending")
        try:
            tokens = 0 if prepared is None else prepared.tokens
            session.give(AnswerReleased(call_id=order.call_id, response_id=response_id, tokens=tokens))
        except StoreError:
            if prepared is not None:
                prepared.drop()
            return
        hub.runs.start(session, order.request, agent=prepared, recall=prepared)

    def _drop(self, session: LiveSession, response_id: str | None) -> None:
        prepared = self._prepared.get(session.state.session_id)
        if prepared is not None and response_id in (None, prepared.request.response_id):
            del self._prepared[session.state.session_id]
            prepared.drop()
            count(self.figures.preflights, "miss")

    # --- what a companion does

    # Whose it is does not matter to the figures.
    def stored(self, session_id: str, events: tuple[AnyEvent, ...]) -> None:  # noqa: ARG002
        """Count what is measured; see `Companion.stored`."""
        for event in events:
            match event:
                case TurnEnded(latency=latency) if latency is not None:
                    self.figures.measure(latency)
                case BargedIn():
                    self.figures.barge_ins += 1
                case _:
                    pass

    async def removing(self, session_ids: Sequence[str]) -> None:
        """Calls end with their sessions by themselves."""

    async def _begin(self) -> Speaking | None:
        try:
            self._made = speaking = await self._make()
            await speaking.recogniser.warm()
            await speaking.voice.warm()
        # Whatever is wrong with speech, the rest of the server works.
        except Exception as error:  # noqa: BLE001
            told = str(error) if isinstance(error, DuologueError) else type(error).__name__
            self._log("voice_failed", error=told, **{"pii.detail": str(error)})
            return None
        return speaking

    def _rules(self, session: LiveSession, mode: VoiceMode | None) -> VoiceRules:
        wanted = mode or self._modes.get(session) or self.rules.mode
        return msgspec.structs.replace(self.rules, mode=wanted)
