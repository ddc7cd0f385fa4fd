"""The engine alone: how long one step takes."""

import statistics
import time

from duologue.engine.state import SessionState
from duologue.engine.step import step
from duologue.model.inputs import AgentSpoke, SessionOpened, UserTurn

STEPS = 50_000


def median_us() -> float:
    """Median time of a step that takes a token, in µs, the clock's own cost included."""
    state = SessionState()
    opened = SessionOpened(session_id="bench", subject="bench", agent="bench", silence_ms=60_000, response_ms=600_000)
    step(state, opened, now_ms=1)
    step(state, UserTurn(text="go"), now_ms=1)
    times_ns: list[int] = []
    for _ in range(STEPS):
        spoke = AgentSpoke(response_id="response-1", text="token ")
        start = time.perf_counter_ns()
        step(state, spoke, now_ms=2)
        times_ns.append(time.perf_counter_ns() - start)
    return statistics.median(times_ns) / 1000
