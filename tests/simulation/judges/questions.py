"""What the agent and its tools ask the person, and what becomes of each question."""

from datetime import datetime

from tests.simulation.judges.known import Known
from tests.simulation.judges.tools import by_words, meant

from duologue.engine.step import Stepped
from duologue.model import events as e
from duologue.model.content import (
    Answer,
    Interrupt,
)
from duologue.model.inputs import (
    AnyInput,
    ApprovalDecided,
    DeadlinePassed,
    UserTurn,
)


def is_stale(known: Known, asked: Interrupt, now_ms: int) -> bool:
    """Whether nobody can answer any more; of the agent's own the schedules know only times long past."""
    call = known.tools.approval_of(asked.interrupt_id)
    if call is not None:
        return now_ms >= call.due_ms
    if asked.interrupt_id in known.observed:
        return now_ms >= known.observed[asked.interrupt_id][1]
    return asked.expires_at is not None and asked.expires_at.startswith("2000")


def judge_answers(known: Known, event: e.TurnAccepted, said: UserTurn) -> bool:
    """Judge what became of each open interrupt; true where all of them stay open."""
    names = list(known.interrupts)
    passed = bool(known.desk.holder)
    approval = known.tools.approval_of(names[0]) if len(names) == 1 else None
    fresh = any(one.call_id in known.waiting for one in said.tool_results)
    plain = not (said.resume or said.attachments or said.observation or fresh)
    plain = plain and said.if_asked != "refuse" and said.interaction_id is None
    plain = plain and (approval is None or event.at_ms < approval.due_ms)
    verdict = by_words(said) if approval is not None and plain and not passed else None
    asked_only = (
        bool(names)
        and all(one.reason == "tool_approval" for one in known.interrupts.values())
        and all(one.payload and "approved" in one.payload for one in known.settled_answers if one.status == "resolved")
    )
    known.continued = False
    if passed and not (said.resume or said.interaction_id):
        assert event.answers == (), "who talks with a person answers nothing of the agent's"
        known.since = event.turn
        return True
    unclear = approval is not None and plain and verdict is None and event.source == "voice"
    if unclear and names[0] not in known.unclear:
        known.unclear.add(names[0])
        assert event.answers == (), "it is asked once more"
        known.since = event.turn
        return True
    due = list(known.settled_answers)
    for name in names:
        given = meant(said.resume, name)
        if given is None and name == said.interaction_id:
            given = Answer(interrupt_id=name, status="resolved", payload={"kind": "nfc"})
        if given is None and verdict is not None:
            given = Answer(interrupt_id=name, status="resolved", payload={"approved": verdict})
        due.append(given or Answer(interrupt_id=name, status="cancelled"))
    assert list(event.answers) == due, "what became of each open interrupt"
    silent = bool(said.resume) and not (event.text or said.attachments or event.observation or fresh)
    settled_only = all(one.interrupt_id in known.tools.decided for one in known.settled_answers)
    known.continued = asked_only and settled_only and (verdict is not None or silent)
    known.since = known.since if known.continued else event.turn
    return False


def judge_questions(known: Known, event: e.ResponseEnded) -> None:
    """Judge what an answer asks for: what its agent does, what its tools wait for, what is to be observed."""
    for one in event.interrupts:
        call = known.tools.approval_of(one.interrupt_id)
        if one.reason == "tool_approval":
            assert call is not None and call.status == "awaiting_approval" and call.approval is not None
            assert one.tool_call_id == call.approval.call_id and one.message == call.approval.prompt
    if event.outcome == "asked":
        asked = {one.interrupt_id for one in event.interrupts}
        for call in known.tools.calls.values():
            if call.status == "awaiting_approval" and call.response == event.response_id and call.approval:
                assert call.approval.approval_id in asked, "what waits for the person is asked"


def closed_singly(known: Known, happened: AnyInput, stepped: Stepped) -> dict[str, Answer]:
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
            approval = known.tools.calls[event.call_id].approval
            late += [] if approval is None else [approval.approval_id]
    resumes = any(isinstance(event, e.TurnResumed) for event in stepped.events)
    if isinstance(happened, DeadlinePassed) and not late and resumes:
        # Whoever is given up after another turn has ended was due before.
        late = [] if known.turn else [name for name in known.interrupts if name in known.observed]
        known.expired |= set(late)
    return {name: Answer(interrupt_id=name, status="cancelled") for name in late}


def close_singly(known: Known) -> None:
    """Close them, where they are out; what was decided is told to the next run."""
    for name, answer in known.singly.items():
        if known.interrupts.pop(name, None) is not None and name not in known.decided:
            known.settled_answers.append(answer)
            known.decided.add(name)


def give_up(known: Known, event: e.ToolReturned) -> None:
    """A question that was being asked once more is not asked any more, as the answer that asks it is stopped."""
    approval = known.tools.calls[event.call_id].approval
    name = "" if approval is None else approval.approval_id
    if event.error_code == "given_up" and known.interrupts.pop(name, None) is not None:
        known.decided.add(name)


def note_observations(known: Known, asked: tuple[Interrupt, ...]) -> None:
    """Note what the person is asked to show, and until when."""
    for one in asked:
        if one.reason == "observation" and one.interrupt_id not in known.observed:
            modality = (one.metadata or {}).get("modality")
            assert modality in ("nfc", "photo") and modality in known.modalities, "only what the client can"
            assert one.expires_at is not None
            due = datetime.fromisoformat(one.expires_at)
            known.observed[one.interrupt_id] = (modality, round(due.timestamp() * 1000))
