"""Counting what is stored and what is answered, and telling how the runs of each tier go."""

from typing import Final

from duologue.model.errors import Code
from duologue.model.events import AnyEvent, ResponseEnded, ResponseFailed, ResponseStarted, TurnAccepted, TurnEnded
from duologue.model.replies import Rejected, Repeated, Reply
from duologue.runtime.agents import Agents
from duologue.runtime.arrivals import Arrivals
from duologue.runtime.figures import Figures, count, count_tokens
from duologue.runtime.loading import Loading
from duologue.runtime.session import LiveSession

_MODEL_FAILED: Final = frozenset({Code.AGENT_FAILED, Code.AGENT_TRUNCATED, Code.AGENT_SILENT, Code.AGENT_EMPTY})
"""Failures after which a tier's model may not be there."""


class Counting:
    """Hears of durable events and of replies.

    Attributes:
        loading: told how the runs of each tier go, where somebody watches.
    """

    def __init__(self, figures: Figures, *, agents: Agents) -> None:
        self._figures, self._agents, self._arrivals = figures, agents, Arrivals()
        self._answering: dict[str, str] = {}
        self.loading: Loading | None = None

    def stored(self, session: LiveSession, events: tuple[AnyEvent, ...]) -> None:
        """Count durable events of a session."""
        figures = self._figures
        figures.events += session.stored_seq - session.counted_seq
        session.counted_seq = session.stored_seq
        for event in events:
            match event:
                case TurnAccepted(turn=turn, protocol=protocol):
                    self._arrivals.accepted(session.state.session_id, turn, protocol)
                case ResponseStarted(agent=name, tier=tier) if self._agents.others:
                    answering = self._agents.find(name, tier=tier)
                    self._answering[session.state.session_id] = self._agents.label(answering)
                case TurnEnded():
                    self._ended(session.state.session_id, event)
                case ResponseEnded(tier=tier) if self.loading is not None and not session.state.agent_name:
                    self.loading.ran(tier, well=True)
                case ResponseFailed(code=code, tier=tier):
                    count(figures.failures, code)
                    if self.loading is not None and tier is not None and code in _MODEL_FAILED:
                        self.loading.ran(tier, well=False)
                case _:
                    pass

    def _ended(self, session_id: str, event: TurnEnded) -> None:
        count(self._figures.turns, event.outcome)
        count_tokens(self._figures.tokens, event.figures.usage)
        self._figures.measure(
            self._answering.pop(session_id, self._agents.first.name),
            self._arrivals.ended(session_id, event.turn),
            duration_ms=event.figures.duration_ms,
            ttft_ms=event.figures.ttft_ms,
        )

    def told(self, reply: Reply) -> Reply:
        """Count a reply, and give it back."""
        match reply:
            case Rejected(problem=problem):
                count(self._figures.refusals, problem.code)
            case Repeated():
                self._figures.repeats += 1
            case _:
                pass
        return reply

    def forget(self, session_id: str) -> None:
        """Forget what is known of a session's open turn."""
        self._arrivals.forget(session_id)
        self._answering.pop(session_id, None)
