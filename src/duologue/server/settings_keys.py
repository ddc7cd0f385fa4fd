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
        tables: what each table of a list of tables holds; `None` where it takes no such list.
        most: how many tables it takes.
        section: what a table within a table holds; `None` where it is a plain value.
        required: a table without it is wrong.
    """

    name: str
    # A type expression has no static type of its own before TypeForm (PEP 747).
    kind: Any
    default: object
    allowed: str
    about: str
    secret: bool
    listed: bool
    tables: type[Section] | None = None
    most: int = 0
    section: type[Section] | None = None
    required: bool = False

    @property
    def field(self) -> str:
        """Its own name in its table."""
        return self.name.rpartition(".")[2]

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return ENV_PREFIX + self.name.replace(".", "__").upper()


def section_types() -> dict[str, type[Section]]:
    """Return the sections by their name, in the order in which they are documented."""
    usual = Settings()
    values: dict[str, object] = {name: getattr(usual, name) for name in Settings.__struct_fields__}
    return {name: type(value) for name, value in values.items() if isinstance(value, Section)}


def lists() -> dict[str, Key]:
    """Return the keys that stand in no section: lists of tables."""
    return {key.name: key for key in keys_of("", Settings) if key.tables is not None}


def all_keys() -> tuple[Key, ...]:
    """Return every key, in the order in which they are documented; not those of tables in lists."""
    sections, tables = section_types(), lists()
    return tuple(
        key
        for name in Settings.__struct_fields__
        for key in ((tables[name],) if name in tables else keys_of(name, sections[name]))
    )


def config_schema() -> dict[str, Json]:
    """Return the JSON Schema of `duologue.toml`, as published under the name `config`."""
    schema: dict[str, Json] = msgspec.json.schema(Settings)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "duologue.toml",
        **schema,
    }


def keys_of(place: str, struct: type[Section]) -> tuple[Key, ...]:
    """Return the keys of a struct that stands at a place, such as `server`, in the order of the docs."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    kinds = {field.name: field.type for field in msgspec.structs.fields(struct)}
    return tuple(
        _key(f"{place}.{field.name}".lstrip("."), field, kinds[field.name])
        for field in info.fields
        # A section of all settings says by its own docstring what it is.
        if place or isinstance(field.type, inspect.Metadata)
    )


def _key(name: str, field: inspect.Field, kind: object) -> Key:
    assert isinstance(field.type, inspect.Metadata), f"{name} says nothing of itself"
    # msgspec's annotation is a bare dict.
    notes = _notes(field.type.extra_json_schema)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    plain = field.type.type
    item = plain.item_type if isinstance(plain, inspect.VarTupleType) else None
    return Key(
        name=name,
        kind=kind,
        default=field.default,
        allowed=_allowed(field.type),
        about=str(notes["description"]),
        secret=bool(notes.get("writeOnly", False)),
        listed=item is not None,
        tables=_section_of(item),
        most=(isinstance(plain, inspect.VarTupleType) and plain.max_length) or 0,
        section=_section_of(plain),
        required=field.required,
    )


def _section_of(kind: inspect.Type | None) -> type[Section] | None:
    if isinstance(kind, inspect.StructType) and issubclass(kind.cls, Section):
        return kind.cls
    return None


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
        case inspect.FloatType(ge=low, le=high):
            return f"a number from {low:g} to {high:g}"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return " or ".join(f'"{value}"' for value in values)
        case inspect.StructType() | inspect.DictType():
            return "a table"
        case inspect.VarTupleType(item_type=inspect.StructType(), max_length=most):
            return f"a list of at most {most} tables"
        case inspect.VarTupleType(item_type=item, max_length=most):
            return f"a list of at most {most}, each {_allowed(item)}"
        case inspect.StrType(min_length=low, max_length=high):
            return f"text of {low or 0} to {high} characters"
        case _:
            raise AssertionError(f"no words for {kind}")
