"""What a function's docstring says of it and of its arguments, for the model that is to call it."""

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Final

_SECTION: Final = re.compile(r"(Args|Arguments|Parameters):\s*")
_ANY_SECTION: Final = re.compile(r"[A-Z][A-Za-z ]{0,30}:\s*")
_ARGUMENT: Final = re.compile(r"(?P<name>\*{0,2}[A-Za-z_]\w*)\s*(\([^)]*\))?:\s*(?P<about>.*)")


def about(function: object) -> str:
    """What a function does: its docstring up to the first section, such as `Args:`."""
    lines: list[str] = []
    for line in (inspect.getdoc(function) or "").splitlines():
        if _ANY_SECTION.fullmatch(line):
            break
        lines.append(line)
    return "\n".join(lines).strip()


def about_arguments(function: object) -> Mapping[str, str]:
    """What the section `Args:` says of each argument, on one line each."""
    found: dict[str, str] = {}
    name = ""
    for line in _argument_lines(inspect.getdoc(function) or ""):
        begun = _ARGUMENT.fullmatch(line.strip())
        if begun is not None and _indent(line) == _indent_of_first(function):
            name = begun["name"].lstrip("*")
            found[name] = begun["about"].strip()
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


def _argument_lines(text: str) -> Iterator[str]:
    """The lines of the section, which are indented."""
    inside = False
    for line in text.splitlines():
        if not inside:
            inside = _SECTION.fullmatch(line) is not None
        elif line.strip() and _indent(line) == 0:
            return
        else:
            yield line


def _indent_of_first(function: object) -> int:
    lines = [line for line in _argument_lines(inspect.getdoc(function) or "") if line.strip()]
    return _indent(lines[0]) if lines else 0


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
