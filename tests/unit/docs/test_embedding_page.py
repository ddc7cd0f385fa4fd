"""The page on embedding: its examples run, and name all that is public."""

import ast
import inspect
import re
from collections.abc import Awaitable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType
from typing import cast

import pytest

import duologue

PAGE = Path(__file__).parents[3] / "docs" / "embedding.md"

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PUBLIC = [
    "Agent",
    "Answer",
    "Asked",
    "Cancelled",
    "Chip",
    "Chips",
    "Citation",
    "Failure",
    "Finished",
    "Ghost",
    "GhostError",
    "GhostEvent",
    "GhostSession",
    "HandOff",
    "Idempotency",
    "Image",
    "Interrupt",
    "Mounted",
    "Note",
    "Observe",
    "Rich",
    "Said",
    "Settings",
    "Text",
    "ToolCalled",
    "ToolContext",
    "ToolFailed",
    "ToolRequested",
    "ToolResult",
    "ToolReturned",
    "Turn",
    "Upgrade",
    "Usage",
    "__version__",
    "load_settings",
    "make_app",
    "mount",
    "tool",
]
"""What programs may rely on. A name goes from here only with a major version."""


def test_the_public_names_are_these() -> None:
    assert list(duologue.__all__) == sorted(PUBLIC) == PUBLIC
    assert set(dir(duologue)) == set(PUBLIC)


def test_every_public_name_has_an_example() -> None:
    code = "\n".join(text for kind, text in BLOCK.findall(PAGE.read_text()) if kind == "python")
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    assert [name for name in PUBLIC if name not in names] == []


@pytest.mark.anyio
async def test_the_examples_run_as_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {"__name__": "example"}
    said = ""
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) > 12
    for kind, text in blocks:
        if kind == "text":
            assert said == text
            continue
        with redirect_stdout(StringIO()) as out:
            await run(compile(text, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), known)
        said = out.getvalue()


async def run(code: CodeType, known: dict[str, object]) -> None:
    # What awaits at its top is a coroutine function of its own; `eval` cannot say so.
    done = cast(object, eval(code, known))
    if inspect.isawaitable(done):
        await cast(Awaitable[None], done)
