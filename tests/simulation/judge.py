"""What must hold of every step of the engine, kept apart from the engine's own way of keeping it."""

from datetime import datetime
from typing import Final, assert_never, get_args

import msgspec
from tests.simulation.handoff_judge import HandoffJudge
from tests.simulation.tool_judge import ToolJudge, Walk, after, by_words, meant
from tests.simulation.voice_judge import VoiceJudge

from duologue.engine import machine
from duologue.engine.history import spoken
from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model import limits
from duologue.model.agent import AgentRequest
from duologue.model.content import (
    Answer,
    Figures,
    Interrupt,
    Message,
    Modality,
    NfcObservation,
    ToolCall,
    ToolResult,
)
from duologue.model.effects import (
    CloseHandoff,
    PlaceHandoff,
    ReleaseAnswer,
    RunAgent,
    RunTool,
    StopAgent,
    StopTool,
    VoiceEffect,
)
from duologue.model.errors import Code
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentCited,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentInput,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentShowed,
    AgentSpoke,
    AgentSuggested,
    AnyInput,
    ApprovalDecided,
    CancelRequested,
    CapabilitiesDeclared,
    DeadlinePassed,
    ObservationAsked,
    ServerRestarted,
    SessionOpened,
    ToolReported,
    Trigger,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.replies import Accepted, Ignored, Rejected, Repeated, Reply

Path = tuple[Trigger, ...]

AGENT_INPUTS: Final[tuple[type[AgentInput], ...]] = get_args(AgentInput)

PATHS: Final[dict[type[e.AnyEvent], tuple[Path, ...]]] = {
    e.TurnAccepted: (
        ("user_sends_text",),
        ("stt_complete",),
        ("cancel", "user_sends_text"),
        ("speech_end", "stt_complete"),
        ("user_activates_mic", "speech_end", "stt_complete"),
    ),
    e.TurnResumed: (("user_sends_text",), ("cancel", "user_sends_text")),
    e.ResponseStarted: ((), ("cancel", "user_sends_text")),
    e.TextStarted: ((), ("first_token",)),
    e.Showed: ((), ("first_token",)),
    e.ToolCalled: ((), ("first_token",)),
    e.ResponseEnded: (
        (),
        ("tts_complete",),
        ("first_token",),
        ("first_token", "tts_complete"),
        ("auto_resume",),
        ("first_token", "auto_resume"),
        ("cancel",),
        ("barge_in",),
        ("error",),
    ),
    e.ResponseFailed: (("error",),),
    e.StateChanged: (
        (),
        ("user_activates_mic",),
        ("speech_end",),
        ("tts_complete",),
        ("auto_resume",),
        ("barge_in",),
        ("cancel",),
        ("error",),
    ),
    e.SessionEnded: ((), ("cancel",)),
    e.HandoffMoved: ((), ("cancel",)),
    e.TurnEnded: ((), ("cancel",)),
    e.CallBegan: ((), ("cancel",)),
    e.CallFinished: ((), ("cancel",)),
    e.ListeningBegan: ((), ("user_activates_mic",), ("cancel", "user_activates_mic")),
    e.SpeechPaused: ((), ("speech_end",)),
    e.NothingHeard: ((), ("cancel",)),
    e.SpeakingPaused: ((), ("first_token",)),
    e.SpeakingFinished: (("auto_resume",), ("tts_complete",)),
    e.BargedIn: (("barge_in",),),
}
"""By which triggers each event may have moved the machine; an event that is not here moves nothing."""


def _walk(state: e.State, path: Path) -> e.State | None:
    """Where a path leads from a state; `None` where a trigger on it is not legal."""
    for trigger in path:
        target = machine.target(state, trigger)
        if target is None:
            return None
        state = target
    return state


LEGAL: Final[frozenset[tuple[type[e.AnyEvent], e.State, e.State | None]]] = frozenset(
    (kind, state, _walk(state, path))
    for kind in get_args(e.AnyEvent)
    for state in machine.STATES
    for path in PATHS.get(kind, ((),))
)
"""Every event with the state before and after it."""


class Judge:
    """Follows a session from its first step, and fails at the first step that breaks a promise.

    Attributes:
        seq: number of the last event.
        at_ms: its time.
        state: its state.
        ended: the session has ended.
        turn: the open turn, 0 where none.
        response: the open response, empty where none.
        last_turn: the highest turn that was taken.
        taken: the turns that were taken, each with the number of its `TurnAccepted`.
        turns_ended: how many ends of turns there were.
        turns_resumed: how often a turn that had ended went on.
        due_ms: when the open response is taken to be stuck; `None` where none is open.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.at_ms = 0
        self.state: e.State = "idle"
        self.ended = False
        self.turn = 0
        self.request_id = ""
        self.response = ""
        self.last_turn = 0
        self.turns_ended = self.turns_resumed = 0
        self.taken: list[tuple[int, int, UserTurn]] = []
        self._by_number: dict[int, int] = {}
        self._by_key: dict[str, int] = {}
        self._last_response = "response-0"
        self._used: set[str] = set()
        self._made_at: tuple[int, AnyInput] | None = None
        self.voice = VoiceJudge()
        self._started_ms = 0
        self._first_ms: int | None = None
        self._pieces: list[str] = []
        self._length = 0
        self._text_open = self._told_whole = False
        self._closing: Figures | None = None
        self._held: Figures | None = None
        self._failed = False
        self._retrying = False
        self._failing = False
        self._cut: list[str] = []
        self._voided = ""
        self._history: list[Message] = []
        self._modalities: frozenset[Modality] = frozenset()
        self._attempt = 0
        self._client_plays = False
        self._heard_ms = 0
        self._silence_ms = 0
        self._response_ms = 0
        self._said: list[Message] = []
        self._interrupts: dict[str, Interrupt] = {}
        self._decided: set[str] = set()
        self._own_calls: set[str] = set()
        self._waiting: set[str] = set()
        self._kept_waiting: set[str] = set()
        self._carried: set[str] = set()
        self._done_calls: set[str] = set()
        self._harmless = True
        self._risky: set[str] = set()
        self._open_said = UserTurn(text="")
        self._answers: tuple[Answer, ...] = ()
        self._results: dict[str, ToolResult] = {}
        self._news: UserTurn | None = None
        self._recognised = False
        self._resumed = False
        self._asked_cut: int | None = None
        self._asking = False
        self._came: list[Walk] = []
        self._kinds: set[type[e.AnyEvent]] = set()
        self.tools = ToolJudge()
        self.desk = HandoffJudge()
        self._passed = self._stopped_within = False
        self._author = ""
        self._subject = ""
        self._running = False
        self._legs = 0
        self._no_tokens = False
        self._earlier: list[Message] = []
        self._observed: dict[str, tuple[Modality, int]] = {}
        self._over: set[str] = set()
        self._being_said: set[str] = set()
        self._again = False
        self._stuck = ""
        self._singly: dict[str, Answer] = {}
        self._settled: list[Answer] = []
        self._unclear: set[str] = set()
        self._continued = False
        self._since = 0
        self._asked_now: tuple[Interrupt, ...] = ()
        self._last_request = ""
        self._result_ids: dict[str, str] = {}

    def take(self, happened: AnyInput, stepped: Stepped, *, now_ms: int | None = None) -> None:
        """Judge one step."""
        now_ms = max(self.at_ms, stepped.events[0].at_ms if stepped.events else (now_ms or 0))
        self.tools.before(happened, stepped, ended=self.ended, subject=self._subject, now_ms=now_ms)
        match happened:
            case AgentSpoke() | AgentCited() | AgentSuggested() | AgentShowed() | AgentNoted():
                self._from_agent(happened, stepped)
            case AgentFinished() | AgentFailed() | AgentAsked() | AgentCancelled() | AgentHandedOff():
                self._from_agent(happened, stepped)
            case AgentCalled() | AgentReturned() | AgentRequested() | ObservationAsked():
                self._from_agent(happened, stepped)
            case UserTurn():
                self._replied(happened, stepped.reply, now_ms)
            case CancelRequested() if self.voice.call_id:
                assert bool(stepped.events) or not self.turn or happened.response_id, "what runs can be stopped"
            case CancelRequested(response_id=response_id):
                meant = not (self.ended or (response_id is None and self.state == "idle"))
                meant = meant and response_id in (None, self.response)
                assert bool(stepped.events) == meant, "a cancel is taken where there is what it means"
            case CapabilitiesDeclared(modalities=modalities):
                meant = not self.ended and self._modalities != frozenset(modalities)
                assert bool(stepped.events) == meant, "a declaration is taken where it changes something"
            case VoiceTriggered(trigger="tts_complete" | "auto_resume") if self.turn:
                assert not stepped.events, "nothing is played to its end before it is whole"
            case SessionOpened():
                self._silence_ms, self._response_ms = happened.silence_ms, happened.response_ms
                self._subject = happened.subject
            case _:
                pass
        if not stepped.events:
            assert not stepped.effects, "effects without an event"
            assert not isinstance(stepped.reply, Accepted), "accepted without an event"
            return
        assert isinstance(stepped.reply, Accepted), "events without being accepted"
        # As of before the turn that it may interrupt, which is not told while it is open.
        self._news = self._anew(happened) if isinstance(happened, UserTurn) else None
        started: list[str] = []
        stopped: list[str] = []
        self._came = []
        self.desk.take(happened, stepped)
        self._kinds = {type(event) for event in stepped.events}
        self._failing, self._cut, self._voided = False, [], ""
        self._singly = self._closed_singly(happened, stepped)
        self._close_singly()
        for event in stepped.events:
            self._follow(event, happened, started, stopped)
        if self.response and (started or isinstance(happened, AGENT_INPUTS)):
            self._heard_ms = self.at_ms
        if isinstance(happened, ToolReported | DeadlinePassed | ServerRestarted) and self.response:
            # What was waited for within the run is there.
            waited = any(one.within and one.awaited and one.response == self.response for one in self._came)
            self._heard_ms = self.at_ms if waited else self._heard_ms
        # A run that says what cannot be is stopped, like one that is stuck.
        amiss = isinstance(happened, AgentCalled | AgentReturned | AgentRequested)
        amiss = (amiss or isinstance(happened, DeadlinePassed)) and self._failing
        self._orders(stepped, happened, started, stopped, stuck=amiss)
        self.tools.orders(stepped)

    @property
    def due_ms(self) -> int | None:
        if self.ended:
            return None
        dues = [self._run_due_ms(), self.tools.due_ms]
        if len(self._interrupts) == 1 and not self.turn and not self.desk.holder:
            dues += [due_ms for name, (_, due_ms) in self._observed.items() if name in self._interrupts]
        return min((due_ms for due_ms in dues if due_ms is not None), default=None)

    def _run_due_ms(self) -> int | None:
        if not self.response or self.voice.made:
            return None
        if not self._running or self.tools.within:
            return self._started_ms + self._response_ms
        return min(self._heard_ms + self._silence_ms, self._started_ms + self._response_ms)

    def settled(self) -> None:
        """Judge the end: every turn that was taken has ended, once."""
        assert self.turn == 0, f"turn {self.turn} never ended"
        # What was let run waits where the person is asked something else, and did not answer.
        waits = self._interrupts or self.desk.holder
        left = [one for one in self.tools.calls.values() if one.status != "approved" or not waits]
        assert not left, "no call is left in progress"
        assert self.turns_ended == len(self.taken) + self.turns_resumed, (
            "each turn ends once, each time that it goes on"
        )

    def _from_agent(self, item: AgentInput, stepped: Stepped) -> None:
        says_nothing = isinstance(item, AgentSpoke) and not item.text
        meant = item.response_id == self.response and not says_nothing and not self.voice.made and self._running
        assert bool(stepped.events) == meant, "what the open run says is taken, and nothing else"

    def _replied(self, said: UserTurn, reply: Reply, now_ms: int) -> None:
        known = self._known(said)
        if known is not None:
            turn, seq, first = known
            if _same(first, said):
                assert reply == Repeated(turn=turn, seq=seq), f"a repeat of turn {turn}: {reply}"
            else:
                assert _code(reply) is Code.TURN_CONFLICT, f"a conflict with turn {turn}: {reply}"
        elif self.ended:
            assert _code(reply) is Code.SESSION_ENDED
        elif said.turn is not None and said.turn <= self.last_turn:
            assert _code(reply) is Code.TURN_STALE
        elif not (said.text or said.observation or said.attachments or said.resume or said.tool_results):
            assert _code(reply) is Code.BAD_MESSAGE
        elif (code := self._amiss(said, now_ms) or self._amiss_shown(said, now_ms)) is not None:
            assert _code(reply) is code, f"answers and results that do not fit: {reply}, not {code}"
        elif self.turn and said.if_busy == "refuse":
            assert _code(reply) is Code.BUSY
        else:
            assert isinstance(reply, Accepted), f"a good turn was not taken: {reply}"
            assert reply.turn == (said.turn or self.last_turn + 1), "the turn's number"

    def _anew(self, said: UserTurn) -> UserTurn:
        """A turn without the words that the conversation has already."""
        told = said.message_id in {
            one.message_id for one in self._history[-limits.HISTORY_MESSAGES :] if one.role == "user"
        }
        if not told or not (said.resume or said.tool_results):
            return said
        return UserTurn(text="", message_id=said.message_id, tool_results=said.tool_results, tools=said.tools)

    def _amiss_shown(self, said: UserTurn, now_ms: int) -> Code | None:
        """What a turn is refused with that shows something which the agent asked for."""
        name = said.interaction_id
        if name is None:
            return None
        if name in self._over:
            return Code.INTERRUPT_EXPIRED
        asked = name in self._being_said if self.turn else name in self._interrupts
        if not asked or name not in self._observed:
            return Code.UNKNOWN_INTERACTION
        modality, due_ms = self._observed[name]
        if now_ms >= due_ms:
            return Code.INTERRUPT_EXPIRED
        fits = isinstance(said.observation, NfcObservation) and modality == "nfc"
        return None if fits else Code.BAD_MESSAGE

    def _amiss(self, said: UserTurn, now_ms: int) -> Code | None:
        """What the turn's answers and results are refused with; only the first of several is told."""
        open_ones = {name for name, one in self._interrupts.items() if not self._stale(one, now_ms)}
        if not said.resume and said.interaction_id is None and open_ones and said.if_asked == "refuse":
            return Code.INTERRUPTS_OPEN
        answered: set[str] = set()
        for answer in said.resume:
            name = answer.interrupt_id
            if name not in self._interrupts:
                return Code.INTERRUPT_CLOSED if name in self._decided else Code.INTERRUPT_UNKNOWN
            if name in answered:
                return Code.BAD_MESSAGE
            decides = answer.status == "resolved" and self.tools.approval_of(name) is not None
            if decides and answer.payload not in ({"approved": True}, {"approved": False}):
                return Code.BAD_MESSAGE
            if answer.status == "resolved" and self._stale(self._interrupts[name], now_ms):
                return Code.INTERRUPT_EXPIRED
            answered.add(name)
        if said.resume and open_ones - answered:
            return Code.INTERRUPTS_OPEN
        results = {result.call_id for result in said.tool_results}
        # What a run asks for is only to be run once it has ended.
        waiting = self._kept_waiting if self.turn else self._waiting
        if results - waiting - self._done_calls:
            return Code.TOOL_CALL_UNKNOWN
        anew = self._anew(said)
        other = anew.text or anew.observation or anew.attachments or said.resume
        return Code.TOOL_CALL_CLOSED if results and not results & waiting and not other else None

    def _stale(self, asked: Interrupt, now_ms: int) -> bool:
        """Whether nobody can answer any more; of the agent's own the schedules know only times long past."""
        call = self.tools.approval_of(asked.interrupt_id)
        if call is not None:
            return now_ms >= call.due_ms
        if asked.interrupt_id in self._observed:
            return now_ms >= self._observed[asked.interrupt_id][1]
        return asked.expires_at is not None and asked.expires_at.startswith("2000")

    def _known(self, said: UserTurn) -> tuple[int, int, UserTurn] | None:
        key = said.idempotency_key or said.request_id
        by_number = -1 if said.turn is None else self._by_number.get(said.turn, -1)
        by_key = -1 if key is None else self._by_key.get(key, -1)
        place = max(by_number, by_key)
        return self.taken[place] if place >= max(0, len(self.taken) - limits.RECENT_TURNS) else None

    def _follow(self, event: e.AnyEvent, happened: AnyInput, started: list[str], stopped: list[str]) -> None:
        assert not self.ended, "nothing follows the end of a session"
        self.seq += 1
        assert event.seq == self.seq, f"event {event.seq} where {self.seq} is due"
        assert event.at_ms >= self.at_ms, "time never falls"
        before = self.state
        step_taken = (type(event), before, event.state)
        assert step_taken in LEGAL, f"{step_taken} is no legal move"
        self.at_ms, self.state = event.at_ms, event.state
        match event:
            case e.TextDelta():
                assert event.response_id == self.response and self._text_open, "words outside of their text"
                self._pieces.append(event.text)
                self._length += len(event.text)
                last = self._said[-1]
                assert event.message_id == last.message_id, "words of another message"
                self._said[-1] = msgspec.structs.replace(last, text=last.text + event.text)
                assert event.length == self._length, "the length so far"
            case e.TextStarted():
                assert event.response_id == self.response and not self._text_open, "a text begins once"
                self._text_open = True
                self._first_ms = event.at_ms if self._first_ms is None else self._first_ms
                assert event.message_id == self._next_message_id(), "the next message of the answer"
                self._said.append(_part(event.message_id, self.turn, author=self._author))
            case e.TextCompleted():
                assert event.response_id == self.response and self._text_open, "a text ends once"
                cut = None if event.whole else self.voice.cut_at
                calls = isinstance(happened, AgentCalled | AgentReturned | AgentRequested)
                calls = calls or e.LegEnded in self._kinds
                whole = "".join(self._pieces)[: None if calls and not self._failing else cut]
                assert event.text in (whole, "".join(self._pieces) if calls else whole), "the sum of the pieces"
                assert not event.whole or not isinstance(
                    happened, AgentFailed | AgentCancelled | CancelRequested | AgentCalled
                ), "only the agent says that it is whole"
                assert event.whole or not isinstance(happened, AgentFinished) or e.LegEnded in self._kinds
                assert event.message_id == self._said[-1].message_id, "the end of another message"
                self._text_open, self._told_whole = False, event.whole
            case e.ToolCalled():
                self._called(event, happened)
            case e.ToolReturned() if event.runs_on == "server":
                self._done_calls.add(event.call_id)
                self._give_up(event)
                self._server_returned(event, happened)
                self._check_outside(event)
                return
            case e.ToolReturned():
                self._returned(event)
            case e.Cited() | e.Suggested() | e.Showed() | e.Noted():
                assert event.response_id == self.response, "an item outside of its response"
            case e.TurnAccepted():
                self._turn_begins(event, happened)
                self._client_plays = before == "transcribing" and event.source == "voice" and not self.voice.call_id
            case e.ResponseStarted():
                self._voided = event.response_id if self.voice.held else ""
                self._response_begins(event)
                started.append(event.response_id)
            case e.ResponseEnded():
                assert not self._text_open, "the text is completed before its response"
                if event.response_id == self._voided:
                    # The turn was cut short while it waited: it has an end to tell, and there is no run.
                    assert event.figures == self._held and event.heard == self.voice.cut_at
                    started.remove(event.response_id)
                    self.response, self._closing = "", event.figures
                    return
                self._response_ends(event.response_id, event.figures, happened)
                if event.superseded:
                    assert not self._pieces and event.outcome == "interrupted", "what was shown is not taken back"
                    self.voice.superseded()
                    self._held, self._closing = event.figures, None
                    stopped.append(event.response_id)
                    self._cut.append(event.response_id)
                    return
                if isinstance(happened, AgentCancelled):
                    assert event.outcome == "cancelled", "what the agent cancelled is no success"
                made = self._made_at[1] if self._made_at is not None else happened
                assert (event.outcome == "asked") == bool(event.interrupts)
                if isinstance(made, AgentAsked) and not self.tools.waits and event.outcome in ("asked", "completed"):
                    assert event.interrupts, "what the agent asks for is asked"
                self._observe(event.interrupts)
                self._asks(event)
                untold = event.outcome in ("completed", "asked") and not self._told_whole
                assert event.text == ("".join(self._pieces) if untold else ""), "a whole answer is told once"
                self._asked_cut = event.heard if event.outcome == "asked" else None
                if self._asked_cut is not None:
                    assert self.voice.made and self._asked_cut == self.voice.cut_at, "a question that was cut short"
                    self._cut.append(event.response_id)
                if event.outcome in ("completed", "asked"):
                    finished = event.outcome == "completed" and not self._stopped_within
                    assert not (finished and self._own_calls), "a tool of its own is still running"
                    assert set(event.pending_calls) == self._waiting, "which calls wait for a client"
                    assert not (self._author and event.interrupts), "an operator asks nothing in the agent's place"
                    if not self._author:
                        self._interrupts = {one.interrupt_id: one for one in event.interrupts}
                    self._close_singly()
                    self._asked_now = event.interrupts
                    plays = self._client_plays and not self.voice.call_id
                    # Who passes the conversation on may have said nothing that could be played.
                    assert (event.state == "speaking") == (plays and before == "speaking"), (
                        "who plays says when it is done"
                    )
                elif event.outcome == "passed":
                    assert self.desk.holder and not self._author, "only a person is passed a turn"
                    assert not self._running and event.heard is None, "nobody is run for it"
                    self._passed = True
                else:
                    assert event.heard == self.voice.cut_at, "how much was heard"
                    self._cut.append(event.response_id)
                    if not self.voice.made:
                        stopped.append(event.response_id)
            case e.ResponseFailed():
                assert event.open_message == (self._said[-1].message_id if self._text_open else "")
                assert self._harmless or not event.will_retry, "what must not run twice is not run again"
                if event.will_retry:
                    self._earlier += self._kept()
                self._again = event.will_retry
                self._response_ends(event.response_id, None, happened)
                self._again, self._stuck = False, event.response_id
                self._failed, self._retrying, self._failing = True, event.will_retry, True
                self._cut.append(event.response_id)
                self._text_open = False
            case e.TurnEnded():
                self._turn_ends(event)
                return
            case e.SessionEnded():
                assert not self.turn, "a session ends after its turn"
                self.ended = True
            case e.SessionStarted():
                assert event.seq == 1, "a session starts once, first"
            case e.StateChanged():
                assert machine.target(event.previous, event.trigger) == event.state, "a trigger's own move"
            case e.CapabilitiesChanged():
                self._modalities = frozenset(event.modalities)
            case e.TurnExtended():
                assert self.voice.held, "only a turn that waits grows"
                self.voice.take_text(event.text, before=self._open_said.text)
                self._open_said = msgspec.structs.replace(self._open_said, text=event.text)
            case e.Transcribed() if isinstance(happened, UserTurn):
                self._recognised_there(event, happened)
            case e.VoiceEvent():
                self.voice.follow(event, happened, response=self.response, pieces=self._pieces)
                if isinstance(event, e.AnswerCompleted):
                    self._made_at = self.at_ms, happened
                    self._running = False
                    self._observe(event.interrupts)
                    self._being_said = {one.interrupt_id for one in event.interrupts}
            case e.TurnResumed():
                self._turn_resumes(event)
            case e.ToolMoved():
                self.tools.moved(event, happened, response=self.response)
                if event.response_id == self.response:
                    self._note(event.call_id, event.status)
                self._check_outside(event)
                return
            case e.LegEnded():
                assert event.response_id == self.response and self._running, "the end of a run that is on"
                assert not self._text_open and event.leg == self._legs
                self._running, self._no_tokens = False, True
            case e.ActingEvent():
                pass
            case e.HistoryTrimmed():
                raise AssertionError("the engine makes no such event")
            case _:
                assert_never(event)
        assert (event.turn, event.request_id) == (self.turn, self.request_id), "the turn that it belongs to"

    def _recognised_there(self, event: e.Transcribed, said: UserTurn) -> None:
        """A client's own recogniser has come to an end, and the turn that follows says the same."""
        assert not (self.turn or self._recognised), "a transcript is told once, before its turn"
        assert said.speech is not None and said.speech.stt_ms is not None, "nobody measured that"
        assert (event.call_id, event.segment, event.final) == ("", 0, True), "it is of no call"
        assert (event.text, event.so_far) == (said.text, said.text), "other words than were said"
        measured = (said.speech.stt_ms, said.speech.confidence, said.language)
        assert (event.stt_ms, event.confidence, event.language) == measured, "as it was measured"
        self._recognised = True

    def _turn_begins(self, event: e.TurnAccepted, happened: AnyInput) -> None:
        assert not self.turn, "two open turns"
        assert event.turn > self.last_turn, "turns rise"
        if not isinstance(happened, UserTurn):
            assert self.voice.call_id and event.source == "voice", "a turn out of nothing"
            if event.text != self.voice.rules.nudge or not isinstance(happened, DeadlinePassed):
                self.voice.take_text(event.text)
            happened = self._news = UserTurn(text=event.text, turn=event.turn, source="voice")
        measured = happened.speech is not None and happened.speech.stt_ms is not None
        assert self._recognised == measured, "what was recognised is told"
        self._recognised = False
        self.voice.turn_begins()
        self._made_at = self._held = None
        assert self._news is not None
        said = self._news
        assert event.text == said.text, "another's words"
        asked_again = self._answered(event, happened)
        refused = {one.interrupt_id for one in event.answers if one.status == "cancelled"}
        refused_calls = {one.tool_call_id for name, one in self._interrupts.items() if name in refused}
        self._harmless = not (self._carried & self._risky) - refused_calls
        if not asked_again:
            self._decided |= set(self._interrupts)
            self._interrupts = {}
        # Who is asked once more is told of the rest with what they answer.
        self._settled = self._settled if asked_again else list(event.answers) if self.desk.holder else []
        self._answers, self._earlier = event.answers, []
        self._results = {one.call_id: one for one in reversed(happened.tool_results) if one.call_id in self._waiting}
        self._result_ids = {name: one.message_id for name, one in self._results.items()}
        if self.desk.holder:
            # What the agent waits for stays open while nobody runs it.
            self._kept_waiting = self._waiting - set(self._results)
        self._done_calls |= self._waiting - self._kept_waiting
        self._waiting = set()
        self._resumed = False
        place = len(self.taken)
        self.turn, self.request_id, self.last_turn = event.turn, event.request_id, event.turn
        self._last_request = event.request_id
        self.taken.append((event.turn, event.seq, happened))
        self._open_said = said
        self._by_number[event.turn], self._attempt = place, 0
        if (key := happened.idempotency_key or happened.request_id) is not None:
            self._by_key[key] = place

    def _answered(self, event: e.TurnAccepted, said: UserTurn) -> bool:
        """Judge what became of each open interrupt; true where the person is asked once more."""
        names = list(self._interrupts)
        passed = bool(self.desk.holder)
        approval = self.tools.approval_of(names[0]) if len(names) == 1 else None
        fresh = any(one.call_id in self._waiting for one in said.tool_results)
        plain = not (said.resume or said.attachments or said.observation or fresh)
        plain = plain and said.if_asked != "refuse" and said.interaction_id is None
        plain = plain and (approval is None or event.at_ms < approval.due_ms)
        verdict = by_words(said) if approval is not None and plain and not passed else None
        asked_only = (
            bool(names)
            and all(one.reason == "tool_approval" for one in self._interrupts.values())
            and all(one.payload and "approved" in one.payload for one in self._settled if one.status == "resolved")
        )
        self._continued = False
        if passed and not (said.resume or said.interaction_id):
            assert event.answers == (), "who talks with a person answers nothing of the agent's"
            self._since = event.turn
            return True
        unclear = approval is not None and plain and verdict is None and event.source == "voice"
        if unclear and names[0] not in self._unclear:
            self._unclear.add(names[0])
            assert event.answers == (), "it is asked once more"
            self._since = event.turn
            return True
        due = list(self._settled)
        for name in names:
            given = meant(said.resume, name)
            if given is None and name == said.interaction_id:
                given = Answer(interrupt_id=name, status="resolved", payload={"kind": "nfc"})
            if given is None and verdict is not None:
                given = Answer(interrupt_id=name, status="resolved", payload={"approved": verdict})
            due.append(given or Answer(interrupt_id=name, status="cancelled"))
        assert list(event.answers) == due, "what became of each open interrupt"
        silent = bool(said.resume) and not (event.text or said.attachments or event.observation or fresh)
        settled_only = all(one.interrupt_id in self.tools.decided for one in self._settled)
        self._continued = asked_only and settled_only and (verdict is not None or silent)
        self._since = self._since if self._continued else event.turn
        return False

    def _turn_resumes(self, event: e.TurnResumed) -> None:
        """The last turn goes on: nobody has said anything, and nothing that is open is decided by it."""
        assert not self.turn, "two open turns"
        assert event.turn == self.last_turn, "the last turn goes on, and no other"
        self.turn, self.request_id = event.turn, self._last_request
        self.turns_resumed += 1
        self._earlier = []
        self._author = event.author
        if not event.author:
            self._answers = tuple(self._settled)
            self._settled = []
        self._kept_waiting = self._waiting
        self._resumed, self._attempt, self._client_plays = True, 0, False
        self._made_at = self._held = None
        self._harmless = not self._carried & self._risky
        self.voice.turn_begins()

    def _response_begins(self, event: e.ResponseStarted) -> None:
        assert self.turn and not self.response, "one response at a time, within a turn"
        assert self._closing is None and (self._retrying or not self._failed), "a response after the last"
        self._attempt += 1
        self.voice.answered_anew()
        assert event.attempt == self._attempt, "the attempts are counted"
        assert self._attempt - self.voice.extended <= limits.RUN_ATTEMPTS, "and bounded"
        assert event.response_id not in self._used, "response ids are never used twice"
        self._used.add(event.response_id)
        self._last_response = event.response_id
        self.response, self._started_ms = event.response_id, event.at_ms
        self._first_ms, self._pieces, self._length = None, [], 0
        self._told_whole = self._no_tokens = self._running = False
        self._being_said = set()
        self._legs = 0
        if event.attempt > 1:
            # What the registry's tools have done is kept beside.
            self._done_calls |= {one.call_id for message in self._said for one in message.calls}
        self._said, self._own_calls, self._waiting = [], set(), set()
        self._failed = self._retrying = self._stopped_within = False
        self._asked_cut = None

    def _next_message_id(self) -> str:
        number = len(self._said) + 1
        return f"{self._last_response}-message" + (f"-{number}" if number > 1 else "")

    def _called(self, event: e.ToolCalled, happened: AnyInput) -> None:
        assert event.response_id == self.response and not self._text_open, "a call within a text"
        open_ones = self._own_calls | self._waiting | self._carried | self._kept_waiting
        assert event.call_id not in open_ones, "a call twice"
        if event.runs_on == "server":
            self.tools.called(event, happened, turn=self.turn)
        elif event.runs_on == "client":
            offered = {tool.name for tool in self.taken[-1][2].tools}
            assert isinstance(happened, AgentRequested) and event.name in offered, "a tool that nobody offered"
            self._waiting.add(event.call_id)
        else:
            self._own_calls.add(event.call_id)
            repeatable = isinstance(happened, AgentCalled) and happened.repeatable
            self._harmless = self._harmless and repeatable
            self._risky -= {event.call_id}
            self._risky |= set() if repeatable else {event.call_id}
        if not self._said or (self._said[-1].calls and all(one.result is not None for one in self._said[-1].calls)):
            self._said.append(_part(event.call_id, self.turn))
        assert event.message_id == (self._said[-1].message_id if self._said[-1].text else ""), "the words before"
        made = ToolCall(call_id=event.call_id, name=event.name, arguments=event.arguments, runs_on=event.runs_on)
        last = self._said[-1]
        self._said[-1] = msgspec.structs.replace(last, calls=(*last.calls, made))

    def _returned(self, event: e.ToolReturned) -> None:
        assert event.response_id == self.response, "a result outside of its response"
        own = event.runs_on == "agent"
        messages = self._history if event.earlier else self._said
        if own and event.earlier:
            assert event.call_id in self._carried, "a result of a call that is not open"
            self._carried.discard(event.call_id)
            self._done_calls.add(event.call_id)
        elif own:
            assert event.call_id in self._own_calls, "a result of a call that is not open"
            self._own_calls.discard(event.call_id)
        elif not event.earlier:
            # The run is lost: what it asked for is not to be run any more.
            assert event.call_id in self._waiting and event.is_error, "only a lost call returns in its own run"
            self._waiting.discard(event.call_id)
        else:
            given = self._results.pop(event.call_id)
            messages = self._history
            assert (event.result, event.is_error) == (given.content, given.is_error), "what the client sent"
        places = [place for place, one in enumerate(messages) if event.call_id in {call.call_id for call in one.calls}]
        if places:
            calls = tuple(
                msgspec.structs.replace(
                    call,
                    result=event.result,
                    is_error=event.is_error,
                    result_id=self._result_ids.get(call.call_id, "") if event.earlier else "",
                    result_turn=self.turn if event.earlier else 0,
                )
                if call.call_id == event.call_id
                else call
                for call in messages[places[-1]].calls
            )
            messages[places[-1]] = msgspec.structs.replace(messages[places[-1]], calls=calls)

    def _asks(self, event: e.ResponseEnded) -> None:
        """Judge what an answer asks for: what its agent does, what its tools wait for, what is to be observed."""
        for one in event.interrupts:
            call = self.tools.approval_of(one.interrupt_id)
            if one.reason == "tool_approval":
                assert call is not None and call.status == "awaiting_approval" and call.approval is not None
                assert one.tool_call_id == call.approval.call_id and one.message == call.approval.prompt
        if event.outcome == "asked":
            asked = {one.interrupt_id for one in event.interrupts}
            for call in self.tools.calls.values():
                if call.status == "awaiting_approval" and call.response == event.response_id and call.approval:
                    assert call.approval.approval_id in asked, "what waits for the person is asked"

    def _closed_singly(self, happened: AnyInput, stepped: Stepped) -> dict[str, Answer]:
        """What becomes of single questions in this step, by a button or as their time is over."""
        if isinstance(happened, ApprovalDecided):
            approved = happened.decision == "approve"
            payload = {"approved": approved, "by": happened.by}
            name = happened.approval_id
            return {name: Answer(interrupt_id=name, status="resolved", payload=payload)}
        if any(isinstance(event, e.TurnAccepted) for event in stepped.events):
            # What has expired, and is noticed by a turn, is closed by it.
            return {}
        late: list[str] = []
        for event in stepped.events:
            if isinstance(event, e.ToolReturned) and event.error_code == "expired":
                approval = self.tools.calls[event.call_id].approval
                late += [] if approval is None else [approval.approval_id]
        resumes = any(isinstance(event, e.TurnResumed) for event in stepped.events)
        if isinstance(happened, DeadlinePassed) and not late and resumes:
            # Whoever is given up after another turn has ended was due before.
            late = [] if self.turn else [name for name in self._interrupts if name in self._observed]
            self._over |= set(late)
        return {name: Answer(interrupt_id=name, status="cancelled") for name in late}

    def _close_singly(self) -> None:
        for name, answer in self._singly.items():
            if self._interrupts.pop(name, None) is not None and name not in self._decided:
                self._settled.append(answer)
                self._decided.add(name)

    def _give_up(self, event: e.ToolReturned) -> None:
        """A question that was being asked once more is not asked any more, as the answer that asks it is stopped."""
        approval = self.tools.calls[event.call_id].approval
        name = "" if approval is None else approval.approval_id
        if event.error_code == "given_up" and self._interrupts.pop(name, None) is not None:
            self._decided.add(name)

    def _observe(self, asked: tuple[Interrupt, ...]) -> None:
        """Note what the person is asked to show, and until when."""
        for one in asked:
            if one.reason == "observation" and one.interrupt_id not in self._observed:
                modality = (one.metadata or {}).get("modality")
                assert modality in ("nfc", "photo") and modality in self._modalities, "only what the client can"
                assert one.expires_at is not None
                due = datetime.fromisoformat(one.expires_at)
                self._observed[one.interrupt_id] = (modality, round(due.timestamp() * 1000))

    def _kept(self) -> list[Message]:
        """What a lost run's tools have done: it stays done."""
        kept: list[Message] = []
        for message in self._said:
            calls = tuple(one for one in message.calls if one.runs_on == "server" and one.result != "the run was lost")
            if calls:
                kept.append(msgspec.structs.replace(message, calls=calls))
        return kept

    def _note(self, call_id: str, status: str) -> None:
        for place, message in enumerate(self._said):
            if any(one.call_id == call_id for one in message.calls):
                calls = tuple(after(one, status) if one.call_id == call_id else one for one in message.calls)
                self._said[place] = msgspec.structs.replace(message, calls=calls)

    def _check_outside(self, event: e.ToolMoved | e.ToolReturned) -> None:
        """A call's steps belong to the open turn, or else to its own."""
        if self.turn:
            assert (event.turn, event.request_id) == (self.turn, self.request_id), "the turn that it belongs to"
        else:
            assert 0 < event.turn <= self.last_turn, "the turn of the call"

    def _server_returned(self, event: e.ToolReturned, happened: AnyInput) -> None:
        call = self.tools.returned(event, happened)
        self._came.append(call)
        assert event.response_id == (self.response or call.response), "the open answer, or its own"
        assert event.earlier == (self.response != call.response), "of an answer that is over"
        for messages in (self._said if self.response == call.response else [], self._earlier, self._history):
            places = [
                place for place, one in enumerate(messages) if event.call_id in {known.call_id for known in one.calls}
            ]
            if places:
                calls = tuple(
                    msgspec.structs.replace(
                        known,
                        result=event.result,
                        is_error=event.is_error,
                        result_turn=self.turn if self.turn > call.turn else 0,
                        status=event.status or "",
                    )
                    if known.call_id == event.call_id
                    else known
                    for known in messages[places[-1]].calls
                )
                messages[places[-1]] = msgspec.structs.replace(messages[places[-1]], calls=calls)
                return

    def _response_ends(self, response_id: str, figures: Figures | None, happened: AnyInput) -> None:
        assert response_id == self.response, "the end of another response"
        self._running = False
        if not self._again:
            self.tools.left()
        self.response, self._closing = "", figures
        if self._made_at is not None:
            # Figures are of the making, and not of the hearing.
            at_ms, happened = self._made_at
            if figures is not None:
                self._measured(figures, happened, at_ms=at_ms)
            return
        if figures is not None:
            self._measured(figures, happened, at_ms=self.at_ms)

    def _measured(self, figures: Figures, happened: AnyInput, *, at_ms: int) -> None:
        told = happened.total_tokens if isinstance(happened, AgentFinished) else None
        if told is None and isinstance(happened, AgentFinished | AgentAsked | AgentCancelled):
            written = [one.output_tokens for one in happened.usage if one.output_tokens is not None]
            told = sum(written) if written else None
        first_ms = self._first_ms
        assert figures.duration_ms == at_ms - self._started_ms, "the duration"
        assert figures.ttft_ms == (None if first_ms is None else first_ms - self._started_ms), "the first text"
        # Of several runs they are summed up; the unit tests say how.
        assert self._no_tokens or figures.total_tokens == (len(self._pieces) if told is None else told), "the tokens"
        assert figures.tps >= 0, "the speed"

    def _turn_ends(self, event: e.TurnEnded) -> None:
        assert (event.turn, event.request_id) == (self.turn, self.request_id), "the end of another turn"
        assert not self.response, "a turn ends after its response"
        assert event.response_id == self._last_response, "the turn's last response"
        if self.voice.held:
            self._closing = self._held
        assert (event.outcome == "failed") == self._failed and not self._retrying, "the outcome"
        assert event.text == self._open_said.text, "what was said"
        assert (event.outcome == "passed") == self._passed
        cut = self.voice.cut_at if event.outcome not in ("completed", "asked", "passed") else self._asked_cut
        assert event.answer == "".join(self._pieces)[:cut], "what was delivered, or heard"
        assert event.heard == cut, "how much was heard"
        self.voice.latency(event.latency, event.response_id)
        if self._closing is not None:
            assert event.figures == self._closing, "the same figures on both"
        self._asking = event.outcome == "asked"
        assert not self._asking or self._interrupts or self._singly, "who asks leaves something open"
        kept_open = self._asking or self._resumed or self._passed
        assert kept_open or not self._interrupts, "who does not ask leaves nothing open"
        self._remember(interrupted=event.outcome not in ("completed", "asked"), cut=cut)
        self._earlier = []
        called = {one.call_id for message in self._said for one in message.calls}
        open_calls = self._waiting if event.outcome in ("completed", "asked") else set[str]()
        kept = self._own_calls | self._carried if event.outcome == "asked" else set[str]()
        if self._author or self._passed:
            # Nobody has answered the agent.
            kept = self._carried
        self._done_calls |= (called | self._carried) - open_calls - kept
        self._done_calls -= self._kept_waiting
        self._waiting, self._carried, self._own_calls = open_calls | self._kept_waiting, kept, set()
        self._kept_waiting = set()
        self.turn, self.request_id, self._closing, self._failed = 0, "", None, False
        self.voice.spoken = self.voice.timed = self.voice.made = self.voice.held = False
        self._passed, self._author = False, ""
        self.turns_ended += 1

    def _remember(self, *, interrupted: bool, cut: int | None) -> None:
        turn, said = self.turn, self._open_said
        assert not self._results, "results that were not shown"
        only_results = bool(said.tool_results) and not (spoken(said) or self._answers)
        if not (only_results or self._resumed):
            name = said.message_id or self.request_id
            user = Message(role="user", text=spoken(said), turn=turn, message_id=name, answers=self._answers)
            self._history.append(user)
        asked = self._asked_now if self._asking else ()
        self._history += self._earlier
        if cut is not None:
            self._said = _heard_of(self._said, cut)
        heard = [one for one in self._said if one.text.strip() or one.calls]
        if asked and not heard:
            heard = self._said[-1:] or [_part(self._next_message_id(), turn)]
        if heard:
            heard[-1] = msgspec.structs.replace(heard[-1], interrupted=interrupted, interrupts=asked)
        self._history += heard

    def _run_begins(self, request: AgentRequest) -> None:
        """Judge what the agent is asked."""
        assert request.response_id == self.response and not self._running, "one run at a time, of the open answer"
        assert not self.tools.waits, "what is carried out comes first"
        self._running, self._legs = True, self._legs + 1
        self._heard_ms = self.at_ms
        assert (request.turn, request.leg) == (self.turn, self._legs), "the run of another turn"
        assert request.resume == self._answers, "what became of the interrupts"
        assert [one.interrupt_id for one in request.interrupts] == [one.interrupt_id for one in self._answers], (
            "the interrupts that were answered"
        )
        told, so_far = self._told()
        assert request.history[-4:] == tuple(told[-4:]), "what the agent is told"
        assert len(request.history) == len(told)
        assert list(request.so_far) == so_far, "what it has said and done of this"
        assert bool(request.resumed) == (self._resumed or self._continued)

    def _orders(self, stepped: Stepped, happened: AnyInput, started: list[str], cut: list[str], *, stuck: bool) -> None:
        """One run for each response that began; a run is stopped where its response is cut short or stuck."""
        runs: list[str] = []
        stops: list[str] = []
        for effect in stepped.effects:
            match effect:
                case RunAgent(request=request) | ReleaseAnswer(request=request):
                    runs.append(request.response_id)
                    self._run_begins(request)
                case StopAgent(response_id=response_id):
                    stops.append(response_id)
                case RunTool() | StopTool() | PlaceHandoff() | CloseHandoff():
                    pass
                case _:
                    assert isinstance(effect, get_args(VoiceEffect))
        for name in started:
            waits = name != self.response or self.tools.waits or self.voice.made
            assert name in runs or waits, "each response has a run, unless it waits for what is carried out"
        due = [self._stuck] if stuck else cut
        if isinstance(happened, AgentRequested) and happened.waits and not self._failing:
            # The run waits for somebody who has to let a tool run: it is over.
            over = bool(self._kinds & {e.ResponseEnded, e.LegEnded, e.AnswerCompleted})
            due = stops if over else due
            # What its own tools have done it cannot tell any more.
            self._stopped_within = self._stopped_within or over
        assert stops == due, "one stop for each response that is cut short"
        idle = self.response and not self._running and not self.voice.held and not self.voice.made
        assert not idle or self.tools.waits, "an answer without a run waits for something"
        self.voice.orders(stepped.effects, cut=self._cut)

    def _told(self) -> tuple[list[Message], list[Message]]:
        """What came before the turn, as far as it is remembered; and what the turn has said and done so far."""
        known = self._history[-limits.HISTORY_MESSAGES :]
        before, so_far = known, list[Message]()
        if self._resumed or self._continued:
            before = [one for one in known if one.turn < self._since]
            so_far = [one for one in known if one.turn >= self._since and one.role == "assistant"]
        so_far += self._earlier
        said = [one for one in self._said if one.text.strip() or one.calls]
        return before, so_far + (said if self._legs > 1 else [])


def _same(first: UserTurn, said: UserTurn) -> bool:
    return (first.text, first.attachments, first.observation, first.resume, first.tool_results) == (
        said.text,
        said.attachments,
        said.observation,
        said.resume,
        said.tool_results,
    )


def _heard_of(said: list[Message], cut: int) -> list[Message]:
    """What was heard of an answer's parts."""
    heard: list[Message] = []
    for one in said:
        heard.append(msgspec.structs.replace(one, text=one.text[:cut]))
        cut = max(0, cut - len(one.text))
    return heard


def _part(message_id: str, turn: int, *, author: str = "") -> Message:
    return Message(role="assistant", text="", turn=turn, message_id=message_id, author=author)


def _code(reply: Reply) -> Code | None:
    match reply:
        case Rejected(problem=problem):
            return problem.code
        case Accepted() | Repeated() | Ignored():
            return None
        case _:
            assert_never(reply)
