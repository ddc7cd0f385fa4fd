"""Hiding fields of JSON, as a tool declares them, from all but the person whose they are. Source: RFC 6901."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import msgspec

HIDDEN: Final = "[hidden]"
"""What stands in the place of a hidden value."""


EVERYTHING: Final = ("/*",)
"""Hides every member: of a tool that is not known it is not known either what others may see."""


def redacted(text: str, pointers: Iterable[str]) -> str:
    """Hide fields of a text that is JSON; one that is not is hidden as a whole, where anything is to be hidden.

    Args:
        text: JSON.
        pointers: JSON pointers; `*` stands for every item of a list or every member.
    """
    wanted = tuple(pointers)
    if not wanted or not text:
        return text
    try:
        # Any: whatever a tool was given or gave.
        value: Any = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return HIDDEN
    for pointer in wanted:
        value = _hide(value, [_plain(part) for part in pointer.split("/")[1:]])
    return msgspec.json.encode(value).decode()


def redacted_arguments(text: str, pointers: Iterable[str]) -> str:
    """Hide fields of arguments, which stay a JSON object: where all is hidden, or they are none, an empty one."""
    shown = redacted(text, pointers)
    return shown if shown.startswith("{") or shown == text else "{}"


# JSON of the tool's own design.
def _hide(value: Any, path: Sequence[str]) -> Any:
    if not path:
        return HIDDEN
    name, rest = path[0], path[1:]
    if isinstance(value, dict):
        members = cast(dict[str, Any], value)
        return {key: _hide(one, rest) if name in (key, "*") else one for key, one in members.items()}
    if isinstance(value, list):
        items = cast(list[Any], value)
        return [_hide(one, rest) if name in (str(place), "*") else one for place, one in enumerate(items)]
    return value


def _plain(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")
