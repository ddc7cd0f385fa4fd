"""What is installed: Duologue, SQLite, the packages it builds on, the extras, the docs."""

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

import apsw

from duologue.server.doctor.findings import Finding, fail, note, ok
from duologue.server.parts import built_in_docs

SQLITE_MIN: Final = (3, 51, 3)
"""SQLite before it can damage a database when two connections write or checkpoint at once."""

_REQUIREMENT: Final = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)[^;]*(?:;.*extra == ['\"](?P<extra>[^'\"]+)['\"])?")


def look() -> Iterator[Finding]:
    """Look at what is installed."""
    yield sqlite(apsw.sqlite_lib_version())
    needed: list[str] = []
    extras: dict[str, list[str]] = {}
    try:
        declared = requires("duologue") or []
    except PackageNotFoundError:
        yield fail("installed.duologue", "the package is not installed", "pip install . in its folder, or make serve")
        declared = []
    for line in declared:
        if (found := _REQUIREMENT.match(line)) is not None:
            (extras.setdefault(found["extra"], []) if found["extra"] else needed).append(found["name"])
    if declared:
        yield _packages(needed)
    for extra, names in sorted(extras.items()):
        yield _extra(extra, names)
    yield _docs()


def sqlite(shown: str) -> Finding:
    """Judge the version of SQLite, as it says it itself."""
    if tuple(int(part) for part in shown.split(".")[:3]) < SQLITE_MIN:
        wanted = ".".join(map(str, SQLITE_MIN))
        return fail("installed.sqlite", f"SQLite {shown}", f"pip install --upgrade apsw: {wanted} or later is needed")
    return ok("installed.sqlite", f"SQLite {shown}")


def _packages(names: list[str]) -> Finding:
    missing = [name for name in names if _version(name) is None]
    if missing:
        return fail("installed.packages", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    shown = ", ".join(f"{name} {_version(name)}" for name in sorted(names))
    return ok("installed.packages", f"Duologue {_version('duologue')} with {shown}")


def _extra(extra: str, names: list[str]) -> Finding:
    check = f"installed.{extra}"
    missing = [name for name in names if _version(name) is None]
    if missing:
        return note(
            check, f"not installed: {', '.join(missing)}", f"only if it is wanted: pip install 'duologue[{extra}]'"
        )
    return ok(check, ", ".join(f"{name} {_version(name)}" for name in names))


def _docs() -> Finding:
    folder = built_in_docs()
    pages = len(list(folder.rglob("*.md"))) if folder.is_dir() else 0
    if not (folder / "index.md").is_file():
        return fail(
            "installed.docs", f"no pages in {folder}", "install Duologue anew: /docs and the built-in agent need them"
        )
    return ok("installed.docs", f"{pages} pages in {folder}")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
