"""Writes what the model says of itself: the parts of `docs/state-machine.md` and `docs/limits.md` between markers.

Run it at the root of the repository: `python -m duologue.server.model_docs`.
"""

import ast
import inspect
import pkgutil
import re
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Final

from duologue.engine import machine
from duologue.model import limits
from duologue.model.base import Value

PAGES: Final = (Path("docs/state-machine.md"), Path("docs/limits.md"))

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
        "HANDOFF_OPERATOR_AWAY_MS": "handoff.operator_away_ms",
        "HANDOFFS_PER_OPERATOR": "handoff.at_most",
    }
)
"""Which setting has a limit as its default."""

_PART: Final = re.compile(r"(?P<begin><!-- made: (?P<name>[\w-]+) -->\n).*?(?P<end><!-- /made -->)", re.DOTALL)
_REASON: Final = re.compile(r"[:.] (?![^(]*\))")
"""Ends what a limit bounds; after it comes the reason. Not in brackets."""

_UNITS: Final = {"CHARS": "characters", "PIXELS": "pixels"}


class Limit(Value, kw_only=True):
    """One bound: its name and number in `model/limits/`, what it bounds, and the reason."""

    name: str
    number: int
    what: str
    why: str


def topics() -> dict[str, list[Limit]]:
    """Read the limits off the modules of their package, with the text that stands below each, in its order."""
    return {module.name: _read(module.name) for module in pkgutil.iter_modules(limits.__path__)}


def _read(topic: str) -> list[Limit]:
    found: list[Limit] = []
    body = ast.parse(inspect.getsource(import_module(f"{limits.__name__}.{topic}"))).body
    for node, text in pairwise(body):
        match node, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str() as about)),
            ):
                what, *why = _REASON.split(re.sub(r"\s+", " ", about).rstrip("."), maxsplit=1)
                found.append(Limit(name=name, number=getattr(limits, name), what=what, why="".join(why)))
            case _:
                pass
    return found


def written(page: str) -> str:
    """Return a page's text with the parts between its markers made anew."""
    parts = made()
    return _PART.sub(lambda part: f"{part['begin']}{parts[part['name']]}{part['end']}", page)


def made() -> dict[str, str]:
    """Return the text of each part, by its name."""
    tables = {f"limits-{topic}": _table(rows) for topic, rows in topics().items()}
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
