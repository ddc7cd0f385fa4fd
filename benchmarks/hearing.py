"""Voice activity alone: what a window of 32 ms costs, by how many calls are judged at once.

`python -m benchmarks.hearing` prints CPU time, in the middle of many tries. One after the other, the network's
weights stay in the processor's caches; with pauses, as between the windows of real calls, others push them out.
"""

import random
import statistics
import time

from duologue.adapters.speech_silero import load_silero

BATCHES = (1, 4, 16, 25, 50)

TRIES = 200

PAUSE_MS = 10
"""Between two inferences: at 25 calls one comes every 2 to 3 ms, at one call every 32."""


def median_us(calls: int, *, pause_ms: int) -> float:
    """CPU time of the thread for each window, in µs, where so many are judged at once."""
    model = load_silero()
    states = [model.new_state() for _ in range(calls)]
    windows = [random.Random(call).randbytes(2 * model.window_samples) for call in range(calls)]
    times_ns: list[int] = []
    for _ in range(TRIES):
        time.sleep(pause_ms / 1000)
        start = time.thread_time_ns()
        model.probabilities(states, windows)
        times_ns.append(time.thread_time_ns() - start)
    return statistics.median(times_ns) / 1000 / calls


def main() -> None:
    """Print a table."""
    print("calls at once  one after the other  with pauses   (µs of CPU a window)")
    for calls in BATCHES:
        print(f"{calls:13}  {median_us(calls, pause_ms=0):19.0f}  {median_us(calls, pause_ms=PAUSE_MS):11.0f}")


if __name__ == "__main__":
    main()
