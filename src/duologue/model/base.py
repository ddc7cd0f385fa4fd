"""The base of every value type."""

import msgspec


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False):
    """Frozen data. Stored ones change only by gaining optional fields; readers skip what they do not know."""
