"""Runs: how long, how much, how often; and what is said of the machine and its tiers."""

from typing import Final

AGENT_SILENCE_MS: Final = 120_000
"""How long a run may say nothing: slow tools of 90 s are normal, two minutes are not."""

RESPONSE_MS: Final = 600_000
"""How long one run may last in all: ten minutes bound what a stuck agent can cost."""

CANCEL_MS: Final = 1_000
"""How long a cancelled agent may take to stop before it is left behind and reported."""

RUN_ATTEMPTS: Final = 3
"""How often a turn is run when the server dies under it: a turn that kills the server must not do so forever."""

RESPONSE_TEXT_CHARS: Final = 1_000_000
"""Longest answer, in code points: beyond it an agent is taken to be stuck in a loop."""

CONDITION_EVERY_MS: Final = 5_000
"""How often the machine's sensors are read: heat and batteries change slower."""

CONDITION_FIRST_MS: Final = 1_000
"""When the machine's sensors are first read: loading what reads them takes 80 ms, and a server starts before."""

CONDITION_RETRY_MS: Final = 30_000
"""When to ask again for what the machine's condition does not allow: as long as it has to be better to count."""

TIER_FAILURES: Final = 3
"""How often in a row a tier's runs may fail before it counts as not loaded: one may be the question's fault."""

TIER_REST_MS: Final = 30_000
"""How long a tier that is not loaded rests before it is tried again."""

TIER_PROBE_MS: Final = 5_000
"""How long an agent elsewhere may take to say that it is there."""

TIER_PROBE_EVERY_MS: Final = 30_000
"""How often an agent elsewhere that is there is asked whether it still is: nobody notices two questions a minute."""

TIER_PROBE_RETRY_MS: Final = 1_000
"""When an agent elsewhere that was not there is asked again, doubled each time up to `TIER_REST_MS`."""

TIER_PROBES: Final = 2
"""How often in a row an agent elsewhere that was there may not answer: once it may be busy."""

GATE_MS: Final = 500
"""How long the gate's agent may judge how hard a turn is: somebody waits, and the rules can tell as well."""

AGENT_ITEM_BYTES: Final = 256 * 1024
"""Largest single item that an agent may say: one rich payload; larger data belongs behind a link."""

AGENT_THREADS: Final = 64
"""Most threads of one agent that is a plain function: one more answer waits for its turn, first come, first served."""

AGENT_THREAD_WAIT_MS: Final = 30_000
"""How long an answer waits for a thread: where all of them hang, waiting on helps nobody."""

CHIPS: Final = 12
"""Most suggestion chips in one item: more than a screen of them helps nobody."""

TOOL_CALLS: Final = 128
"""Most tool calls of one run: an agent that calls more is taken to be stuck in a loop."""

RUN_LEGS: Final = 32
"""Most runs of one answer, each after the tools of the one before: a model that asks on is stuck, and each costs."""

TOOL_NAME_CHARS: Final = 128
"""Longest name of a tool: models' providers take 64."""

TOOL_CALL_ID_CHARS: Final = 256
"""Longest id of a tool call or an interrupt: ids of other systems fit."""

INTERRUPTS: Final = 32
"""Most interrupts of one run: a person has to answer each of them before the next one."""
