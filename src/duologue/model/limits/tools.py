"""Tools, approvals and observations."""

from typing import Final

TOOLS: Final = 256
"""Most tools of the registry: models choose badly among fewer."""

TOOL_CALLS_AT_ONCE: Final = 64
"""Most calls of tools that are carried out at once: one more waits; its own time has not begun."""

TOOL_THREADS: Final = 64
"""Most threads of one tool that is a plain function: those that hang are not ended by anybody. One more call fails."""

TOOL_OUTPUT_CHARS: Final = 65_536
"""Longest result of a tool of the server's, in code points, as of a client's tool; a model reads no more at once."""

TOOL_FAULT_CHARS: Final = 2_048
"""Longest text of a tool's failure, and of what is wrong with a call: enough for an agent to mend it."""

TOOL_BETWEEN_MS: Final = 15_000
"""How much longer than its own time each attempt at a call may take: waiting before it, and a loaded machine."""

TOOL_REPORT_MS: Final = 15_000
"""How long the report of a call is waited for beyond all its attempts; then nobody makes one any more."""

TOOL_KEYS: Final = 1_024
"""How many calls of a session are recognised when they are made again: the oldest are forgotten before their time."""

TOOL_KEY_RESULTS: Final = 64
"""Of how many of them the result is kept, to be given again; of older ones only that there was one."""

APPROVAL_VALUE_CHARS: Final = 200
"""How much of an argument the question repeats whether a tool may run: it is read aloud; the exact one is beside it."""

OBSERVATION_WAIT_MS: Final = 86_400_000
"""Longest time that something to observe may be waited for: a day."""

TOOL_CONNECT_MS: Final = 5_000
"""How long reaching a tool's machine may take: it is near, or the call had better fail."""

TOOL_CONNECTIONS: Final = 64
"""Most connections to one machine of tools, as for webhooks: a call more waits, within its time."""

TOOL_IDLE_MS: Final = 5_000
"""How long a connection to a tool's machine is kept that nobody uses: the next call of a turn is not far."""

TOOL_SOURCE_MS: Final = 20_000
"""How long a server of tools has to tell which there are: one that is a program is begun first."""

TOOL_START_MS: Final = 5_000
"""How long the server's start waits for the servers of tools: those that are later are used once they are there."""

TOOL_BACKOFF_MS: Final = 200
"""Longest pause before a tool's first retry; doubled for each later one. Somebody is waiting."""

TOOL_BACKOFF_MAX_MS: Final = 5_000
"""Longest pause between two attempts at a tool."""

APPROVALS_LISTED: Final = 100
"""Most approvals on one page of the list."""

APPROVALS_REMEMBERED: Final = 4_096
"""How many decided approvals can be found by their id alone, so that a second decision is told so."""

APPROVAL_REASON_CHARS: Final = 1_024
"""Longest reason of a decision."""

CALLBACK_SKEW_MS: Final = 300_000
"""How old or early the time in a callback's signature may be: clocks differ, and a copy of it is of no use later."""
