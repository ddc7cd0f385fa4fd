"""Vectors as they are stored: 32-bit floats, little-endian, of length 1."""

import struct
from math import sqrt

from duologue.ports.memory import Vector


def pack(vector: Vector) -> bytes:
    """Write a vector."""
    length = sqrt(sum(part * part for part in vector)) or 1.0
    return struct.pack(f"<{len(vector)}f", *[part / length for part in vector])
