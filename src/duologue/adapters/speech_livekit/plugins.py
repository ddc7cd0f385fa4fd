"""How plugins are found, and what is made of their errors. LiveKit Agents is imported when it is used: it takes 1 s."""

import importlib
from collections.abc import Mapping
from typing import Any

from duologue.model import limits
from duologue.model.errors import SpeechError


# A plugin is somebody else's class; which one, `LivekitSpeechToText` and `LivekitTextToSpeech` check.
def load_plugin(place: str, options: Mapping[str, Any]) -> Any:
    """Make a plugin.

    Args:
        place: module and class, as `livekit.plugins.deepgram:STT`.
        options: what its class is made with; most plugins find their key in an environment variable of the vendor.
    Raises:
        SpeechError: there is no such plugin, or it does not take the options.
    """
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name)(**options)
    except ImportError:
        raise SpeechError(f"the plugin {place} is not installed", retryable=False) from None
    except AttributeError:
        raise SpeechError(f"{module} has no {name or 'class; write module:Class'}", retryable=False) from None
    except (TypeError, ValueError) as error:
        raise SpeechError(f"the plugin {place} cannot be made: {type(error).__name__}", retryable=False) from None


# As above.
def agents() -> Any:
    """LiveKit Agents.

    Raises:
        SpeechError: it is not installed.
    """
    try:
        return importlib.import_module("livekit.agents")
    except ImportError:
        raise SpeechError("LiveKit's plugins need pip install 'duologue[livekit]'", retryable=False) from None


# LiveKit's options of a connection.
def once() -> Any:
    """Try once: trying again is ours, as others may be asked."""
    return agents().APIConnectOptions(max_retry=0, timeout=limits.SPEAK_SILENCE_MS / 1000)


def failure(name: str, error: Exception) -> SpeechError:
    """Say that a plugin failed; its own text may quote what was said, so only kind and status are told."""
    status = getattr(error, "status_code", None)
    shown = type(error).__name__ + (f" {status}" if isinstance(status, int) and status > 0 else "")
    return SpeechError(f"{name} failed: {shown}", retryable=bool(getattr(error, "retryable", True)))
