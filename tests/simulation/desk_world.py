"""A small world around one session that is passed on: a customer, agents, operators, a desk, a store that crashes."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, TypeVar

from tests.simulation.handoff_judge import HandoffJudge
from tests.simulation.world import OPENED, SimulationError, replayed

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.effects import CloseHandoff, Effect, PlaceHandoff, RunAgent, StopAgent
from duologue.model.events import HandoffMoved
from duologue.model.handoff import HandOff, Operator, RouteDecision, TransferType
from duologue.model.inputs import (
    AgentFinished,
    AgentHandedOff,
    AgentSpoke,
    AnyInput,
    CancelRequested,
    DeadlinePassed,
    EndRequested,
    HandedBack,
    HandoffCancelled,
    HandoffConnecting,
    HandoffFailed,
    HandoffPlaced,
    HandoffRequested,
    HandoffResolved,
    HandoffTransferred,
    OperatorHeld,
    OperatorJoined,
    OperatorReturned,
    OperatorSaid,
    ServerRestarted,
    SupervisorConsulted,
    UserTurn,
)
from duologue.model.records import Record, decode_records, encode_record
from duologue.model.replies import Rejected, Reply

Item = TypeVar("Item")

STAFF: Final = tuple(Operator(operator_id=name, name=name.title()) for name in ("mia", "bob", "sue"))
ASKED: Final[tuple[TransferType, ...]] = ("bot_to_human", "bot_to_human", "warm", "blind", "bot_to_bot")
PASSED: Final[tuple[TransferType, ...]] = ("blind", "warm", "human_to_human", "bot_to_bot", "bot_to_human")
AGENTS: Final = ("a", "travel", "bank")
LATE: Final = 0.9


class Pending(NamedTuple):
    """A step on its way to the store."""

    record: Record
    effects: tuple[Effect, ...]


class DeskWorld:
    """One session's life, from one seed.

    Attributes:
        steps: how many inputs the engine was given.
        tally: how often what happened.
    """

    def __init__(self, seed: int) -> None:
        self.steps = 0
        self.tally: Counter[str] = Counter()
        self._rng = Random(seed)
        self._now_ms = 1_800_000_000_000
        self._state, self._judge = SessionState(), HandoffJudge()
        self._pending: list[Pending] = []
        self._lines: list[bytes] = []
        self._kept: bytes | None = None
        self._kept_at = 0
        self._running = ""
        self._to_place: list[str] = []
        self._words = 0
        self._unsure: list[OperatorSaid] = []
        self._late = False
        self._acts: list[Callable[[], None]] = []
        for act, weight in (
            (self._agent, 30),
            (self._customer, 12),
            (self._desk, 14),
            (self._takes, 10),
            (self._works, 24),
            (self._passes, 6),
            (self._consults, 5),
            (self._gives_up, 2),
            (self._odds, 2),
        ):
            self._acts += [act] * weight
        self._give(OPENED)

    def play(self, steps: int) -> None:
        """Let so many inputs happen, with crashes in between, and judge each."""
        while self.steps < steps:
            self._late = self.steps > LATE * steps
            self._pick(self._acts)()
            chance = self._rng.random()
            if chance < 0.5:
                self._store(len(self._pending))
            elif chance < 0.7:
                self._store(int(self._rng.random() * len(self._pending)))
            elif chance < 0.74:
                self._crash()
            elif chance < 0.8 and not self._pending:
                self._kept, self._kept_at = snapshot(self._state), len(self._lines)
        self._store(len(self._pending))
        self._judge.settled()
        records = list(decode_records(b"".join(self._lines)))
        assert snapshot(replayed(self._lines, records)) == snapshot(self._state), "the replay ends elsewhere"
        for record in records:
            for event in record.events:
                self.tally[event.status if isinstance(event, HandoffMoved) else type(event).__name__] += 1
                if isinstance(event, HandoffMoved):
                    self.tally[event.transfer] += 1

    def _pick(self, choices: list[Item] | tuple[Item, ...]) -> Item:
        return choices[int(self._rng.random() * len(choices))]

    def _give(self, happened: AnyInput) -> Reply:
        self._now_ms += self._pick((0, 1, 20, 400))
        before = snapshot(self._state)
        stepped = step(self._state, happened, now_ms=self._now_ms)
        self.steps += 1
        self.tally[type(happened).__name__] += 1
        self._judge.take(happened, stepped)
        if stepped.events:
            record = Record(at_ms=self._state.at_ms, input=happened, events=stepped.events)
            self._pending.append(Pending(record, stepped.effects))
        else:
            assert snapshot(self._state) == before, "an input without events changed something"
            assert not stepped.effects
            reply = stepped.reply
            self.tally[reply.problem.code if isinstance(reply, Rejected) else type(reply).__name__] += 1
        held = self._state.handoff.current is not None and self._state.handoff.current.status in (
            "connected",
            "on_hold",
        )
        assert self._state.handoff.with_person == held == bool(self._judge.holder)
        return stepped.reply

    # What happens

    def _named(self) -> str:
        """A handoff: mostly one that is open."""
        open_ones = [one.handoff_id for one in self._state.handoff.open_ones()]
        return self._pick([*open_ones * 4, f"{self._state.session_id}~1", "s-1~99"])

    def _agent(self) -> None:
        if not self._running:
            return
        chance = self._rng.random()
        if chance < 0.6:
            self._give(AgentSpoke(response_id=self._running, text="word "))
        elif chance < 0.8:
            self._give(AgentFinished(response_id=self._running))
        else:
            asked = HandOff(reason="r", transfer=self._pick(ASKED), target=self._pick(AGENTS))
            self._give(AgentHandedOff(response_id=self._running, asked=asked))

    def _customer(self) -> None:
        chance = self._rng.random()
        if chance < 0.7:
            self._give(UserTurn(text=self._pick(("hello", "and?"))))
        elif chance < 0.8:
            self._give(CancelRequested())
        else:
            asked = HandOff(reason="r", transfer=self._pick(ASKED), target=self._pick(AGENTS))
            self._give(HandoffRequested(cause=self._pick(("person", "rule", "api")), by="ada", asked=asked))

    def _desk(self) -> None:
        """The desk places what it was told to, tells another place, or gives something up."""
        chance = self._rng.random()
        handoff_id = self._to_place.pop(0) if self._to_place and chance < 0.8 else self._named()
        handoff = self._state.handoff.find(handoff_id)
        if chance > 0.9:
            self._give(HandoffFailed(handoff_id=handoff_id, reason="closed"))
        elif handoff is not None and handoff.asked.transfer == "bot_to_bot":
            agent = self._pick(AGENTS)
            self._give(HandoffPlaced(handoff_id=handoff_id, position=0, agent=agent, route=RouteDecision(target=agent)))
        else:
            position = self._pick((1, 2, 3))
            self._give(HandoffPlaced(handoff_id=handoff_id, position=position, route=RouteDecision(target="general")))

    def _takes(self) -> None:
        operator, handoff_id = self._pick(STAFF), self._named()
        kind = HandoffConnecting if self._rng.random() < 0.3 else OperatorJoined
        self._give(kind(handoff_id=handoff_id, operator=operator))

    def _who(self) -> str:
        """Mostly the operator who has it."""
        current = self._state.handoff.current
        if current is not None and current.operator is not None and self._rng.random() < 0.85:
            return current.operator.operator_id
        return self._pick(STAFF).operator_id

    def _works(self) -> None:
        handoff_id, who, chance = self._named(), self._who(), self._rng.random()
        if chance < 0.55:
            self._words += 1
            said = OperatorSaid(handoff_id=handoff_id, operator_id=who, text="I help", message_id=f"m-{self._words}")
            self._unsure.append(said)
            self._give(said)
        elif chance < 0.65 and self._unsure:
            self._give(self._pick(self._unsure))
        elif chance < 0.75:
            self._give(OperatorHeld(handoff_id=handoff_id, operator_id=who))
        elif chance < 0.86:
            self._give(OperatorReturned(handoff_id=handoff_id, operator_id=who))
        elif chance < 0.94:
            self._give(HandedBack(handoff_id=handoff_id, operator_id=who, note=self._pick(("", "a note"))))
        else:
            self._give(HandoffResolved(handoff_id=handoff_id, operator_id=who))

    def _passes(self) -> None:
        asked = HandOff(reason="r", transfer=self._pick(PASSED), target=self._pick(("", "travel")))
        gone = self._rng.random() < 0.3
        self.tally["gone"] += gone
        self._give(HandoffTransferred(handoff_id=self._named(), operator_id=self._who(), asked=asked, gone=gone))

    def _consults(self) -> None:
        who = self._who()
        by = next(one for one in STAFF if one.operator_id == who)
        answer = self._rng.random() < 0.4
        self._give(SupervisorConsulted(handoff_id=self._named(), by=by, text="may I?", answer=answer))

    def _gives_up(self) -> None:
        self._give(HandoffCancelled(handoff_id=self._named(), by="ada"))

    def _odds(self) -> None:
        chance = self._rng.random()
        if chance < 0.1 and self._late:
            self._give(EndRequested())
        elif chance < 0.5 and (due_ms := next_deadline_ms(self._state)) is not None:
            self._now_ms = max(self._now_ms, due_ms)
            self._give(DeadlinePassed())

    # The store and the process

    def _store(self, count: int) -> None:
        """Confirm so many records; what they order is carried out."""
        for record, effects in self._pending[:count]:
            self._lines.append(encode_record(record))
            for effect in effects:
                match effect:
                    case RunAgent(request=request):
                        self._running = request.response_id
                    case StopAgent(response_id=response_id):
                        self._running = "" if self._running == response_id else self._running
                    case PlaceHandoff(handoff_id=handoff_id):
                        self._to_place.append(handoff_id)
                    case CloseHandoff(handoff_id=handoff_id):
                        self._to_place = [one for one in self._to_place if one != handoff_id]
                    case _:
                        pass
        del self._pending[:count]
        if not self._pending:
            self._unsure = self._unsure[-3:]

    def _crash(self) -> None:
        """The process dies; some of its last records are stored. The desk finds again what is open."""
        self.tally["crashes"] += 1
        kept = int(self._rng.random() * (len(self._pending) + 1))
        self._lines += [encode_record(record) for record, _ in self._pending[:kept]]
        self._pending.clear()
        self._running = ""
        records = list(decode_records(b"".join(self._lines)))
        self._judge = HandoffJudge()
        state = replayed(self._lines, records, self._judge.take)
        if self._kept is not None:
            assert snapshot(fold(restore(self._kept), records[self._kept_at :])) == snapshot(state)
        self._state = state
        self._to_place = [one.handoff_id for one in state.handoff.open_ones() if one.status == "requested"]
        self._give(ServerRestarted() if self._lines else OPENED)
        for said in self._unsure:
            self._give(said)


def play_desk(seed: int, *, steps: int) -> Counter[str]:
    """Play one schedule.

    Raises:
        SimulationError: a promise was broken; the message names the seed and the step.
    """
    world = DeskWorld(seed)
    try:
        world.play(steps)
    except AssertionError as broken:
        raise SimulationError(f"seed {seed}: step {world.steps}: {broken or 'an assertion failed'}") from broken
    return world.tally
