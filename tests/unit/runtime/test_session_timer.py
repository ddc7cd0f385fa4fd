"""A live session's timer, in virtual time: in a call the next deadline may come before the one that is waited for."""

import asyncio

from tests.unit.runtime.test_session import Ledger, no_failure, nobody, nothing

from duologue.engine.state import SessionState
from duologue.model.inputs import CallEnded, CallStarted, SessionOpened, SpeechStarted, SpeechStopped
from duologue.model.voice import VoiceRules
from duologue.runtime.session import LiveSession
from duologue.testing.virtual_time import VirtualClock, VirtualLoop

RULES = VoiceRules(idle_ms=60_000, final_wait_ms=1_000)


async def scene(loop: VirtualLoop) -> None:
    session = LiveSession(
        SessionState(session_id="s", subject="ann"),
        store=Ledger(),
        clock=VirtualClock(loop, start_ms=1_800_000_000_000),
        first_seq=1,
        epoch=0,
        carry_out=nothing,
        stored=nobody,
        failed=no_failure,
    )
    session.give(SessionOpened(session_id="s", subject="ann", agent="a", silence_ms=9, response_ms=9))
    session.give(CallStarted(call_id="c", rules=RULES))
    session.give(SpeechStarted(call_id="c"))
    session.give(SpeechStopped(call_id="c"))
    assert session.state.state == "transcribing"
    await asyncio.sleep(1.1)
    assert session.state.state == "listening", "the missing final was waited for, and not the idle call"
    assert not session.quiet, "a call is on"
    await asyncio.sleep(59)
    assert session.state.call is not None
    await asyncio.sleep(1.5)
    assert session.state.call is None
    assert not session.give(CallEnded(call_id="c", reason="late")).events
    assert session.quiet
    session.close()


def test_a_nearer_deadline_is_kept() -> None:
    loop = VirtualLoop()
    try:
        loop.run_until_complete(scene(loop))
    finally:
        loop.close()
