"""What the source imports is what an installation brings."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src"

BROUGHT = {"httpcore2": "httpx2", "openai": "pydantic-ai-slim", "pydantic": "pydantic-ai-slim", "scipy": "scikit-learn"}
"""What is imported for the sake of a declared package that brings it, and is of no use without."""

CARRIERS = packages_distributions()


def named(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=\[ ]", line)[0]) for line in requirements}


def normal(name: str) -> str:
    return name.lower().replace("_", "-")


def declared() -> set[str]:
    """The packages that an installation brings, with all extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    return named(project["dependencies"]).union(*map(named, extras.values()))


def imported() -> dict[str, str]:
    """The packages that modules import, each with one of them."""
    found: dict[str, str] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=names):
                    modules = [alias.name for alias in names]
                case ast.ImportFrom(module=str(module), level=0):
                    modules = [module]
                case _:
                    continue
            found |= {module.partition(".")[0]: str(path.relative_to(SOURCE)) for module in modules}
    return {module: path for module, path in found.items() if module not in {*sys.stdlib_module_names, "duologue"}}


@pytest.mark.parametrize(("module", "path"), sorted(imported().items()))
def test_what_is_imported_is_installed(module: str, path: str) -> None:
    carriers = {normal(name) for name in (BROUGHT.get(module), *CARRIERS.get(module, ())) if name is not None}
    assert carriers & declared(), f"{path} imports {module}, which is {carriers or 'not here'}"
