"""Language models, and agents elsewhere."""

from typing import Final

LLM_SILENCE_MS: Final = 30_000
"""How long a language model may say nothing, before its first word and after: large ones think for many seconds."""

LLM_ATTEMPTS: Final = 3
"""How often one language model is asked while it has said nothing: what passes by itself is gone by then."""

LLM_BACKOFF_MS: Final = 500
"""Wait before a language model is asked again, doubled each time: a person is waiting for the answer."""

LLM_BACKOFF_MAX_MS: Final = 8_000
"""Longest wait before a language model is asked again: who is told to come back later gives up or asks another."""

LLM_HISTORY_TOKENS: Final = 16_000
"""How much of earlier messages a language model is sent, in tokens: fits every model of today, and bounds the cost."""

COUNTED_MODELS: Final = 64
"""Most models that tokens are counted for by name; agents choose the names, and further ones count as `other`."""

AGUI_SILENCE_MS: Final = 60_000
"""How long an agent elsewhere may send nothing at all: its tools may take long, a dead connection is noticed."""

AGUI_CONNECT_MS: Final = 10_000
"""How long connecting to an agent elsewhere, and sending it a run, may take in each step."""

AGUI_END_MS: Final = 1_000
"""How long the stream of an agent elsewhere may stay open after its run has ended: an error may still come."""

AGUI_EVENT_BYTES: Final = 4 * 2**20
"""Largest event of an agent elsewhere: snapshots hold the whole conversation."""

AGUI_NOTES: Final = 256
"""Most diagnostics of one run of an agent elsewhere: steps and events of its own."""
