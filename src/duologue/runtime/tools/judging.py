"""Judging arguments and results by a tool's JSON Schemas."""

from typing import TYPE_CHECKING, Any, Final

from duologue.model import limits

if TYPE_CHECKING:
    pass

FAULTS: Final = 5
"""Most faults that are told at once: an agent mends these, and is told of the others then."""


class Judge:
    """Judges values by one schema. Nothing is fetched: a schema that refers to an address is refused.

    Args:
        schema: JSON Schema, of the draft that its `$schema` names, else 2020-12.
    Raises:
        ValueError: it is no JSON Schema; the message says where.
    """

    # JSON Schema: JSON of many shapes.
    def __init__(self, schema: dict[str, Any]) -> None:
        # Not at the top: it is large, and only who has tools waits for it.
        import jsonschema_rs

        try:
            self._validator: jsonschema_rs.Validator = jsonschema_rs.validator_for(schema, offline=True)
        except jsonschema_rs.ValidationError as error:
            raise ValueError(f"at {_pointer(error.instance_path)}: {error.message}") from error
        except jsonschema_rs.ReferencingError as error:
            raise ValueError(f"it refers to what is not in it: {error}") from error

    # A value of any JSON.
    def fault_of(self, value: Any, *, told: bool) -> str:
        """Say what is wrong with a value; empty where nothing is.

        Args:
            value: JSON.
            told: whether the words may repeat parts of it.
        """
        found: list[str] = []
        for error in self._validator.iter_errors(value):
            if len(found) == FAULTS:
                found.append("and more")
                break
            said = error.message if told else f"does not fit {_pointer(error.schema_path)} of its schema"
            found.append(f"{_pointer(error.instance_path)}: {said}")
        return "; ".join(found)[: limits.TOOL_FAULT_CHARS]


def _pointer(path: list[str | int]) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
