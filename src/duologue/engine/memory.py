"""Memory: what was found for a run, and what a turn has left. Each is told once, however often it is reported."""

from duologue.engine.memory_state import MemoryState
from duologue.engine.progress import Progress
from duologue.engine.state import SessionState
from duologue.model import limits
from duologue.model.events import MemoryErased, MemoryRecalled, MemoryStored
from duologue.model.inputs import MemoriesRecalled, MemoryForgotten, MemoryInput, MemoryKept
from duologue.model.replies import Accepted, Ignored, Reply


def take(step: Progress, happened: MemoryInput) -> Reply:
    """Take what is told of memory; what was told before, or comes too late, changes nothing."""
    state = step.state
    if state.ended:
        return Ignored()
    match happened:
        case MemoriesRecalled():
            told = _recalled(step, happened)
        case MemoryKept():
            told = _kept(step, happened)
        case MemoryForgotten():
            told = _forgotten(step, happened)
    return Accepted(turn=0, seq=step.events[0].seq) if told else Ignored()


def _recalled(step: Progress, found: MemoriesRecalled) -> bool:
    state = step.state
    turn = state.open
    if turn is None or turn.response.response_id != found.response_id:
        return False
    memory = _memory(state)
    if memory.recalled == found.response_id:
        return False
    memory.recalled = found.response_id
    step.emit(
        MemoryRecalled,
        response_id=found.response_id,
        count=len(found.memory_ids),
        retrieve_ms=found.retrieve_ms,
        memory_ids=found.memory_ids,
    )
    return True


def _kept(step: Progress, kept: MemoryKept) -> bool:
    known = _memory(step.state).kept
    if kept.memory_id in known:
        return False
    known.append(kept.memory_id)
    del known[: -limits.MEMORY_MARKS]
    step.emit(
        MemoryStored,
        of_turn=kept.of_turn,
        memory_id=kept.memory_id,
        memory_kind=kept.memory_kind,
        importance=kept.importance,
        superseded=kept.superseded,
    )
    return True


def _forgotten(step: Progress, forgotten: MemoryForgotten) -> bool:
    known = step.state.memory
    if forgotten.of_turn <= (0 if known is None else known.forgot_turn):
        return False
    _memory(step.state).forgot_turn = forgotten.of_turn
    step.emit(MemoryErased, of_turn=forgotten.of_turn, count=forgotten.count)
    return True


def _memory(state: SessionState) -> MemoryState:
    """What was told of memory; begun where nothing was: what comes first is always told."""
    if state.memory is None:
        state.memory = MemoryState()
    return state.memory
