"""Values that somebody set, read as their keys want them, and what is said of those that are wrong."""

import difflib
import json
import re
from collections.abc import Iterable
from typing import Final, cast

import msgspec

from duologue.model.base import Value
from duologue.server.settings_keys import Key, keys_of
from duologue.server.settings_section import Section

SHOWN_CHARS: Final = 60
"""How much of a wrong value is repeated in its error: enough to find it."""


class Given(Value, kw_only=True):
    """One value that somebody set: the key as they wrote it, and where it stands."""

    name: str
    value: object
    where: str


def convert(key: Key, given: Given, faults: list[str]) -> object:
    """Read a value as its key wants it, and add what is wrong with it to the faults.

    Returns:
        What `msgspec.convert` makes the key's type of; `None` where the value is wrong.
    """
    try:
        if key.tables is not None:
            return _tables(key, key.tables, given, faults)
        return _convert(key, given.value)
    except ValueError as error:
        faults.append(wrong(key, given, error))
        return None


def _tables(key: Key, item: type[Section], given: Given, faults: list[str]) -> list[dict[str, object]]:
    """Read a list of tables; what is wrong in one of them is told with its place.

    Raises:
        ValueError: it is no such list.
    """
    value = json.loads(given.value) if isinstance(given.value, str) else given.value
    tables = msgspec.convert(value, list[dict[str, object]])
    if len(tables) > key.most:
        raise ValueError(f"{len(tables)} tables")
    return [_table(f"{key.name}[{place}]", item, table, given.where, faults) for place, table in enumerate(tables)]


def _table(
    name: str, section: type[Section], table: dict[str, object], where: str, faults: list[str]
) -> dict[str, object]:
    keys = {key.name: key for key in keys_of(name, section)}
    values: dict[str, object] = {}
    for field, value in table.items():
        given = Given(name=f"{name}.{field}", value=value, where=where)
        if (key := keys.get(given.name)) is None:
            near = nearest(given.name, keys)
            hint = f"did you mean {near}?" if near else f"keys are {', '.join(one.field for one in keys.values())}"
            faults.append(f"{given.name}: unknown key ({where}); {hint}")
        elif key.section is None:
            values[field] = convert(key, given, faults)
        elif isinstance(value, dict):
            # A table of TOML or JSON has keys of text.
            inner = cast(dict[str, object], value)
            values[field] = _table(given.name, key.section, inner, where, faults)
        else:
            faults.append(f"{given.name}: expected a table ({where})")
    missing = [key for key in keys.values() if key.required and key.field not in table]
    faults.extend(f"{key.name}: is needed; expected {key.allowed} ({where})" for key in missing)
    return values


def _convert(key: Key, value: object) -> object:
    if not isinstance(value, str):
        # A flag that may be repeated arrives as a list or a tuple; both become the tuple that is kept.
        return msgspec.convert(value, key.kind)
    if key.listed:
        return msgspec.convert(_split(value), key.kind)
    return msgspec.convert(value, key.kind, strict=False)


def _split(text: str) -> object:
    """Read a list that came as text: a JSON array, or words between commas."""
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [word for part in text.split(",") if (word := part.strip())]


def nearest(name: str, known: Iterable[str]) -> str:
    """Find the known name that somebody most likely meant; empty where none is near."""
    return next(iter(difflib.get_close_matches(name, tuple(known), n=1, cutoff=0.6)), "")


def wrong(key: Key, given: Given, error: ValueError) -> str:
    """Say what is wrong with a value, without showing a secret."""
    got = "" if key.secret else f", got {_shown(given.value)}"
    # msgspec says which item of a list it is; the rest of its text is about types and is said better here.
    at = re.search(r"`\$((?:\[\d+\]|\.\w+)+)`", str(error))
    return f"{key.name}{at[1] if at else ''}: expected {key.allowed}{got} ({given.where})"


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
