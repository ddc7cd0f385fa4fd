"""What a section of the settings is."""

from typing import Final, dataclass_transform

from msgspec import Struct, field

PATH_CHARS: Final = 4_096
"""Longest path or address. Source: PATH_MAX of Linux."""

SECRET: Final = {"writeOnly": True}
"""Marks a key whose value is never shown; JSON Schema's own word for it."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of `duologue.toml`."""
