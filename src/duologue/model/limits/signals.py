"""Signals, and the rules by which they escalate."""

from typing import Final

SIGNAL_TEXT_CHARS: Final = 400
"""How much of a message signals are estimated from, half from its begin and half from its end: feelings stand there."""

SIGNAL_EARLIER: Final = 3
"""How many earlier messages are looked at for the same thing said again."""

SIGNALS_KEPT: Final = 128
"""How many estimates a session's state holds (policy: drop oldest): some thirty turns; rules look at twenty."""

SIGNALS_LOCAL_AT_ONCE: Final = 64
"""How many estimates wait for the local classifier (policy: leave out): each takes 3 ms, so it is behind by 0.2 s."""

SIGNALS_MODEL_AT_ONCE: Final = 8
"""How many estimates are asked of a language model at once (policy: leave out): each is a request that costs money."""

SIGNALS_MS: Final = 30_000
"""How long any estimate may take: nobody acts on a mood that old."""

SIGNALS_MODEL_MS: Final = 5_000
"""How long a language model may take to estimate: later it tells of a mood that has changed."""

SIGNAL_INTENTS: Final = 64
"""Most intents: more are not told apart by a few examples each."""

SIGNAL_EXAMPLES: Final = 64
"""Most examples of an intent: the nearest one decides, so more change little."""

SIGNAL_EXAMPLE_CHARS: Final = 300
"""Longest example of an intent: a sentence or two."""

SIGNAL_NAME_CHARS: Final = 100
"""Longest name of an intent, adapter or rule: it is shown on one line."""

SIGNAL_ALTERNATES: Final = 5
"""Most other intents of an estimate: who reads them looks at two or three."""

SIGNALS_AT_ONCE: Final = 8
"""Most signals of one estimate that a backend gives: a mood and an intent are two."""

ESCALATION_RULES: Final = 16
"""Most rules of escalation: they are stored with each estimate, so that a replay decides the same."""

ESCALATION_TURNS: Final = 20
"""How many turns back a rule may look: what was felt before is over."""
