"""What a tool was given and gave, as the JSON objects that several contracts ask for."""

from typing import Any

import msgspec


# The tool's own arguments: no narrower type exists.
def arguments(text: str) -> dict[str, Any]:
    """Read a call's arguments, which are an object."""
    return msgspec.json.decode(text, type=dict[str, Any])


# JSON of the tool's own design: no narrower type exists.
def result(text: str) -> dict[str, Any]:
    """Read a result that is an object; another JSON stands under `value`, plain words under `text`."""
    try:
        # Any: whatever the tool gave.
        value: Any = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return {"text": text}
    return msgspec.convert(value, dict[str, Any]) if isinstance(value, dict) else {"value": value}
