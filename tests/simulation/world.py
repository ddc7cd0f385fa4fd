"""A small world around one session: people, agents, operators, tools, a store and a clock, all driven by one seed."""

from collections import Counter, deque
from collections.abc import Callable
from typing import Final, assert_never

from tests.simulation.agents import Agents
from tests.simulation.caller import Caller
from tests.simulation.customers import Customers
from tests.simulation.deciders import Deciders
from tests.simulation.judges.approvals import ApprovalJudge
from tests.simulation.judges.judge import Judge
from tests.simulation.network import Network
from tests.simulation.outside import Outside
from tests.simulation.process import Pending, Process, replayed
from tests.simulation.staff import Staff
from tests.simulation.stage import Stage

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model import limits
from duologue.model.effects import (
    CallEffect,
    CloseHandoff,
    Effect,
    JudgeComplexity,
    PlaceHandoff,
    PrepareAnswer,
    RunAgent,
    RunTool,
    StopAgent,
    StopTool,
)
from duologue.model.events import HandoffMoved, ResponseFailed
from duologue.model.inputs import (
    AnyInput,
    DeadlinePassed,
    EndRequested,
    HistoryDropped,
    ServerRestarted,
    SessionOpened,
)
from duologue.model.records import Record
from duologue.model.replies import Rejected, Reply

Act = Callable[[], None]

SILENCE_MS: Final = 5_000
RESPONSE_MS: Final = 20_000
COMPARED: Final = 1 / 16
"""How many inputs have the whole state compared before and after; the rest only what is cheap to compare."""

LATE: Final = 0.9
"""After which part of its steps a session may be ended: nothing much happens afterwards."""

SETTLING: Final = 400
"""Deadlines until nothing is left to wait for: each call may end by one, and be told of in a run that does."""

STEPS_MS: Final = (0, 0, 1, 5, 20, 20, 300)
JUMPS_MS: Final = (-3_600_000, -5_000, -1, 2_000, 4_999, 60_000)
OPENED: Final = SessionOpened(
    session_id="s-1", subject="ada", agent="a", silence_ms=SILENCE_MS, response_ms=RESPONSE_MS
)


class SimulationError(AssertionError):
    """A schedule broke a promise; the message says how to play it again."""


class World:
    """One session's whole life.

    Every second world has calls, and three of four have operators.

    Args:
        seed: everything follows from it.
        dies_at: the step after which the process dies, besides when chance wants it; 0 for none.

    Attributes:
        steps: how many inputs the engine was given, replays not counted.
        last: the latest inputs, for the message of a failure.
        tally: how often what happened: inputs, events, refusals, crashes.
    """

    def __init__(self, seed: int, *, dies_at: int = 0) -> None:
        self.steps = 0
        self.last: deque[AnyInput] = deque(maxlen=5)
        self._stage = stage = Stage(seed, self._give)
        self.tally: Counter[str] = stage.tally
        self._dies_at = dies_at
        self._late = False
        self._process = Process()
        self._network = Network(stage, self._process.events)
        self._customers = Customers(stage, self._network)
        self._agents, self._outside = Agents(stage), Outside(stage)
        self._staff, self._deciders, self._caller = Staff(stage), Deciders(stage), Caller(stage)
        self._judge = Judge()
        self._approvals = ApprovalJudge(self._deciders.said, self.tally)
        self._acts = self._all_acts(calls=seed % 2 == 1, operators=seed % 4 < 3)
        self._give(OPENED)

    def _all_acts(self, *, calls: bool, operators: bool) -> list[Act]:
        """What may happen, as often as it is likely."""
        agents, customers, staff, caller = self._agents, self._customers, self._staff, self._caller
        writes = 1 if calls else 5
        weights: list[tuple[Act, int]] = [
            (agents.speaks, 50),
            (agents.adds, 8),
            (agents.calls, 10),
            (agents.wants, 10),
            (agents.ends, 5),
            (agents.old_run_speaks, 4),
            (self._outside.reports, 10),
            (self._deciders.decides, 10),
            (customers.types, 2 * writes),
            (customers.answers, 5),
            (customers.shows, 2),
            (customers.hesitates, 1),
            (customers.repeats, writes),
            (customers.cancels, 1 if calls else 2),
            (customers.pulls, writes),
            (customers.declares, 1),
            (self._silence, 5 if calls else 2),
            (self._clock_jumps, 1),
            (self._odds, 1),
        ]
        if calls:
            weights += [(caller.links, 3), (caller.fails, 1), (caller.listens, 65), (caller.plays, 60)]
        if operators:
            weights += [(agents.hands_over, 2), (staff.asks, 2), (staff.places, 4), (staff.takes, 8)]
            weights += [(staff.works, 14), (staff.passes_on, 3), (staff.consults, 2), (staff.customer_leaves, 1)]
            weights += [(customers.talks_with_a_person, 5)]
        return [act for act, weight in weights for _ in range(weight)]

    def play(self, steps: int) -> None:
        """Let so many inputs happen, then let everything settle, and judge the whole."""
        stage, process = self._stage, self._process
        while self.steps < steps:
            before = self.steps
            stage.pick(self._acts)()
            if self.steps == before:
                # Nobody was there to do that.
                continue
            chance = stage.chance()
            if before < self._dies_at <= self.steps or chance < 0.015:
                self._crash()
            elif chance < 0.4:
                self._store(len(process.pending))
            elif chance < 0.6:
                self._store(int(stage.chance() * len(process.pending)))
            elif chance < 0.9:
                self._network.happens()
            elif chance < 0.96 and not process.pending:
                process.keep_snapshot(stage.state)
            self._late = self.steps > LATE * steps
        self._settle()
        self._check_whole()

    # The engine

    def _give(self, happened: AnyInput) -> Reply:
        """Step the engine once, and judge the step."""
        stage, state = self._stage, self._stage.state
        before_ms = state.at_ms
        stage.now_ms += stage.pick(STEPS_MS)
        before = snapshot(state) if stage.chance() < COMPARED else None
        cheap = _cheap(state)
        self.last.append(happened)
        stepped = step(state, happened, now_ms=stage.now_ms)
        self.steps += 1
        self.tally[type(happened).__name__] += 1
        self._judge.take(happened, stepped, now_ms=max(stage.now_ms, before_ms))
        self._check_agreement()
        reply = stepped.reply
        if stepped.events:
            record = Record(at_ms=state.at_ms, input=happened, events=stepped.events)
            self._process.pending.append(Pending(record, stepped.effects))
        else:
            assert _cheap(state) == cheap, "an input without events changed something"
            assert before is None or snapshot(state) == before, "an input without events changed something"
            name = reply.problem.code if isinstance(reply, Rejected) else type(reply).__name__
            self.tally[name] += 1
        return reply

    def _check_agreement(self) -> None:
        state, judge = self._stage.state, self._judge
        assert (state.seq, state.at_ms, state.state) == (judge.seq, judge.at_ms, judge.state)
        assert (state.ended, state.last_turn, state.turns) == (judge.ended, judge.last_turn, len(judge.taken))
        assert (state.open.number if state.open else 0) == judge.turn
        assert state.handoff.with_person == bool(judge.desk.holder), "who has the conversation"
        if state.call is None:
            assert next_deadline_ms(state) == judge.due_ms, "when a run is taken to be stuck"
        else:
            assert state.call.call_id == judge.voice.call_id
            assert state.open is None or next_deadline_ms(state) is not None, "what is open is bounded"
        if state.open is None and not state.ended:
            self._check_what_waits()

    def _check_what_waits(self) -> None:
        """Between turns, what is asked and whose results are waited for is known to both."""
        state, judge = self._stage.state, self._judge
        if state.calls or judge.carried or judge.waiting:
            calls = {known.call.call_id for known in state.calls}
            assert calls == judge.carried | judge.waiting, "which calls are still waited for"
        if state.interrupts or judge.interrupts:
            assert [one.interrupt_id for one in state.interrupts] == list(judge.interrupts), "what is asked"

    def _silence(self) -> None:
        """Nothing happens until the deadline; sometimes its timer is early."""
        stage = self._stage
        due_ms = next_deadline_ms(stage.state)
        if due_ms is not None and stage.chance() < 0.7:
            stage.now_ms = max(stage.now_ms, due_ms)
        before = stage.state.seq
        self._give(DeadlinePassed())
        if due_ms is not None and stage.now_ms >= due_ms:
            assert stage.state.seq > before, "what is due happens"

    def _clock_jumps(self) -> None:
        self._stage.now_ms += self._stage.pick(JUMPS_MS)

    def _odds(self) -> None:
        """What is rare: the end of the session, and inputs that are no news."""
        chance = self._stage.chance()
        if chance < 0.3 and self._late:
            self._give(EndRequested())
        elif chance < 0.4:
            self._give(HistoryDropped())
        elif chance < 0.6:
            # The store has refused a record: the session is loaded anew, and nobody waits for what was begun.
            self._outside.die()
            self._give(ServerRestarted())

    # The store and the process

    def _store(self, count: int) -> None:
        """Confirm so many records: their events may be shown, their effects are carried out."""
        for record, effects in self._process.store(count):
            self._approvals.stored(record)
            for effect in effects:
                self._carry_out(effect)
        if not self._process.pending:
            self._customers.all_is_stored()
            self._approvals.agrees(self._stage.state)

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case RunAgent(request=request):
                self._agents.begin(request.response_id)
            case StopAgent(response_id=response_id):
                self._agents.stop(response_id)
            case RunTool(order=order):
                self._approvals.carried_out(order)
                self._outside.carry_out(order)
            case StopTool(call_id=call_id):
                self._outside.stop(call_id)
            case PlaceHandoff() | CloseHandoff():
                self._staff.carry_out(effect)
            case JudgeComplexity():
                raise AssertionError("nothing of the kind is asked for here")
            case CallEffect():
                if isinstance(effect, PrepareAnswer):
                    # What it says before it is let out must not count.
                    self._agents.leave(effect.request.response_id)
                if (released := self._caller.carry_out(effect)) is not None:
                    self._agents.begin(released)
            case _:
                assert_never(effect)

    def _crash(self) -> None:
        """The process dies, at any point: of its last records some are stored, and of what those order some is done."""
        chance, process = self._stage.chance, self._process
        stored = process.store(int(chance() * (len(process.pending) + 1)))
        left = int(chance() * (sum(len(effects) for _, effects in stored) + 1))
        for record, effects in stored:
            self._approvals.stored(record)
            for effect in effects[:left]:
                self._carry_out(effect)
            left = max(0, left - len(effects))
        lost = process.die()
        self.tally["crashes"] += 1
        self.tally["records lost"] += lost
        self._network.cut()
        self._agents.begin("")
        self._outside.die()
        self._caller.hang_up()
        self._recover(lost=lost)
        self._outside.recover()
        self._staff.recover()
        self._give(ServerRestarted() if process.lines else OPENED)
        self._staff.send_again()
        self._customers.send_again()

    def _recover(self, *, lost: int) -> None:
        """Read the journal back and step its inputs again; a snapshot and the tail must give the same.

        Where a record was lost, whoever judged it begins anew. Else the dead process knew how it has to come out.
        """
        stage, process = self._stage, self._process
        died = stage.state
        if lost:
            self._judge = Judge()
            died = replayed(process.lines, process.journal(), self._judge.take)
        stage.state = process.load()
        assert snapshot(stage.state) == snapshot(died), "a snapshot and the tail are not the whole"
        self._approvals.agrees(stage.state)
        self._approvals.restarted()
        if stage.state.handoff.with_person:
            self.tally["crashes while a person has the conversation"] += 1

    # The end

    def _settle(self) -> None:
        """Nobody does anything any more, except the clock."""
        stage = self._stage
        for _ in range(SETTLING):
            if (due_ms := next_deadline_ms(stage.state)) is not None:
                stage.now_ms = max(stage.now_ms, due_ms)
                self._give(DeadlinePassed())
        self._store(len(self._process.pending))
        self._judge.settled()

    def _check_whole(self) -> None:
        """The journal steps to the same bytes, and every client has seen all of it exactly once."""
        process = self._process
        state = replayed(process.lines, process.journal())
        assert snapshot(state) == snapshot(self._stage.state), "the replay ends elsewhere"
        self._network.bring_all()
        self._check_taken_once()
        self.tally["turns"] += len(self._judge.taken)
        self.tally["crashes with snapshot"] += process.snapshots_read
        for event in process.events:
            self.tally[type(event).__name__] += 1
            if isinstance(event, ResponseFailed):
                self.tally[event.code] += 1
            elif isinstance(event, HandoffMoved):
                self.tally[event.status] += 1
                self.tally[event.transfer] += 1

    def _check_taken_once(self) -> None:
        """No message was taken twice, as far back as repeats are recognised; none that a client knows of is lost."""
        places: dict[str, int] = {}
        for place, (_, _, said) in enumerate(self._judge.taken):
            if said.request_id is not None:
                earlier = places.get(said.request_id, -limits.RECENT_TURNS)
                assert place - earlier >= limits.RECENT_TURNS, f"{said.request_id} was taken twice"
                places[said.request_id] = place
        lost = self._customers.acknowledged - {number for number, _, _ in self._judge.taken}
        assert not lost, f"turns {sorted(lost)} were taken and are gone"


def _cheap(state: SessionState) -> tuple[object, ...]:
    """What a step changes most often."""
    turn, call = state.open, state.call
    quiet = None if turn is None else (turn.response.last_item_ms, turn.response.length)
    waits = (len(state.interrupts), len(state.calls), len(state.closed_interrupts), len(state.closed_calls))
    return (
        state.seq,
        state.at_ms,
        state.state,
        state.responses,
        len(state.marks),
        len(state.history),
        quiet,
        waits,
        (call.segments, call.settled, call.active_ms, call.paused, call.utterance is None) if call else None,
    )


def play(seed: int, *, steps: int, dies_at: int = 0) -> Counter[str]:
    """Play one schedule.

    Raises:
        SimulationError: a promise was broken; the message names the seed and the step.
    """
    world = World(seed, dies_at=dies_at)
    try:
        world.play(steps)
    except AssertionError as broken:
        last = "\n  ".join(map(str, world.last))
        dying = f"SIM_DIES_AT={dies_at} " if dies_at else ""
        raise SimulationError(
            f"SIM_SEED={seed} {dying}make sim: step {world.steps}: {broken or 'an assertion failed'}; "
            f"the last inputs:\n  {last}"
        ) from broken
    world.tally["steps"] += world.steps
    return world.tally
