"""The settings as a list of keys, and as a JSON Schema: read off the structs, said once."""

from typing import Any, Final, TypeAlias

import msgspec
from msgspec import inspect

from duologue.model.base import Value
from duologue.server.settings import Settings
from duologue.server.settings_section import Section

ENV_PREFIX: Final = "DUOLOGUE_"

CONFIG_ENV: Final = "DUOLOGUE_CONFIG"
"""Names the settings file; the one variable that is no key."""

Json: TypeAlias = dict[str, "Json"] | list["Json"] | str | int | float | bool | None


class Key(Value, kw_only=True):
    """One key that can be set.

    Attributes:
        name: as `section.field`.
        kind: the annotated type, for `msgspec.convert`.
        default: what holds when nobody sets it.
        allowed: what may be written, in words that follow "expected".
        about: what it does.
        secret: its value is never shown.
        listed: it takes a list.
    """

    name: str
    # A type expression has no static type of its own before TypeForm (PEP 747).
    kind: Any
    default: object
    allowed: str
    about: str
    secret: bool
    listed: bool

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return ENV_PREFIX + self.name.replace(".", "__").upper()


def section_types() -> dict[str, type[Section]]:
    """Return the sections by their name, in the order in which they are documented."""
    return {name: type(getattr(Settings(), name)) for name in Settings.__struct_fields__}


def all_keys() -> tuple[Key, ...]:
    """Return every key, in the order in which they are documented."""
    return tuple(key for name, section in section_types().items() for key in _section_keys(name, section))


def config_schema() -> dict[str, Json]:
    """Return the JSON Schema of `duologue.toml`, as published under the name `config`."""
    schema: dict[str, Json] = msgspec.json.schema(Settings)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "duologue.toml",
        **schema,
    }


def _section_keys(section: str, struct: type[Section]) -> tuple[Key, ...]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    kinds = {field.name: field.type for field in msgspec.structs.fields(struct)}
    return tuple(_key(section, field, kinds[field.name]) for field in info.fields)


def _key(section: str, field: inspect.Field, kind: object) -> Key:
    assert isinstance(field.type, inspect.Metadata), f"{section}.{field.name} says nothing of itself"
    # msgspec's annotation is a bare dict.
    notes = _notes(field.type.extra_json_schema)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return Key(
        name=f"{section}.{field.name}",
        kind=kind,
        default=field.default,
        allowed=_allowed(field.type),
        about=str(notes["description"]),
        secret=bool(notes.get("writeOnly", False)),
        listed=isinstance(field.type.type, inspect.VarTupleType),
    )


def _notes(notes: object) -> dict[str, object]:
    return msgspec.convert(notes or {}, dict[str, object])


def _allowed(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata():
            # msgspec's annotation is a bare dict.
            notes = _notes(kind.extra)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            return str(notes["allowed"]) if "allowed" in notes else _allowed(kind.type)
        case inspect.IntType(ge=low, le=high):
            return f"a whole number from {low} to {high}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case inspect.VarTupleType(item_type=item, max_length=most):
            return f"a list of at most {most}, each {_allowed(item)}"
        case inspect.StrType(min_length=low, max_length=high):
            return f"text of {low or 0} to {high} characters"
        case _:
            raise AssertionError(f"no words for {kind}")
