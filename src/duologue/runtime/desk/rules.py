"""What is set of the desk: queues, rules and operators, as values."""

from typing import Final

from duologue.model import limits
from duologue.model.base import Value
from duologue.runtime.desk.hours import Hours

ALWAYS = Hours()

SUPERVISORS: Final = "supervisors"
"""The queue of questions to supervisors; no queue of the settings is meant by it."""

ELSEWHERE: Final = "desk:"
"""Begins the id of an operator of another desk: it is no id of ours."""


class Queue(Value, kw_only=True):
    """Where conversations wait.

    Attributes:
        skills: what who takes one of it has to be able to do.
        hours: when somebody is there.
    """

    name: str
    skills: tuple[str, ...] = ()
    hours: Hours = ALWAYS


class Rule(Value, kw_only=True):
    """Where what fits goes. What is left empty fits everything; of the others each has to.

    Attributes:
        queue: it goes into this one; or
        agent: to this agent of the settings, where another agent is asked for.
        skills: that it takes besides the queue's.
        priority: added to its own.
        transfers: kinds of transfers.
        languages: BCP 47 tags; `pt` fits `pt-BR`.
        agents: who had the conversation.
        asked_skills: one of these is asked for.
        signals: one of these intents or sentiments was last estimated, at least at `above`.
        words: one of these stands in the reason or in what the person said last.
        causes: who asked.
    """

    name: str
    queue: str = ""
    agent: str = ""
    skills: tuple[str, ...] = ()
    priority: int = 0
    transfers: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    asked_skills: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    above: float = 0.5
    words: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()


class Card(Value, kw_only=True):
    """What is known of an operator.

    Attributes:
        operator_id: as authenticated.
        name: what customers see.
        skills: `None` for all.
        at_most: conversations at once.
        supervises: may answer operators' questions, and take what is meant for others.
    """

    operator_id: str
    name: str
    skills: frozenset[str] | None = None
    at_most: int = limits.HANDOFFS_PER_OPERATOR
    supervises: bool = False

    def able(self, skills: tuple[str, ...]) -> bool:
        """Whether they can do all of it."""
        return self.skills is None or self.skills.issuperset(skills)


class DeskRules(Value, kw_only=True):
    """All of it.

    Attributes:
        queues: at least one; the first is where goes what no rule sends elsewhere.
        rules: the first that fits decides.
        agents: the names of all agents that answer here, the usual one first.
        wait_ms: how long one waits in a queue before it is given up.
        connect_ms: how long an operator may read before they take it.
        away_ms: how long somebody who waits may have no connection; 0: for ever.
        operator_away_ms: how long an operator who has a conversation may be gone before it is passed on; 0: for ever.
        elsewhere: another desk tells places; ours does not.
    """

    queues: tuple[Queue, ...] = (Queue(name="default"),)
    rules: tuple[Rule, ...] = ()
    agents: tuple[str, ...] = ()
    wait_ms: int = limits.HANDOFF_WAIT_MS
    connect_ms: int = limits.HANDOFF_CONNECT_MS
    away_ms: int = limits.HANDOFF_AWAY_MS
    operator_away_ms: int = limits.HANDOFF_OPERATOR_AWAY_MS
    elsewhere: bool = False
