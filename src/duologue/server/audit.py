"""The audit trail: who did what that matters to others, when and from where, one line of JSON each.

Only ever appended to, and turned over at a size. It holds names and ids, and nothing that people wrote; of a tool's
call also its arguments, but what the tool declares to be hidden.
"""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import msgspec

from duologue.model.base import Value
from duologue.ports.clock import Clock
from duologue.runtime.events_log import EventLog
from duologue.server.auth import Identity

NAME: Final = "audit.jsonl"

FILE_BYTES: Final = 16 * 2**20
"""Size at which a file is turned over: about 60,000 entries."""

FILES: Final = 8
"""Files that are kept, the oldest is removed: 128 MiB in all."""

FIELD_CHARS: Final = 256
"""Longest value: names and ids are not longer, and a line stays short."""

READ_BYTES: Final = 2**20
"""How much of the end is read to show the latest entries: about 4,000 of them."""


class Entry(Value, kw_only=True):
    """One line.

    Attributes:
        at: RFC 3339, UTC.
        action: what was done, such as `session.deleted`.
        outcome: `done`, or the code of the refusal.
        who: kind of the actor: an API key, a person's token, somebody on this machine without auth, the command line,
            the agent with one of its tools, or nobody where no credential was good.
        name: of the API key.
        subject: the person who acted, or for whom a backend did.
        address: where it came from.
        about: what it was done to: ids and names.
    """

    at: str
    action: str
    outcome: str
    who: Literal["key", "person", "local", "command line", "agent", "nobody"]
    name: str = ""
    subject: str = ""
    address: str = ""
    about: dict[str, str] | None = None


class Audit:
    """Appends to the trail in a folder. A line that cannot be written is logged, and what it tells of goes on.

    Belongs to one thread; a line takes about 20 µs, as it goes to the system and not to the disk.
    """

    def __init__(self, folder: Path, *, clock: Clock, log: EventLog, file_bytes: int = FILE_BYTES) -> None:
        self._folder, self._clock, self._log, self._file_bytes = folder, clock, log, file_bytes
        self._fd: int | None = None
        self._size = 0

    def note(
        self,
        action: str,
        *,
        outcome: str = "done",
        identity: Identity | None = None,
        address: str = "",
        who: Literal["command line", "agent"] | None = None,
        about: dict[str, str] | None = None,
    ) -> None:
        """Write one entry; without an identity, of somebody unknown at an address."""
        entry = Entry(
            at=datetime.fromtimestamp(self._clock.now_ms() / 1000, UTC).isoformat(timespec="milliseconds"),
            action=action,
            outcome=outcome,
            who=who or _who(identity),
            name=identity.name if identity is not None else "",
            subject=_cut(identity.subject) if identity is not None else "",
            address=_cut(identity.address if identity is not None else address),
            about={name: _cut(value) for name, value in about.items()} if about else None,
        )
        line = msgspec.json.encode(entry) + b"\n"
        try:
            fd = self._file(len(line))
            self._size += os.write(fd, line)
        except OSError as error:
            self.close()
            self._log("audit_failed", action=action, error=str(error))

    def latest(self, count: int) -> list[bytes]:
        """The latest lines, oldest first, as far as the last MiB holds them; for a thread."""
        found: list[bytes] = []
        room = READ_BYTES
        for path in (self._path(0), self._path(1)):
            if len(found) < count and room and path.is_file():
                lines = _tail(path, room)
                room -= min(room, sum(map(len, lines)))
                found = lines + found
        return found[-count:]

    def close(self) -> None:
        """Let go of the file; another note opens it again."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _path(self, age: int) -> Path:
        return self._folder / (NAME if age == 0 else f"audit.{age}.jsonl")

    def _file(self, room: int) -> int:
        if self._fd is not None and self._size + room <= self._file_bytes:
            return self._fd
        self.close()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(0)
        if path.is_file() and path.stat().st_size + room > self._file_bytes:
            self._turn_over()
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._fd).st_size
        # A line that a crash cut in two spoils itself alone.
        if self._size and os.pread(self._fd, 1, self._size - 1) != b"\n":
            self._size += os.write(self._fd, b"\n")
        return self._fd

    def _turn_over(self) -> None:
        self._path(FILES - 1).unlink(missing_ok=True)
        for age in range(FILES - 2, -1, -1):
            if self._path(age).is_file():
                self._path(age).rename(self._path(age + 1))


def _tail(path: Path, size: int) -> list[bytes]:
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END)
        file.seek(max(0, length - size))
        lines = file.read(size).splitlines()
    return lines[1:] if length > size else lines


def _who(identity: Identity | None) -> Literal["key", "person", "local", "nobody"]:
    if identity is None:
        return "nobody"
    if not identity.is_backend:
        return "person"
    return "key" if identity.name else "local"


def _cut(text: str) -> str:
    return text if len(text) <= FIELD_CHARS else text[:FIELD_CHARS] + "…"
