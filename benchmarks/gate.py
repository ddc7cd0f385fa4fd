"""How long telling takes how hard a turn is: `python -m benchmarks.gate`. The bound is 2 ms."""

import time
from typing import Final

from duologue.engine.complexity import LOOKED_AT_CHARS, assess

BOUND_MS: Final = 2.0
ROUNDS: Final = 500

TEXTS: Final = {
    "a greeting": "Hello there!",
    "a question": "Where do I find the invoice of last month, and can I pay it by card?",
    "a task": "Compare A and B, explain why, and write `code` for x^2 = 4 with at most five steps. " * 4,
    "the longest that is looked at": ("why explain compare " * 1_000)[:LOOKED_AT_CHARS],
}


def main() -> None:
    """Print a line for each kind of text, and whether all are within the bound."""
    worst_ms = 0.0
    for name, text in TEXTS.items():
        begun = time.process_time()
        for _ in range(ROUNDS):
            assess(text)
        took_ms = (time.process_time() - begun) * 1000 / ROUNDS
        worst_ms = max(worst_ms, took_ms)
        print(f"{name:32} {took_ms:7.3f} ms")
    print(f"{'within 2 ms' if worst_ms < BOUND_MS else 'TOO SLOW'}: {worst_ms:.3f} ms at most")


if __name__ == "__main__":
    main()
