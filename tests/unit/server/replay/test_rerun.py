"""A recorded session, run again as it was, has the same bytes; with another agent, its turns are put side by side."""

import pytest
from tests.unit.server.replay.recordings import Script, Stage, Various, cut_by_a_crash, everything, long, quiet, record

from duologue.model.content import Answer
from duologue.model.inputs import UserTurn
from duologue.server.replay import law, suite
from duologue.server.replay.recorded import Recorded, read
from duologue.server.replay.suite import Replayed

SCRIPTS: dict[str, tuple[Script, int]] = {
    "everything": (everything, 0),
    "cut by a crash": (cut_by_a_crash, 0),
    "trimmed": (long, 20),
}


def recorded(name: str) -> Recorded:
    script, retain_events = SCRIPTS[name]
    return read(name, record(script, retain_events=retain_events))


def ran(session: Recorded, *, agent: Various | None = None) -> Replayed:
    make = None if agent is None else lambda: agent
    return suite.run(session, make_agent=make, agent=agent.name if agent else "", log=quiet)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_law_holds(name: str) -> None:
    verdict = law.verify(recorded(name))
    assert verdict.holds, verdict.breach
    assert verdict.events > 10


@pytest.mark.parametrize("name", SCRIPTS)
def test_run_again_as_it_was_the_journal_has_the_same_bytes(name: str) -> None:
    done = ran(recorded(name))
    assert done.stopped == ""
    assert done.same_bytes is True
    assert done.different == 0
    assert not done.failed
    assert done.turns


def test_the_same_agent_in_virtual_time_says_the_same_at_the_same_times() -> None:
    session = recorded("everything")
    done = ran(session, agent=Various())
    assert [result.pair.differences for result in done.turns] == [()] * len(done.turns)
    for result in done.turns:
        assert result.pair.now == result.pair.recorded


def test_another_agent_shows_what_differs_turn_by_turn() -> None:
    done = ran(recorded("trimmed"), agent=Various("better", better=True, pace_s=1.5))
    assert done.agent == "better"
    assert done.recorded_agent == "various"
    assert done.different == len(done.turns) > 0
    for result in done.turns:
        (difference,) = result.pair.differences
        assert (difference.what, difference.now) == ("text", difference.recorded + "!")
        now, then = result.pair.now, result.pair.recorded
        assert now is not None
        assert then is not None
        assert (then.ttft_ms, now.ttft_ms, now.duration_ms) == (20, 1_500, 3_000)


def test_what_a_person_did_in_the_middle_comes_in_the_middle() -> None:
    done = ran(recorded("everything"), agent=Various(pace_s=0.5))
    by_text = {result.pair.now.asked: result.pair.now for result in done.turns if result.pair.now is not None}
    assert by_text["slow"].outcome == "interrupted"
    assert by_text["instead"].outcome == "completed"
    outcomes = [result.pair.now.outcome for result in done.turns if result.pair.now and result.pair.now.asked == "slow"]
    assert outcomes == ["cancelled", "interrupted"]


def test_a_crash_is_not_played_to_another_agent() -> None:
    done = ran(recorded("cut by a crash"), agent=Various())
    pair = done.turns[-1].pair
    assert pair.recorded is not None
    assert pair.now is not None
    assert (pair.recorded.attempts, pair.now.attempts) == (2, 1)
    assert pair.differences == ()


async def asked_and_answered(stage: Stage) -> None:
    await stage.say("ask")
    await stage.session.submit(UserTurn(text="", resume=(Answer(interrupt_id="i-1", status="resolved"),)))
    await stage.over()
    await stage.say("after")


def test_an_answer_to_what_another_agent_has_not_asked_is_no_turn() -> None:
    session = read("x", record(asked_and_answered))
    assert ran(session).same_bytes
    done = ran(session, agent=Various("polite", asks=False))
    assert [result.pair.now is None for result in done.turns] == [False, True, False]
    assert done.turns[1].pair.differences[0].now == "no such turn"
    assert done.turns[2].pair.differences == ()


def test_a_tampered_journal_is_noticed_with_its_event() -> None:
    session = recorded("everything")
    place = next(number for number, line in enumerate(session.lines) if b'"You said "' in line)
    lines = list(session.lines)
    lines[place] = lines[place].replace(b'"You said "', b'"You sand "', 1)
    changed = Recorded(name="x", header=session.header, lines=tuple(lines), blobs=session.blobs)
    verdict = law.verify(changed)
    assert verdict.breach is not None
    assert "You said" in verdict.breach.stored
    assert "You sand" in verdict.breach.stepped
    done = ran(changed)
    assert done.failed
    assert done.stopped


def test_the_law_is_about_contents_and_not_only_numbers() -> None:
    """The loader's own check counts events; this one reads them."""
    session = recorded("trimmed")
    lines = list(session.lines)
    lines[-1] = lines[-1].replace(b'"completed"', b'"cancelled"')
    assert lines[-1] != session.lines[-1]
    changed = Recorded(name="x", header=session.header, lines=tuple(lines))
    assert not law.verify(changed).holds
