"""Escalation: when a person is to go on, by rules that are data."""

from collections.abc import Sequence

from duologue.engine import handoff
from duologue.engine.progress import Progress
from duologue.engine.signals_state import Signals, Standing
from duologue.engine.state import SessionState
from duologue.model.handoff import HandOff, HandoffRequested
from duologue.model.replies import Accepted
from duologue.model.signals import EscalationRule, Sentiment, Signal


def ask(step: Progress, kept: Signals, rules: Sequence[EscalationRule]) -> None:
    """Ask for a handoff where a rule says so: the first one that does, since one handoff is enough."""
    for rule in rules:
        turns = due(step.state, kept, rule)
        if turns is None:
            continue
        asked = HandOff(
            reason=f"{rule.name}: {rule.signal} in {len(turns)} of the latest {rule.within} turns",
            target=rule.queue,
            skills=rule.skills,
            priority=rule.priority,
        )
        reply = handoff.take(step, HandoffRequested(cause="rule", by=rule.name, asked=asked))
        # Where a handoff is on its way already, the rule has its say once that is over.
        if isinstance(reply, Accepted):
            kept.escalated[rule.name] = step.state.turns
            return


def due(state: SessionState, kept: Signals, rule: EscalationRule) -> tuple[int, ...] | None:
    """The turns for which a rule asks for a handoff; `None` where it does not."""
    since = kept.escalated.get(rule.name)
    count = min(rule.within, len(state.marks))
    if since is not None:
        after = state.turns - since
        if after <= rule.cooldown_turns:
            return None
        count = min(count, after)
    latest = {mark.number for mark in state.marks[len(state.marks) - count :]}
    turns = {one.of_turn for one in kept.standing if one.of_turn in latest and _meant(one, rule)}
    return tuple(sorted(turns)) if len(turns) >= rule.turns else None


def _meant(one: Standing, rule: EscalationRule) -> bool:
    signal = one.signal
    if one.scope == "session" or signal.score < rule.above or signal.confidence < rule.confidence:
        return False
    return _name(signal) == rule.signal


def _name(signal: Signal) -> str:
    return signal.category if isinstance(signal, Sentiment) else signal.intent
