"""Signals by rules: how long they take on the event loop's thread, which waits for them.

`python -m benchmarks.signals` prints CPU time by the length of a message, in the middle and at the 99th percentile: on
a busy machine a clock tells of the others.
"""

import time
from typing import Final

from duologue.adapters.signals_rule import RuleSignals
from duologue.model import limits
from duologue.ports.signal_adapter import Heard, IntentExamples

TRIES: Final = 3_000

BUDGET_US: Final = 1_000
"""What the 99th percentile is to stay under."""

SAID: Final = (
    "I am really frustrated, it STILL doesn't work and nobody answers!! I asked for a new router three weeks ago, and"
    " it was great at first but now it keeps crashing. Why do I have to explain this again? Please cancel the contract "
)
"""Text that is dense with feelings: each costs more than plain words."""

PLAIN: Final = (
    "I would like to know whether the shop in the old town is open on Sunday, and whether there is a place to park. My"
    " number is 4711 and the order was for two chairs and a table, to be sent to the house of my parents in the north. "
)


HOW: Final = ("please", "I want to", "can you", "how do I", "help me", "I need to", "let me", "would you")


def measured_us(rules: RuleSignals, heard: Heard) -> tuple[float, float]:
    """CPU time of the thread for one estimate, in µs: median and 99th percentile."""
    times_ns: list[int] = []
    for _ in range(TRIES):
        start = time.thread_time_ns()
        rules.estimate(heard)
        times_ns.append(time.thread_time_ns() - start)
    times_ns.sort()
    return times_ns[TRIES // 2] / 1000, times_ns[TRIES * 99 // 100] / 1000


def main() -> None:
    """Print a table."""
    intents = [
        IntentExamples(name=f"{verb} the {noun}", examples=tuple(f"{how} {verb} my {noun}" for how in HOW))
        for verb in ("cancel", "change", "find", "pay")
        for noun in ("contract", "invoice", "order", "address")
    ]
    rules = RuleSignals(intents)
    rules.estimate(Heard(text=SAID))
    print("text   characters  median µs  99th µs   (16 intents of 8 examples, 3 earlier messages)")
    for name, text in (("plain", PLAIN), ("dense", SAID)):
        for chars in (50, 150, limits.SIGNAL_TEXT_CHARS):
            heard = Heard(text=(text * 4)[:chars], earlier=(PLAIN, PLAIN, PLAIN))
            median, high = measured_us(rules, heard)
            kept = "" if high < BUDGET_US else f"   over the budget of {BUDGET_US}"
            print(f"{name:5}  {chars:10}  {median:9.0f}  {high:7.0f}{kept}")


if __name__ == "__main__":
    main()
