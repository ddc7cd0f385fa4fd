"""The base of every value type."""

from typing import dataclass_transform

import msgspec


# msgspec does not tell type checkers that these options are inherited; this does.
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Frozen data. Stored ones change only by gaining optional fields; readers skip what they do not know."""


def snake(name: str) -> str:
    """Turn a class name into the tag that it is stored under: `TextDelta` into `text_delta`."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")
