"""Running recordings again and judging them: one, or a folder of them."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from duologue.model.base import Value
from duologue.ports.agent import Agent
from duologue.runtime.events_log import EventLog
from duologue.server.replay import law, turns
from duologue.server.replay.law import Verdict
from duologue.server.replay.recorded import Recorded, UnreadableError, read
from duologue.server.replay.rerun import Player, RerunError
from duologue.server.replay.rules import SUITE_FILE, Judges, Rules, failures, read_rules
from duologue.server.replay.turns import Pair


class TurnResult(Value, kw_only=True):
    """A turn, and which rules it fails."""

    pair: Pair
    failures: tuple[str, ...] = ()


class Replayed(Value, kw_only=True):
    """What came of one recording.

    Attributes:
        agent: who answered; empty where the recorded agent's words were said again.
        recorded_agent: who answered then.
        law: whether the recorded inputs give the recorded events.
        same_bytes: run again as it was, the journal has the same events, byte for byte; `None` where it was run
            otherwise.
        stopped: why it could not be run again; empty where it could.
        judged: its rules decide whether it passes.
    """

    name: str
    session_id: str
    agent: str
    recorded_agent: str
    law: Verdict
    same_bytes: bool | None = None
    stopped: str = ""
    turns: tuple[TurnResult, ...] = ()
    judged: bool = False

    @property
    def different(self) -> int:
        """How many turns differ."""
        return sum(bool(turn.pair.differences) for turn in self.turns)

    @property
    def failed(self) -> bool:
        """Whether something has to be looked at: the law, a rule, or a recording that does not run as it was."""
        if not self.law.holds or self.stopped or self.same_bytes is False:
            return True
        return self.judged and any(turn.failures for turn in self.turns)


class Work(Value, kw_only=True):
    """One recording to be run again, and its rules."""

    recorded: Recorded
    rules: Rules
    folder: Path


MakeAgent = Callable[[], Agent]


def gather(folder: Path) -> list[Work]:
    """Read the exports of a folder, each with its rules: those of the folder, and those beside it.

    Raises:
        UnreadableError: there is none, or one is no export.
        RulesError: rules are wrong.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise UnreadableError(f"{folder}: holds no exported session (*.jsonl)")
    return [one_file(file, rules=None, suite=True) for file in files]


def one_file(file: Path, *, rules: Path | None, suite: bool = False) -> Work:
    """Read an export, with the rules that are named, or else those beside it.

    Raises:
        UnreadableError: it is no export.
        RulesError: its rules are wrong, or not there.
    """
    try:
        recorded = read(str(file), file.read_bytes())
    except OSError as error:
        raise UnreadableError(f"{file}: {error.strerror or error}") from error
    beside = [file.with_suffix(".toml")] if rules is None else [rules]
    if suite:
        beside.insert(0, file.parent / SUITE_FILE)
    return Work(recorded=recorded, rules=read_rules(beside), folder=file.parent)


def verified(recorded: Recorded) -> Replayed:
    """Look at the law alone."""
    return Replayed(
        name=recorded.name,
        session_id=recorded.session_id,
        agent="",
        recorded_agent=recorded.header.info.mark.agent,
        law=law.verify(recorded),
    )


async def judged(work: Work, done: Replayed, *, judges: Judges, always: bool) -> Replayed:
    """Hold a recording's turns against its rules; without any, only where they are `always` to be the same."""
    if not (work.rules.given or always):
        return done
    results = [
        msgspec.structs.replace(
            result, failures=tuple(await failures(result.pair, work.rules.of(result.pair.turn), judges))
        )
        for result in done.turns
    ]
    return msgspec.structs.replace(done, turns=tuple(results), judged=True)


def run(recorded: Recorded, *, make_agent: MakeAgent | None, agent: str, log: EventLog) -> Replayed:
    """Look at the law, then run the session again, and put its turns beside the recorded ones.

    Args:
        make_agent: makes the agent that answers; `None` says the recorded agent's words again.
        agent: its name for people; empty for the recorded one.
    Raises:
        SettingsError: the agent is not there.
    """
    done = msgspec.structs.replace(verified(recorded), agent=agent)
    if not done.law.holds and make_agent is None:
        return msgspec.structs.replace(done, stopped="the recorded inputs do not give the recorded events")
    if not done.law.records and done.law.holds:
        return msgspec.structs.replace(done, stopped="retention has removed what could be run again")
    then = [event for _, record in recorded.steps() for event in record.events]
    try:
        now = Player(recorded, make_agent=make_agent, log=log).play()
    except RerunError as error:
        return msgspec.structs.replace(done, stopped=str(error))
    pairs = turns.compare(turns.turns(then), turns.turns(now.events), now.became)
    return msgspec.structs.replace(
        done,
        same_bytes=None
        if make_agent is not None
        else law.again_the_same((line for line, _ in recorded.steps()), now.lines),
        turns=tuple(TurnResult(pair=pair) for pair in pairs),
    )
