"""Writes what the model says of itself: the parts of `docs/state-machine.md` and `docs/limits.md` between markers.

Run it at the root of the repository: `python -m duologue.server.model_docs`.
"""

import ast
import inspect
import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

from duologue.engine import machine
from duologue.model import limits
from duologue.model.base import Value

PAGES: Final = (Path("docs/state-machine.md"), Path("docs/limits.md"))

TOPICS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "messages": (
            "TURN_TEXT_CHARS",
            "FRAME_BYTES",
            "SESSION_ID_CHARS",
            "REQUEST_ID_CHARS",
            "CONTEXT_ITEMS",
            "CONTEXT_DESCRIPTION_CHARS",
            "CONTEXT_VALUE_CHARS",
            "TURN_ATTACHMENTS",
            "CLIENT_TOOLS",
            "CLIENT_DATA_BYTES",
            "TOOL_RESULT_CHARS",
            "TURN_NUMBER_MAX",
            "INTEGER_MAX",
        ),
        "uploads": ("UPLOAD_BYTES", "UPLOAD_ID_CHARS", "PHOTO_SIDE_PIXELS", "PHOTO_PIXELS", "IMPORT_BYTES"),
        "tags": (
            "NFC_TAG_ID_BYTES",
            "NFC_TECHNOLOGIES",
            "NFC_TECHNOLOGY_CHARS",
            "NFC_RECORDS",
            "NFC_FIELD_CHARS",
            "NFC_MESSAGE_BYTES",
        ),
        "answers": (
            "AGENT_SILENCE_MS",
            "RESPONSE_MS",
            "CANCEL_MS",
            "RUN_ATTEMPTS",
            "RESPONSE_TEXT_CHARS",
            "CONDITION_EVERY_MS",
            "CONDITION_FIRST_MS",
            "CONDITION_RETRY_MS",
            "TIER_FAILURES",
            "TIER_REST_MS",
            "GATE_MS",
            "AGENT_ITEM_BYTES",
            "CHIPS",
            "TOOL_CALLS",
            "TOOL_NAME_CHARS",
            "TOOL_CALL_ID_CHARS",
            "INTERRUPTS",
        ),
        "models": (
            "LLM_SILENCE_MS",
            "LLM_ATTEMPTS",
            "LLM_BACKOFF_MS",
            "LLM_BACKOFF_MAX_MS",
            "LLM_HISTORY_TOKENS",
            "COUNTED_MODELS",
            "AGUI_SILENCE_MS",
            "AGUI_CONNECT_MS",
            "AGUI_END_MS",
            "AGUI_EVENT_BYTES",
            "AGUI_NOTES",
        ),
        "memory": (
            "RECENT_TURNS",
            "RECENT_DECISIONS",
            "HISTORY_MESSAGES",
            "HISTORY_CHARS",
            "SNAPSHOT_EVERY_EVENTS",
            "TAIL_EVENTS",
            "READ_EVENTS",
            "BACKLOG_RECORDS",
            "RUN_ITEMS",
        ),
        "server": (
            "SESSIONS_LIVE",
            "IDLE_UNLOAD_MS",
            "DRAIN_MS",
            "HEARTBEAT_MS",
            "HELLO_MS",
            "STORE_MS",
            "COMMIT_WINDOW_MS",
            "RECOVERY_AT_ONCE",
            "SESSIONS_LISTED",
            "SEARCH_CHARS",
            "SEARCH_SESSIONS",
            "SEARCH_BYTES",
        ),
        "speech": (
            "SEGMENT_MS",
            "END_OF_TURN_AUDIO_MS",
            "END_OF_TURN_WAITING",
            "HEARING_GATHER_MS",
            "HEARING_BATCH",
            "HEARING_BACKLOG_WINDOWS",
            "HEARING_STALL_MS",
            "SPEECH_AHEAD_MS",
            "AUDIO_MESSAGE_MS",
            "AUDIO_BURST_MS",
            "BEFORE_SPEECH_MS",
            "END_OF_TURN_MS",
            "RECOGNISER_FAILURES",
            "EARLY_ITEMS",
            "VOICE_START_MS",
            "ICE_GATHER_MS",
            "ICE_CONNECT_MS",
            "OFFER_BYTES",
            "OFFER_CANDIDATES",
            "HEARD_WAITING",
            "PIECE_CHARS",
            "PIECE_AUDIO_MS",
            "SPEAKS",
            "SPEAK_SILENCE_MS",
            "DECODE_MS",
            "SPEECH_CONNECT_MS",
            "VENDOR_MS",
            "VENDOR_ATTEMPTS",
            "VENDOR_REST_MS",
            "WORKER_START_MS",
            "WORKER_DEATHS",
            "WORKER_DEATHS_MS",
            "VOICE_SILENCE_MS",
            "VOICE_ENDPOINT_MS",
            "VOICE_UNFINISHED_MS",
            "VOICE_FINAL_MS",
            "VOICE_MIN_SPEECH_MS",
            "VOICE_TURN_MS",
            "VOICE_IDLE_MS",
            "VOICE_STALL_MS",
            "VOICE_NUDGES",
            "VOICE_EARLY_RUNS",
        ),
        "people": (
            "MEMORY_RECALL_MS",
            "MEMORY_RECALLED",
            "MEMORY_CANDIDATES",
            "MEMORY_ITEMS",
            "MEMORY_AGE_DAYS",
            "MEMORY_TEXT_CHARS",
            "MEMORY_LEARNT",
            "MEMORY_READ_CHARS",
            "MEMORY_EXTRACT_MS",
            "MEMORY_AT_ONCE",
            "MEMORY_TURNS_WAITING",
            "MEMORY_EMBED_MS",
            "MEMORY_EMBED_TEXTS",
            "MEMORY_MARKS",
            "MEMORY_LISTED",
            "MEMORY_TIDY_MS",
        ),
        "checks": ("CHECK_BYTES", "CHECK_FRAME_BYTES", "CHECK_FINDINGS"),
        "rates": (
            "TURNS_PER_PERSON",
            "TURNS_PER_ADDRESS",
            "SESSIONS_PER_PERSON",
            "SESSIONS_PER_ADDRESS",
            "REQUESTS_PER_PERSON",
            "REQUESTS_PER_ADDRESS",
            "FRAMES_PER_PERSON",
            "FRAMES_PER_ADDRESS",
            "AUTH_FAILURES_PER_ADDRESS",
            "CONNECTIONS",
            "CONNECTIONS_PER_PERSON",
            "CONNECTIONS_PER_ADDRESS",
            "LIVE_SESSIONS_PER_PERSON",
            "RATE_KEYS",
        ),
        "tools": (
            "TOOLS",
            "TOOL_CALLS_AT_ONCE",
            "TOOL_THREADS",
            "TOOL_OUTPUT_CHARS",
            "TOOL_FAULT_CHARS",
            "TOOL_BETWEEN_MS",
            "TOOL_REPORT_MS",
            "TOOL_KEYS",
            "TOOL_KEY_RESULTS",
            "APPROVAL_VALUE_CHARS",
            "OBSERVATION_WAIT_MS",
            "TOOL_CONNECT_MS",
            "TOOL_CONNECTIONS",
            "TOOL_IDLE_MS",
            "TOOL_SOURCE_MS",
            "TOOL_START_MS",
            "TOOL_BACKOFF_MS",
            "TOOL_BACKOFF_MAX_MS",
            "APPROVALS_LISTED",
            "APPROVALS_REMEMBERED",
            "APPROVAL_REASON_CHARS",
            "CALLBACK_SKEW_MS",
        ),
        "handoffs": (
            "HANDOFF_REASON_CHARS",
            "HANDOFF_SKILLS",
            "HANDOFF_PRIORITY",
            "HANDOFF_HOPS",
            "HANDOFF_PATH",
            "HANDOFF_SAYINGS",
            "HANDOFF_NOTES",
            "HANDOFF_MESSAGES",
            "HANDOFF_TRANSCRIPT_CHARS",
            "HANDOFF_SUMMARY_CHARS",
            "HANDOFF_SUMMARY_MS",
            "HANDOFF_WAIT_MS",
            "HANDOFF_CONNECT_MS",
            "HANDOFF_AWAY_MS",
            "HANDOFF_PLACES_MS",
            "HANDOFFS_WAITING",
            "HANDOFFS_PER_OPERATOR",
            "HANDOFFS_ENDED",
            "DESK_QUEUES",
            "DESK_RULES",
            "DESK_OPERATORS",
            "DESK_FEED",
            "DESK_PRESENT_MS",
            "DESK_CALL_MS",
            "DESK_CALLS",
        ),
        "webhooks": (
            "WEBHOOK_MS",
            "WEBHOOK_RETRIES",
            "WEBHOOK_BACKOFF_MS",
            "WEBHOOK_BACKOFF_MAX_MS",
            "WEBHOOK_SENDS",
            "WEBHOOK_SENDS_PER_TARGET",
            "WEBHOOK_RUN",
            "WEBHOOK_KINDS",
            "WEBHOOK_URL_CHARS",
            "WEBHOOK_SECRET_CHARS",
            "WEBHOOK_LETTERS",
            "WEBHOOK_STOP_MS",
        ),
        "signals": (
            "SIGNAL_TEXT_CHARS",
            "SIGNAL_EARLIER",
            "SIGNALS_KEPT",
            "SIGNALS_LOCAL_AT_ONCE",
            "SIGNALS_MODEL_AT_ONCE",
            "SIGNALS_MS",
            "SIGNALS_MODEL_MS",
            "SIGNAL_INTENTS",
            "SIGNAL_EXAMPLES",
            "SIGNAL_EXAMPLE_CHARS",
            "SIGNAL_NAME_CHARS",
            "SIGNAL_ALTERNATES",
            "SIGNALS_AT_ONCE",
            "ESCALATION_RULES",
            "ESCALATION_TURNS",
        ),
    }
)
"""Which limits stand together in one table of the page."""

SETTINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "FRAME_BYTES": "server.frame_bytes",
        "UPLOAD_BYTES": "server.upload_bytes",
        "AGENT_SILENCE_MS": "agent.silence_ms",
        "RESPONSE_MS": "agent.response_ms",
        "LLM_SILENCE_MS": "llm.silence_ms",
        "LLM_ATTEMPTS": "llm.attempts",
        "LLM_HISTORY_TOKENS": "llm.history_tokens",
        "AGUI_SILENCE_MS": "agui.silence_ms",
        "SESSIONS_LIVE": "server.max_sessions",
        "IDLE_UNLOAD_MS": "store.idle_unload_ms",
        "DRAIN_MS": "server.drain_ms",
        "HEARTBEAT_MS": "server.heartbeat_ms",
        "TURNS_PER_PERSON": "limits.turns_per_person",
        "TURNS_PER_ADDRESS": "limits.turns_per_address",
        "SESSIONS_PER_PERSON": "limits.sessions_per_person",
        "SESSIONS_PER_ADDRESS": "limits.sessions_per_address",
        "REQUESTS_PER_PERSON": "limits.requests_per_person",
        "REQUESTS_PER_ADDRESS": "limits.requests_per_address",
        "FRAMES_PER_PERSON": "limits.frames_per_person",
        "FRAMES_PER_ADDRESS": "limits.frames_per_address",
        "AUTH_FAILURES_PER_ADDRESS": "limits.auth_failures_per_address",
        "CONNECTIONS": "limits.connections",
        "CONNECTIONS_PER_PERSON": "limits.connections_per_person",
        "CONNECTIONS_PER_ADDRESS": "limits.connections_per_address",
        "LIVE_SESSIONS_PER_PERSON": "limits.live_sessions_per_person",
        "MEMORY_RECALL_MS": "memory.recall_ms",
        "MEMORY_RECALLED": "memory.recalled",
        "MEMORY_ITEMS": "memory.items",
        "MEMORY_AGE_DAYS": "memory.age_days",
        "WEBHOOK_MS": "webhooks.timeout_ms",
        "WEBHOOK_RETRIES": "webhooks.retries",
        "WEBHOOK_BACKOFF_MS": "webhooks.backoff_ms",
        "HANDOFF_WAIT_MS": "handoff.wait_ms",
        "HANDOFF_CONNECT_MS": "handoff.connect_ms",
        "HANDOFF_AWAY_MS": "handoff.away_ms",
        "HANDOFFS_PER_OPERATOR": "handoff.at_most",
    }
)
"""Which setting has a limit as its default."""

_PART: Final = re.compile(r"(?P<begin><!-- made: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- /made -->)", re.DOTALL)
_REASON: Final = re.compile(r"[:.] (?![^(]*\))")
"""Ends what a limit bounds; after it comes the reason. Not in brackets."""

_UNITS: Final = {"CHARS": "characters", "PIXELS": "pixels"}


class Limit(Value, kw_only=True):
    """One bound: its name and number in `model/limits.py`, what it bounds, and the reason."""

    name: str
    number: int
    what: str
    why: str


def all_limits() -> dict[str, Limit]:
    """Read the limits off their module, with the text that stands below each, in its order."""
    found: dict[str, Limit] = {}
    body = ast.parse(inspect.getsource(limits)).body
    for node, text in pairwise(body):
        match node, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str() as about)),
            ):
                what, *why = _REASON.split(re.sub(r"\s+", " ", about).rstrip("."), maxsplit=1)
                found[name] = Limit(name=name, number=getattr(limits, name), what=what, why="".join(why))
            case _:
                pass
    return found


def written(page: str) -> str:
    """Return a page's text with the parts between its markers made anew."""
    parts = made()
    return _PART.sub(lambda part: f"{part['begin']}{parts[part['name']]}{part['end']}", page)


def made() -> dict[str, str]:
    """Return the text of each part, by its name."""
    known = all_limits()
    tables = {f"limits-{topic}": _table([known[name] for name in names]) for topic, names in TOPICS.items()}
    return tables | {"diagram": f"```mermaid\n{machine.diagram()}```\n", "transitions": transitions()}


def transitions() -> str:
    """Write the table of the machine."""
    rows = [f"| {move.source or 'any'} | `{move.trigger}` | {move.target} |\n" for move in machine.TRANSITIONS]
    return "| from | trigger | to |\n|---|---|---|\n" + "".join(rows)


def _table(rows: list[Limit]) -> str:
    head = "| what | bound | why | setting |\n|---|---|---|---|\n"
    return head + "".join(map(_row, rows))


def _row(limit: Limit) -> str:
    setting = f"`{SETTINGS[limit.name]}`" if limit.name in SETTINGS else ""
    return f"| {limit.what} | {_number(limit)} | {limit.why} | {setting} |\n"


def _number(limit: Limit) -> str:
    """Write a number with its unit, as a person would."""
    number, unit = limit.number, limit.name.rpartition("_")[2]
    match unit:
        case "MS" if number >= 1_000:
            return f"{number / 1_000:g} s"
        case "MS":
            return f"{number} ms"
        case "BYTES" if number % 2**20 == 0:
            return f"{number // 2**20} MiB"
        case "BYTES" if number % 2**10 == 0:
            return f"{number // 2**10} KiB"
        case "BYTES":
            return f"{number} bytes"
        case _:
            return f"{number:,} {_UNITS.get(unit, '')}".rstrip()


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
