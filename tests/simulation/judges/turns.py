"""Turns: how they begin, go on and end; each ends once, each time that it goes on."""

import msgspec
from tests.simulation.judges.known import Known
from tests.simulation.judges.questions import judge_answers
from tests.simulation.judges.remembering import remember

from duologue.model import events as e
from duologue.model.inputs import (
    AnyInput,
    DeadlinePassed,
    UserTurn,
)


def turn_begins(known: Known, event: e.TurnAccepted, happened: AnyInput) -> None:
    """Judge a turn that was taken, and what it decides."""
    assert not known.turn, "two open turns"
    assert event.turn > known.last_turn, "turns rise"
    if not isinstance(happened, UserTurn):
        assert known.voice.call_id and event.source == "voice", "a turn out of nothing"
        if event.text != known.voice.rules.nudge or not isinstance(happened, DeadlinePassed):
            known.voice.take_text(event.text)
        happened = known.news = UserTurn(text=event.text, turn=event.turn, source="voice")
    measured = happened.speech is not None and happened.speech.stt_ms is not None
    assert known.recognised == measured, "what was recognised is told"
    known.recognised = False
    known.voice.turn_begins()
    known.client_plays = known.before == "transcribing" and event.source == "voice" and not known.voice.call_id
    known.made_at = known.held_figures = None
    assert known.news is not None
    said = known.news
    assert event.text == said.text, "another's words"
    open_still = judge_answers(known, event, happened)
    refused = {one.interrupt_id for one in event.answers if one.status == "cancelled"}
    refused_calls = {one.tool_call_id for name, one in known.interrupts.items() if name in refused}
    known.harmless = not (known.carried & known.risky) - refused_calls
    if not open_still:
        known.decided |= set(known.interrupts)
        known.interrupts = {}
    # What stays open is told with the rest, and what is decided while a person has the conversation afterwards.
    if not open_still:
        known.settled_answers = list(event.answers) if known.desk.holder else []
    known.answers, known.earlier = event.answers, []
    known.results = {one.call_id: one for one in reversed(happened.tool_results) if one.call_id in known.waiting}
    known.result_ids = {name: one.message_id for name, one in known.results.items()}
    if known.desk.holder:
        # What the agent waits for stays open while nobody runs it.
        known.kept_waiting = known.waiting - set(known.results)
    known.done_calls |= known.waiting - known.kept_waiting
    known.waiting = set()
    known.resumed = False
    place = len(known.taken)
    known.turn, known.request_id, known.last_turn = event.turn, event.request_id, event.turn
    known.last_request = event.request_id
    known.taken.append((event.turn, event.seq, happened))
    known.open_said = said
    known.by_number[event.turn], known.attempt = place, 0
    if (key := happened.idempotency_key or happened.request_id) is not None:
        known.by_key[key] = place


def turn_resumes(known: Known, event: e.TurnResumed) -> None:
    """The last turn goes on: nobody has said anything, and nothing that is open is decided by it."""
    assert not known.turn, "two open turns"
    assert event.turn == known.last_turn, "the last turn goes on, and no other"
    if not event.author:
        known.tools.taken_up(event.turn)
    known.turn, known.request_id = event.turn, known.last_request
    known.turns_resumed += 1
    known.earlier = []
    known.author = event.author
    if not event.author:
        known.answers = tuple(known.settled_answers)
        known.settled_answers = []
    known.kept_waiting = known.waiting
    known.resumed, known.attempt, known.client_plays = True, 0, False
    known.made_at = known.held_figures = None
    known.harmless = not known.carried & known.risky
    known.voice.turn_begins()


def turn_ends(known: Known, event: e.TurnEnded) -> None:
    """Judge the end of a turn, and what it leaves open."""
    assert (event.turn, event.request_id) == (known.turn, known.request_id), "the end of another turn"
    assert not known.response, "a turn ends after its response"
    assert event.response_id == known.last_response, "the turn's last response"
    if known.voice.held:
        known.closing = known.held_figures
    assert (event.outcome == "failed") == known.failed and not known.retrying, "the outcome"
    assert event.text == known.open_said.text, "what was said"
    assert (event.outcome == "passed") == known.passed
    cut = known.voice.cut_at if event.outcome not in ("completed", "asked", "passed") else known.asked_cut
    assert event.answer == "".join(known.pieces)[:cut], "what was delivered, or heard"
    assert event.heard == cut, "how much was heard"
    known.voice.latency(event.latency, event.response_id)
    if known.closing is not None:
        assert event.figures == known.closing, "the same figures on both"
    known.asking = event.outcome == "asked"
    assert not known.asking or known.interrupts or known.singly, "who asks leaves something open"
    kept_open = known.asking or known.resumed or known.passed
    assert kept_open or not known.interrupts, "who does not ask leaves nothing open"
    remember(known, interrupted=event.outcome not in ("completed", "asked"), cut=cut)
    known.earlier = []
    called = {one.call_id for message in known.parts for one in message.calls}
    open_calls = known.waiting if event.outcome in ("completed", "asked") else set[str]()
    kept = known.own_calls | known.carried if event.outcome == "asked" else set[str]()
    if known.author or known.passed:
        # Nobody has answered the agent.
        kept = known.carried
    known.done_calls |= (called | known.carried) - open_calls - kept
    known.done_calls -= known.kept_waiting
    known.waiting, known.carried, known.own_calls = open_calls | known.kept_waiting, kept, set()
    known.kept_waiting = set()
    known.turn, known.request_id, known.closing, known.failed = 0, "", None, False
    known.voice.spoken = known.voice.timed = known.voice.made = known.voice.held = False
    known.passed, known.author = False, ""
    known.turns_ended += 1


def recognised_elsewhere(known: Known, event: e.Transcribed, said: UserTurn) -> None:
    """A client's own recogniser has come to an end, and the turn that follows says the same."""
    assert not (known.turn or known.recognised), "a transcript is told once, before its turn"
    assert said.speech is not None and said.speech.stt_ms is not None, "nobody measured that"
    assert (event.call_id, event.segment, event.final) == ("", 0, True), "it is of no call"
    assert (event.text, event.so_far) == (said.text, said.text), "other words than were said"
    measured = (said.speech.stt_ms, said.speech.confidence, said.language)
    assert (event.stt_ms, event.confidence, event.language) == measured, "as it was measured"
    known.recognised = True


def turn_grows(known: Known, event: e.TurnExtended) -> None:
    """Judge that the person has said more before the answer began."""
    assert known.voice.held, "only a turn that waits grows"
    known.voice.take_text(event.text, before=known.open_said.text)
    known.open_said = msgspec.structs.replace(known.open_said, text=event.text)
