"""`WS /audio`: sound in binary messages, and a few words about it in text messages."""

from duologue.transports.audio.socket import AudioSocket

__all__ = ["AudioSocket"]
