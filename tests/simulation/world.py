"""A small world around one session: clients, agents, a store and a clock, all driven by one seed."""

from collections import Counter, deque
from collections.abc import Callable
from random import Random
from typing import Final, Literal, NamedTuple, TypeVar, get_args

import msgspec
from tests.simulation.caller import Caller
from tests.simulation.judge import Judge

from duologue.engine.deadlines import next_deadline_ms
from duologue.engine.replay import fold, restore, snapshot
from duologue.engine.state import SessionState
from duologue.engine.step import Stepped, step
from duologue.model import limits
from duologue.model.content import (
    Answer,
    Chip,
    ClientTool,
    Interrupt,
    Modality,
    NfcObservation,
    Source,
    SpeechMetadata,
    ToolResult,
    Usage,
)
from duologue.model.effects import (
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
from duologue.model.errors import Code
from duologue.model.events import AnyEvent, ResponseFailed
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    AnyInput,
    CancelRequested,
    CapabilitiesDeclared,
    DeadlinePassed,
    EndRequested,
    HistoryDropped,
    ObservationAsked,
    ServerRestarted,
    SessionOpened,
    Trigger,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.records import Record, decode_records, encode_record
from duologue.model.replies import Rejected, Reply
from duologue.model.tools import (
    Approval,
    ApprovalDecided,
    ApprovalPolicy,
    DecidedBy,
    Idempotency,
    ToolOrder,
    ToolReported,
    ToolSpec,
)

Item = TypeVar("Item")

CLIENTS: Final = 3
SILENCE_MS: Final = 5_000
RESPONSE_MS: Final = 20_000
COMPARED: Final = 1 / 16
"""How many inputs have the whole state compared before and after; the rest only what is cheap to compare."""

LATE: Final = 0.9
"""After which part of its steps a session may be ended: nothing much happens afterwards."""

OPENED: Final = SessionOpened(
    session_id="s-1", subject="ada", agent="a", silence_ms=SILENCE_MS, response_ms=RESPONSE_MS
)
WORDS: Final = ("one ", "two ", "three ", "é", "🙂🙂", "\n", "```\n", " ", "", "word" * 9)
SPECS: Final = (
    ToolSpec(name="look", kind="python", side_effect="read", timeout_ms=1_000),
    ToolSpec(name="book", kind="python", timeout_ms=1_000, idempotency=Idempotency(mode="input", ttl_ms=20_000)),
    ToolSpec(name="send", kind="http", idempotency=Idempotency(mode="input", safe_to_repeat=True)),
    ToolSpec(
        name="ship", kind="http", idempotency=Idempotency(mode="key", key_arguments=("k",), on_duplicate="reject")
    ),
    ToolSpec(name="pay", kind="python", policy="user_confirm", approval_ttl_ms=8_000),
    ToolSpec(name="pay", kind="python", policy="user_confirm", approval_ttl_ms=8_000),
    ToolSpec(name="close", kind="mcp", policy="supervisor_approve", approval_ttl_ms=20_000),
    ToolSpec(name="audit", kind="http", policy="async_pending", side_effect="read", approval_ttl_ms=20_000),
    ToolSpec(name="wipe", kind="python", policy="denied"),
    ToolSpec(name="rare", kind="python", scopes=("rare",)),
)
ARGUMENTS: Final = ('{"k":1}', '{"k":1}', '{"k":2}', '{"k":1,"n":2}')
SAYINGS: Final = ("hello", "what is it?", "stop that", "né 🙂", "x", "yes", "yes", "no")
TRIGGERS: Final[tuple[Trigger, ...]] = get_args(Trigger)
VOICE: Final[tuple[Trigger, ...]] = ("user_activates_mic", "speech_end", "tts_complete", "barge_in")
MODALITIES: Final[tuple[tuple[Modality, ...], ...]] = ((), ("nfc",), ("nfc", "photo"), ("photo", "nfc"))
SOURCES: Final[tuple[Source, ...]] = ("typed", "typed", "voice")
MEASURED: Final = (None, None, SpeechMetadata(locale="de"), SpeechMetadata(confidence=0.5, stt_ms=0))
TAG: Final = NfcObservation(tag_id="04a1", observed_at="2026-01-02T03:04:05Z")
TOOLS: Final = (ClientTool(name="where", description="d"), ClientTool(name="ring", description="d"))
CALLS: Final = tuple(f"call-{number}" for number in range(6))
ASKED: Final = tuple(f"ask-{number}" for number in range(4))
EXPIRIES: Final = (None, None, None, "2999-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "soon")
ENDS: Final[tuple[Literal["completed", "failed", "timed_out"], ...]] = (
    "completed",
    "completed",
    "completed",
    "failed",
    "timed_out",
)
DECIDES: Final[dict[ApprovalPolicy, DecidedBy]] = {
    "user_confirm": "user",
    "supervisor_approve": "supervisor",
    "async_pending": "callback",
}
SETTLING: Final = 400
"""Deadlines until nothing is left to wait for: each call may end by one, and be told of in a run that does."""

STEPS_MS: Final = (0, 0, 1, 5, 20, 20, 300)
JUMPS_MS: Final = (-3_600_000, -5_000, -1, 2_000, 4_999, 60_000)


class SimulationError(AssertionError):
    """A schedule broke a promise; the message says how to play it again."""


class Pending(NamedTuple):
    """A step on its way to the store."""

    record: Record
    effects: tuple[Effect, ...]


class Client:
    """A client: what it has seen over all its connections, and what it has sent.

    Attributes:
        seen: the events that reached it, in order, over all its connections.
        sent: its turns, of which it may send any again.
        unsure: its turns of which it does not know whether they were taken.
        cursor: up to where the server has sent on this connection; `None` while there is none.
        on_the_way: sent and not yet there; lost when the connection drops.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.seen: list[AnyEvent] = []
        self.sent: list[UserTurn] = []
        self.unsure: list[UserTurn] = []
        self.cursor: int | None = None
        self.on_the_way: list[AnyEvent] = []

    def connect(self) -> None:
        """Join, and ask for what follows the last event that was seen."""
        self.cursor = len(self.seen)

    def drop(self) -> None:
        """Lose the connection, and what was on its way."""
        self.cursor = None
        self.on_the_way.clear()


class World:
    """One session's whole life, from one seed.

    Attributes:
        steps: how many inputs the engine was given, replays not counted.
        tally: how often what happened: inputs, events, refusals, crashes.
        last: the latest inputs, for the message of a failure.
    """

    def __init__(self, seed: int) -> None:
        self.steps = 0
        self.tally: Counter[str] = Counter()
        self.last: deque[AnyInput] = deque(maxlen=5)
        self._rng = Random(seed)
        self._now_ms = 1_800_000_000_000
        self._clients = [Client(number) for number in range(CLIENTS)]
        self._state = SessionState()
        self._judge = Judge()
        self._pending: list[Pending] = []
        self._lines: list[bytes] = []
        self._read: list[Record] = []
        self._events: list[AnyEvent] = []
        self._snapshot: tuple[int, bytes] | None = None
        self._late = False
        self._running = ""
        self._wanted = 0
        self._carried_out: dict[str, ToolOrder] = {}
        self._effects_done: Counter[tuple[str, str]] = Counter()
        self._approvals: list[Approval] = []
        self._old_runs: list[str] = ["response-0"]
        self._acts: list[Callable[[], None]] = []
        for act, weight in (
            (self._agent_speaks, 50),
            (self._agent_adds, 8),
            (self._agent_calls, 8),
            (self._agent_wants, 8),
            (self._tool_reports, 10),
            (self._somebody_decides, 8),
            (self._somebody_shows, 2),
            (self._agent_ends, 5),
            (self._old_run_speaks, 4),
            (self._somebody_types, 9),
            (self._somebody_answers, 5),
            (self._somebody_repeats, 5),
            (self._somebody_cancels, 2),
            (self._somebody_pulls, 6),
            (self._somebody_declares, 1),
            (self._silence, 2),
            (self._clock_jumps, 1),
            (self._odds, 1),
        ):
            self._acts += [act] * weight
        self._caller = Caller(self._rng, self._give, self.tally)
        if seed % 2:
            self._let_call()
        self._give(OPENED)

    def _let_call(self) -> None:
        """Every second world has calls: people speak more and write less."""
        writing = (self._somebody_types, self._somebody_repeats, self._somebody_pulls, self._somebody_cancels)
        self._acts = [act for act in self._acts if act not in writing] + [*writing, self._somebody_types]
        self._acts += [self._caller.links] * 3 + [self._caller.fails] + [self._silence] * 3
        self._acts += [self._somebody_is_heard] * 50 + [self._something_is_played] * 50

    def play(self, steps: int) -> None:
        """Let so many inputs happen, then let everything settle, and judge the whole."""
        while self.steps < steps:
            before = self.steps
            self._pick(self._acts)()
            if self.steps == before:
                # Nobody was there to do that.
                continue
            chance = self._rng.random()
            if chance < 0.4:
                self._store(len(self._pending))
            elif chance < 0.6:
                self._store(int(self._rng.random() * len(self._pending)))
            elif chance < 0.9:
                self._network()
            elif chance < 0.908:
                self._crash()
            elif chance < 0.96 and not self._pending:
                self._snapshot = (len(self._lines), snapshot(self._state))
            self._late = self.steps > LATE * steps
        self._settle()
        self._check_whole()

    def _pick(self, choices: list[Item] | tuple[Item, ...]) -> Item:
        return choices[int(self._rng.random() * len(choices))]

    # What happens

    def _give(self, happened: AnyInput) -> Reply:
        """Step the engine once, and judge the step."""
        state = self._state
        before_ms = state.at_ms
        self._now_ms += self._pick(STEPS_MS)
        before = snapshot(state) if self._rng.random() < COMPARED else None
        cheap = _cheap(state)
        self.last.append(happened)
        stepped = step(state, happened, now_ms=self._now_ms)
        self.steps += 1
        self.tally[type(happened).__name__] += 1
        self._judge.take(happened, stepped, now_ms=max(self._now_ms, before_ms))
        self._check_agreement()
        reply = stepped.reply
        if stepped.events:
            record = Record(at_ms=state.at_ms, input=happened, events=stepped.events)
            self._pending.append(Pending(record, stepped.effects))
        else:
            assert _cheap(state) == cheap, "an input without events changed something"
            assert before is None or snapshot(state) == before, "an input without events changed something"
            name = reply.problem.code if isinstance(reply, Rejected) else type(reply).__name__
            self.tally[name] += 1
        return reply

    def _check_agreement(self) -> None:
        state, judge = self._state, self._judge
        assert (state.seq, state.at_ms, state.state) == (judge.seq, judge.at_ms, judge.state)
        assert (state.ended, state.last_turn, state.turns) == (judge.ended, judge.last_turn, len(judge.taken))
        assert (state.open.number if state.open else 0) == judge.turn
        if state.call is None:
            assert next_deadline_ms(state) == judge.due_ms, "when a run is taken to be stuck"
        else:
            assert state.call.call_id == judge.voice.call_id
            assert state.open is None or next_deadline_ms(state) is not None, "what is open is bounded"

    def _agent_speaks(self) -> None:
        if self._running:
            self._give(AgentSpoke(response_id=self._running, text=self._pick(WORDS)))

    def _agent_adds(self) -> None:
        if self._running:
            self._give(self._item(self._running))

    def _agent_calls(self) -> None:
        """The run has to do with a tool: most of what it says of one is right, some is not."""
        if not self._running:
            return
        turn, rng = self._state.open, self._rng.random
        running = [] if turn is None else [known.call for known in (*turn.response.calls, *turn.calls)]
        open_calls = [call.call_id for call in running if call.result is None and call.runs_on == "agent"]
        chance = rng()
        if chance < 0.45 and open_calls:
            self._give(AgentReturned(response_id=self._running, call_id=self._pick(open_calls), result="{}"))
        elif chance < 0.8:
            fresh = [name for name in CALLS if name not in {call.call_id for call in running}] or list(CALLS)
            called = self._pick(CALLS if rng() < 0.02 else fresh)
            offered = turn is not None and bool(turn.said.tools)
            if rng() < (0.5 if offered else 0.02):
                wanted = AgentRequested(response_id=self._running, call_id=called, name="where", arguments="{}")
                self._give(wanted)
            else:
                made = AgentCalled(
                    response_id=self._running,
                    call_id=called,
                    name="t",
                    arguments="{}",
                    repeatable=rng() < 0.7,
                )
                self._give(made)
        elif chance < 0.85:
            late = AgentReturned(
                response_id=self._running,
                call_id=self._pick(CALLS),
                result="no",
                is_error=True,
                name="t" if rng() < 0.8 else "",
            )
            self._give(late)

    def _agent_wants(self) -> None:
        """The run asks for a tool of the registry, or for one that nobody has; now and then the same once more."""
        if not self._running:
            return
        rng = self._rng.random
        spec = self._pick(SPECS) if rng() < 0.95 else None
        self._wanted += 1
        wanted = AgentRequested(
            response_id=self._running,
            call_id=f"tool-{self._wanted}" if rng() < 0.97 else f"tool-{self._wanted - 1}",
            name="nothing" if spec is None else spec.name,
            arguments=self._pick(ARGUMENTS),
            spec=spec,
            wrong="$.k: is no text" if rng() < 0.03 else "",
            waits=rng() < 0.4,
        )
        self._give(wanted)

    def _tool_reports(self) -> None:
        """Something that is carried out comes to its end; now and then it is told again, or nobody has ordered it."""
        rng = self._rng.random
        names = list(self._carried_out) if rng() < 0.95 else ["tool-1"]
        if not names:
            return
        name = self._pick(names)
        status: Literal["completed", "failed", "timed_out"] = self._pick(ENDS)
        perhaps_done = status == "failed" and rng() < 0.5
        self._give(ToolReported(call_id=name, status=status, output="{}", perhaps_done=perhaps_done))
        if rng() < 0.9:
            self._carried_out.pop(name, None)

    def _somebody_decides(self) -> None:
        """Somebody decides about a call, mostly who may, and mostly one that waits."""
        rng, open_ones = self._rng.random, [one.approval for one in self._state.tools.calls if one.approval]
        if open_ones and rng() < 0.9:
            approval = self._pick(open_ones)
            self._approvals = [*self._approvals[-3:], approval]
        elif self._approvals:
            approval = self._pick(self._approvals)
        else:
            return
        via = DECIDES[approval.policy] if rng() < 0.9 else "supervisor"
        made = ApprovalDecided(
            approval_id=approval.approval_id if rng() < 0.95 else "invented",
            decision="approve" if rng() < 0.7 else "deny",
            by="ada" if rng() < 0.95 else "eve",
            via=via,
            digest=self._pick((None, approval.digest, approval.digest, "0")) if rng() < 0.3 else None,
        )
        self._give(made)

    def _somebody_shows(self) -> None:
        """A client shows what the agent asked for, or what it did not."""
        client, rng = self._pick(self._clients), self._rng.random
        names = [one.interaction_id for one in self._state.observations.open] or ["interaction-1"]
        said = UserTurn(
            text="",
            request_id=f"c{client.number}-{len(client.sent)}",
            observation=TAG if rng() < 0.9 else None,
            interaction_id=self._pick(names),
        )
        client.sent.append(said)
        self._send(client, said)

    def _agent_ends(self) -> None:
        """The run ends; one in ten does not know it and goes on."""
        if self._running:
            self._give(self._end_of(self._running))
            if self._rng.random() < 0.9:
                self._begin_run("")

    def _old_run_speaks(self) -> None:
        response_id = self._pick(self._old_runs)
        chance = self._rng.random()
        if chance < 0.5:
            self._give(AgentSpoke(response_id=response_id, text=self._pick(WORDS)))
        elif chance < 0.8:
            self._give(self._item(response_id))
        else:
            self._give(self._end_of(response_id))

    def _item(self, response_id: str) -> AgentInput:
        chance = self._rng.random()
        if chance < 0.25:
            return AgentCited(response_id=response_id, title="t", url="/docs/t")
        if chance < 0.5:
            return AgentSuggested(response_id=response_id, chips=(Chip(label="a", text="b"),))
        if chance < 0.75:
            return AgentShowed(response_id=response_id, payload_type="card", data={"n": [1, None, "é"]})
        return AgentNoted(response_id=response_id, category="c", message="m", details={"n": 1.5})

    def _end_of(self, response_id: str) -> AgentInput:
        chance = self._rng.random()
        if chance < 0.5:
            return AgentFinished(response_id=response_id)
        if chance < 0.6:
            return AgentFinished(response_id=response_id, usage=(Usage(output_tokens=int(chance * 100)), Usage()))
        if chance < 0.7:
            return AgentFinished(response_id=response_id, total_tokens=int(chance * 100), confident=False)
        if chance < 0.9:
            return AgentAsked(response_id=response_id, interrupts=self._interrupts())
        if chance < 0.93:
            return AgentCancelled(response_id=response_id, usage=(Usage(output_tokens=3),))
        code = self._pick((Code.AGENT_FAILED, Code.AGENT_TRUNCATED, Code.AGENT_BAD_ITEM))
        if chance < 0.96:
            modality: Modality = "photo" if self._rng.random() < 0.3 else "nfc"
            return ObservationAsked(response_id=response_id, modality=modality, prompt="show", wait_ms=9_000)
        return AgentFailed(response_id=response_id, code=code, message="no", retryable=chance < 0.98)

    def _interrupts(self) -> tuple[Interrupt, ...]:
        """What a run asks for; now and then nothing, or the same twice."""
        count = self._pick((1, 1, 1, 2, 3)) if self._rng.random() < 0.95 else 0
        names = [self._pick(ASKED) for _ in range(count)]
        if self._rng.random() < 0.9:
            names = sorted(set(names))
        calls = () if self._state.open is None else self._state.open.response.calls
        return tuple(
            Interrupt(
                interrupt_id=name,
                reason="r",
                expires_at=self._pick(EXPIRIES),
                tool_call_id=calls[-1].call.call_id if calls else None,
            )
            for name in names
        )

    def _somebody_answers(self) -> None:
        """A client answers what is open: mostly all of it, now and then too little, too late or another's."""
        client, state, rng = self._pick(self._clients), self._state, self._rng.random
        names = [one.interrupt_id for one in state.interrupts]
        if rng() < 0.3:
            names = [*names, self._pick((*ASKED, "ask-unknown"))][int(rng() * 2) :]
        waiting = [known.call.call_id for known in state.calls if known.call.runs_on == "client"]
        if rng() < 0.2:
            waiting = [*waiting[:-1], self._pick((*CALLS, "call-unknown"))]
        if not (names or waiting):
            return
        said = UserTurn(
            text="" if rng() < 0.7 else "so be it",
            request_id=f"c{client.number}-{len(client.sent)}",
            tools=TOOLS if rng() < 0.5 else (),
            resume=tuple(
                Answer(
                    interrupt_id=name,
                    status="resolved" if rng() < 0.7 else "cancelled",
                    payload={"n": 1} if name in ASKED or rng() < 0.05 else {"approved": rng() < 0.7},
                )
                for name in names
            ),
            tool_results=tuple(ToolResult(call_id=name, content="[1]", is_error=rng() < 0.2) for name in waiting),
            if_asked="refuse",
            if_busy="refuse" if rng() < 0.5 else "interrupt",
            message_id=f"m-{int(rng() * 9)}" if rng() < 0.5 else None,
        )
        client.sent.append(said)
        self._send(client, said)

    def _somebody_types(self) -> None:
        client = self._pick(self._clients)
        said = self._new_turn(client)
        client.sent.append(said)
        self._send(client, said)

    def _new_turn(self, client: Client) -> UserTurn:
        """A turn that names itself by number, by id, by both or not at all; some are stale."""
        rng = self._rng
        chance = rng.random()
        request_id = f"c{client.number}-{len(client.sent)}" if chance < 0.8 else None
        turn = self._state.last_turn + self._pick((1, 1, 1, 2, 3, 0, -2)) if 0.6 < chance < 0.95 else None
        odd = rng.random()
        return UserTurn(
            text="" if odd < 0.04 else self._pick(SAYINGS),
            turn=turn,
            request_id=request_id,
            idempotency_key=f"k{client.number}-{len(client.sent)}" if 0.3 < chance < 0.5 else None,
            source=self._pick(SOURCES),
            speech=self._pick(MEASURED),
            language="de" if odd > 0.95 else None,
            observation=TAG if odd < 0.02 else None,
            interaction_id="i-1" if 0.04 < odd < 0.06 else None,
            if_busy="refuse" if 0.5 < odd < 0.8 else "interrupt",
            tools=TOOLS if 0.3 < odd < 0.6 else (),
            if_asked="refuse" if 0.1 < odd < 0.2 else "cancel",
            message_id=f"m-{len(client.sent)}" if 0.6 < odd < 0.7 else None,
        )

    def _somebody_repeats(self) -> None:
        """Send a turn again as it was, or other words under the same name."""
        client = self._pick(self._clients)
        if not client.sent:
            return
        said = self._pick(client.sent if self._rng.random() < 0.5 else client.sent[-3:])
        if self._rng.random() < 0.25:
            said = msgspec.structs.replace(said, text=said.text + "!")
        self._send(client, said)

    def _send(self, client: Client, said: UserTurn) -> None:
        """Send a turn. One with an id is sent again after a crash, until it is known to be taken."""
        reply = self._give(said)
        if said.request_id is not None and not isinstance(reply, Rejected):
            client.unsure.append(said)

    def _somebody_cancels(self) -> None:
        self._give(CancelRequested(response_id=self._pick((None, self._running or None, "response-1"))))

    def _somebody_pulls(self) -> None:
        self._give(VoiceTriggered(trigger=self._pick(TRIGGERS if self._rng.random() < 0.2 else VOICE)))

    def _somebody_declares(self) -> None:
        self._give(CapabilitiesDeclared(modalities=self._pick(MODALITIES)))

    def _somebody_is_heard(self) -> None:
        self._caller.listens(self._state)

    def _something_is_played(self) -> None:
        self._caller.plays(self._state)

    def _silence(self) -> None:
        """Nothing happens until the deadline; sometimes its timer is early."""
        due_ms = next_deadline_ms(self._state)
        if due_ms is not None and self._rng.random() < 0.7:
            self._now_ms = max(self._now_ms, due_ms)
        before = self._state.seq
        self._give(DeadlinePassed())
        if due_ms is not None and self._now_ms >= due_ms:
            assert self._state.seq > before, "what is due happens"

    def _clock_jumps(self) -> None:
        self._now_ms += self._pick(JUMPS_MS)

    def _odds(self) -> None:
        """What is rare: the end of the session, and inputs that are no news."""
        chance = self._rng.random()
        if chance < 0.3 and self._late:
            self._give(EndRequested())
        elif chance < 0.4:
            self._give(HistoryDropped())
        elif chance < 0.6:
            self._give(ServerRestarted())

    # The store, the network and the process

    def _store(self, count: int) -> None:
        """Confirm so many records: their events may be shown, their effects are carried out."""
        for record, effects in self._pending[:count]:
            self._lines.append(encode_record(record))
            self._events.extend(record.events)
            for effect in effects:
                if isinstance(effect, RunAgent):
                    self._begin_run(effect.request.response_id)
                elif isinstance(effect, StopAgent):
                    if effect.response_id == self._running:
                        self._begin_run("")
                elif isinstance(effect, PrepareAnswer):
                    # What it says before it is let out must not count.
                    self._old_runs.append(effect.request.response_id)
                    self._caller.carry_out(effect)
                elif isinstance(effect, RunTool):
                    self._carry_out(effect.order)
                elif isinstance(effect, StopTool):
                    self._carried_out.pop(effect.call_id, None)
                elif isinstance(effect, PlaceHandoff | CloseHandoff | JudgeComplexity):
                    raise AssertionError("nothing of the kind is asked for here")
                elif (released := self._caller.carry_out(effect)) is not None:
                    self._begin_run(released)
        del self._pending[:count]
        if not self._pending:
            for client in self._clients:
                client.unsure.clear()

    def _carry_out(self, order: ToolOrder) -> None:
        """The world is changed: by what does harm once at most."""
        mark = (order.response_id, order.call_id)
        self._effects_done[mark] += 1
        safe = order.spec.side_effect == "read" or order.spec.idempotency.safe_to_repeat
        assert safe or self._effects_done[mark] == 1, "nothing is done twice"
        self._carried_out[order.call_id] = order

    def _begin_run(self, response_id: str) -> None:
        if self._running:
            self._old_runs = [*self._old_runs[-3:], self._running]
        self._running = response_id

    def _network(self) -> None:
        """A connection is made, carries something, or drops."""
        client = self._pick(self._clients)
        if client.cursor is None:
            client.connect()
        elif self._rng.random() < 0.1:
            client.drop()
        elif self._rng.random() < 0.5:
            self._server_sends(client)
        else:
            self._arrives(client)

    def _server_sends(self, client: Client) -> None:
        """The server sends some of what is stored and not sent yet; a slow client is sent less at a time."""
        if client.cursor is not None:
            most = self._pick((1, 5, 50, 500))
            ready = self._events[client.cursor : client.cursor + most]
            client.on_the_way += ready
            client.cursor += len(ready)

    def _arrives(self, client: Client) -> None:
        """Some of what is on its way arrives, in order."""
        count = int(self._rng.random() * len(client.on_the_way)) + 1
        for event in client.on_the_way[:count]:
            assert event.seq == len(client.seen) + 1, f"client {client.number} sees {event.seq} out of order"
            client.seen.append(event)
        del client.on_the_way[:count]

    def _crash(self) -> None:
        """The process dies; of its last records some are stored, unknown to it, and the rest are lost."""
        kept = int(self._rng.random() * (len(self._pending) + 1))
        for record, _ in self._pending[:kept]:
            self._lines.append(encode_record(record))
            self._events.extend(record.events)
        lost = len(self._pending) - kept
        self.tally["records lost"] += lost
        self._pending.clear()
        for client in self._clients:
            client.drop()
        self._begin_run("")
        self._carried_out.clear()
        self._caller.hang_up()
        self._rebuild(lost=lost)
        self._give(ServerRestarted() if self._lines else OPENED)
        for client in self._clients:
            unsure, client.unsure = client.unsure, []
            for said in unsure:
                self._send(client, said)

    def _rebuild(self, *, lost: int) -> None:
        """Read the journal back and step its inputs again; a snapshot and the tail must give the same.

        Where a record was lost, whoever judged it begins anew. Else the dead process knew how it has to come out.
        """
        self.tally["crashes"] += 1
        died = self._state
        if lost:
            self._judge = Judge()
            self._state = died = replayed(self._lines, self._journal(), self._judge.take)
        if self._snapshot is not None:
            count, encoded = self._snapshot
            self._state = fold(restore(encoded), self._journal()[count:])
            self.tally["crashes with snapshot"] += 1
        elif not lost:
            self._state = replayed(self._lines, self._journal())
        assert snapshot(self._state) == snapshot(died), "a snapshot and the tail are not the whole"

    def _journal(self) -> list[Record]:
        """The stored records; each line is read back once."""
        self._read.extend(decode_records(b"".join(self._lines[len(self._read) :])))
        return self._read

    # The end

    def _settle(self) -> None:
        """Nobody does anything any more, except the clock."""
        for _ in range(SETTLING):
            if (due_ms := next_deadline_ms(self._state)) is not None:
                self._now_ms = max(self._now_ms, due_ms)
                self._give(DeadlinePassed())
        self._store(len(self._pending))
        self._judge.settled()

    def _check_whole(self) -> None:
        """The journal steps to the same bytes, and every client has seen all of it exactly once."""
        state = replayed(self._lines, self._journal())
        assert snapshot(state) == snapshot(self._state), "the replay ends elsewhere"
        for client in self._clients:
            client.drop()
            client.connect()
            while client.cursor != len(self._events):
                self._server_sends(client)
            while client.on_the_way:
                self._arrives(client)
            assert client.seen == self._events, f"client {client.number} saw something else"
        self._check_taken_once()
        self.tally["turns"] += len(self._judge.taken)
        for event in self._events:
            self.tally[type(event).__name__] += 1
            if isinstance(event, ResponseFailed):
                self.tally[event.code] += 1

    def _check_taken_once(self) -> None:
        """No message was taken twice, as far back as repeats are recognised."""
        places: dict[str, int] = {}
        for place, (_, _, said) in enumerate(self._judge.taken):
            if said.request_id is not None:
                earlier = places.get(said.request_id, -limits.RECENT_TURNS)
                assert place - earlier >= limits.RECENT_TURNS, f"{said.request_id} was taken twice"
                places[said.request_id] = place


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


def replayed(
    lines: list[bytes], records: list[Record], judge: Callable[[AnyInput, Stepped], None] | None = None
) -> SessionState:
    """Step a stored journal's inputs again; every record must come out byte for byte."""
    state = SessionState()
    for line, record in zip(lines, records, strict=True):
        stepped = step(state, record.input, now_ms=record.at_ms)
        if judge is not None:
            judge(record.input, stepped)
        again = Record(at_ms=state.at_ms, input=record.input, events=stepped.events)
        assert encode_record(again) == line, f"event {state.seq} replays differently"
    return state


def play(seed: int, *, steps: int) -> Counter[str]:
    """Play one schedule.

    Raises:
        SimulationError: a promise was broken; the message names the seed and the step.
    """
    world = World(seed)
    try:
        world.play(steps)
    except AssertionError as broken:
        last = "\n  ".join(map(str, world.last))
        raise SimulationError(
            f"SIM_SEED={seed} make sim: step {world.steps}: {broken or 'an assertion failed'}; "
            f"the last inputs:\n  {last}"
        ) from broken
    world.tally["steps"] += world.steps
    return world.tally
