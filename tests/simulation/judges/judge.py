"""What must hold of every step of the engine, kept apart from the engine's own way of keeping it."""

from typing import Final, assert_never, get_args

from tests.simulation.judges.known import Known
from tests.simulation.judges.moves import LEGAL
from tests.simulation.judges.orders import due_ms, judge_orders
from tests.simulation.judges.questions import close_singly, closed_singly
from tests.simulation.judges.replies import judge_reply, without_known_words
from tests.simulation.judges.responses import leg_ends, response_begins, response_ends, response_fails, response_is_made
from tests.simulation.judges.results import called, returned, server_returned, tool_moved
from tests.simulation.judges.texts import text_begins, text_ends, text_goes_on
from tests.simulation.judges.turns import recognised_elsewhere, turn_begins, turn_ends, turn_grows, turn_resumes

from duologue.engine import machine
from duologue.engine.step import Stepped
from duologue.model import events as e
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
    CancelRequested,
    CapabilitiesDeclared,
    DeadlinePassed,
    ObservationAsked,
    ServerRestarted,
    SessionOpened,
    ToolReported,
    UserTurn,
    VoiceTriggered,
)
from duologue.model.replies import Accepted

AGENT_INPUTS: Final[tuple[type[AgentInput], ...]] = get_args(AgentInput)


class Judge(Known):
    """Follows a session from its first step, and fails at the first step that breaks a promise."""

    def take(self, happened: AnyInput, stepped: Stepped, *, now_ms: int | None = None) -> None:
        """Judge one step."""
        now_ms = max(self.at_ms, stepped.events[0].at_ms if stepped.events else (now_ms or 0))
        self.tools.before(happened, stepped, ended=self.ended, subject=self.subject, now_ms=now_ms)
        match happened:
            case AgentSpoke() | AgentCited() | AgentSuggested() | AgentShowed() | AgentNoted():
                self._from_agent(happened, stepped)
            case AgentFinished() | AgentFailed() | AgentAsked() | AgentCancelled() | AgentHandedOff():
                self._from_agent(happened, stepped)
            case AgentCalled() | AgentReturned() | AgentRequested() | ObservationAsked():
                self._from_agent(happened, stepped)
            case UserTurn():
                judge_reply(self, happened, stepped.reply, now_ms)
            case CancelRequested() if self.voice.call_id:
                assert bool(stepped.events) or not self.turn or happened.response_id, "what runs can be stopped"
            case CancelRequested(response_id=response_id):
                meant = not (self.ended or (response_id is None and self.state == "idle"))
                meant = meant and response_id in (None, self.response)
                assert bool(stepped.events) == meant, "a cancel is taken where there is what it means"
            case CapabilitiesDeclared(modalities=modalities):
                meant = not self.ended and self.modalities != frozenset(modalities)
                assert bool(stepped.events) == meant, "a declaration is taken where it changes something"
            case VoiceTriggered(trigger="tts_complete" | "auto_resume") if self.turn:
                assert not stepped.events, "nothing is played to its end before it is whole"
            case SessionOpened():
                self.silence_ms, self.response_ms = happened.silence_ms, happened.response_ms
                self.subject = happened.subject
            case _:
                pass
        if not stepped.events:
            assert not stepped.effects, "effects without an event"
            assert not isinstance(stepped.reply, Accepted), "accepted without an event"
            return
        assert isinstance(stepped.reply, Accepted), "events without being accepted"
        # As of before the turn that it may interrupt, which is not told while it is open.
        self.news = without_known_words(self, happened) if isinstance(happened, UserTurn) else None
        self.started, self.stopped, self.came = [], [], []
        self.desk.take(happened, stepped)
        self.kinds = {type(event) for event in stepped.events}
        self.failing, self.cut_now, self.voided = False, [], ""
        self.singly = closed_singly(self, happened, stepped)
        close_singly(self)
        for event in stepped.events:
            self._follow(event, happened)
        if self.response and (self.started or isinstance(happened, AGENT_INPUTS)):
            self.heard_ms = self.at_ms
        if isinstance(happened, ToolReported | DeadlinePassed | ServerRestarted) and self.response:
            # What was waited for within the run is there.
            waited = any(one.within and one.awaited and one.response == self.response for one in self.came)
            self.heard_ms = self.at_ms if waited else self.heard_ms
        # A run that says what cannot be is stopped, like one that is stuck.
        amiss = isinstance(happened, AgentCalled | AgentReturned | AgentRequested)
        amiss = (amiss or isinstance(happened, DeadlinePassed)) and self.failing
        judge_orders(self, stepped, happened, stuck=amiss)
        self.tools.orders(stepped)

    @property
    def due_ms(self) -> int | None:
        """When something comes to its end by itself; `None` where nothing does."""
        return due_ms(self)

    def settled(self) -> None:
        """Judge the end: every turn that was taken has ended, once each time that it went on."""
        assert self.turn == 0, f"turn {self.turn} never ended"
        # What was let run waits where the person is asked something else, and did not answer.
        waits = self.interrupts or self.desk.holder
        left = [one for one in self.tools.calls.values() if one.status != "approved" or not waits]
        assert not left, "no call is left in progress"
        assert self.turns_ended == len(self.taken) + self.turns_resumed, "each turn ends once"

    def _from_agent(self, item: AgentInput, stepped: Stepped) -> None:
        says_nothing = isinstance(item, AgentSpoke) and not item.text
        meant = item.response_id == self.response and not says_nothing and not self.voice.made and self.running
        assert bool(stepped.events) == meant, "what the open run says is taken, and nothing else"

    def _place(self, event: e.AnyEvent) -> None:
        """Judge an event's number, time and state."""
        assert not self.ended, "nothing follows the end of a session"
        self.seq += 1
        assert event.seq == self.seq, f"event {event.seq} where {self.seq} is due"
        assert event.at_ms >= self.at_ms, "time never falls"
        self.before = self.state
        step_taken = (type(event), self.before, event.state)
        assert step_taken in LEGAL, f"{step_taken} is no legal move"
        self.at_ms, self.state = event.at_ms, event.state

    def _follow(self, event: e.AnyEvent, happened: AnyInput) -> None:
        self._place(event)
        match event:
            case e.TextDelta():
                text_goes_on(self, event)
            case e.TextStarted():
                text_begins(self, event)
            case e.TextCompleted():
                text_ends(self, event, happened)
            case e.ToolCalled():
                called(self, event, happened)
            case e.ToolReturned() if event.runs_on == "server":
                server_returned(self, event, happened)
                return
            case e.ToolReturned():
                returned(self, event)
            case e.Cited() | e.Suggested() | e.Showed() | e.Noted():
                assert event.response_id == self.response, "an item outside of its response"
            case e.TurnAccepted():
                turn_begins(self, event, happened)
            case e.ResponseStarted():
                response_begins(self, event)
            case e.ResponseEnded():
                if response_ends(self, event, happened):
                    return
            case e.ResponseFailed():
                response_fails(self, event, happened)
            case e.TurnEnded():
                turn_ends(self, event)
                return
            case e.SessionEnded():
                assert not self.turn, "a session ends after its turn"
                self.ended = True
            case e.SessionStarted():
                assert event.seq == 1, "a session starts once, first"
            case e.StateChanged():
                assert machine.target(event.previous, event.trigger) == event.state, "a trigger's own move"
            case e.CapabilitiesChanged():
                self.modalities = frozenset(event.modalities)
            case e.TurnExtended():
                turn_grows(self, event)
            case e.Transcribed() if isinstance(happened, UserTurn):
                recognised_elsewhere(self, event, happened)
            case e.VoiceEvent():
                self.voice.follow(event, happened, response=self.response, pieces=self.pieces)
                if isinstance(event, e.AnswerCompleted):
                    response_is_made(self, event, happened)
            case e.TurnResumed():
                turn_resumes(self, event)
            case e.ToolMoved():
                tool_moved(self, event, happened)
                return
            case e.LegEnded():
                leg_ends(self, event)
            case e.ActingEvent():
                pass
            case e.HistoryTrimmed():
                raise AssertionError("the engine makes no such event")
            case _:
                assert_never(event)
        assert (event.turn, event.request_id) == (self.turn, self.request_id), "the turn that it belongs to"
