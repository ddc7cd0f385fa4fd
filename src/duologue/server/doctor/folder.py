"""The data folder from outside: where it is, who may read it, how much room there is, and who has it open."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from duologue.model.base import Value
from duologue.server.doctor.findings import Finding, fail, note, ok, warn

SPACE_FAIL_BYTES: Final = 100 * 2**20
"""Free space below which the next busy hour may fill the disk: the write-ahead log alone takes up to 256 MiB."""

SPACE_WARN_BYTES: Final = 2**30
"""Free space that should be there: a day of a busy server, and room to move."""

NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "fuse.sshfs", "glusterfs", "ceph"})
"""File systems on which SQLite's write-ahead log does not work: its index is memory that processes share."""


class Holder(Value, kw_only=True):
    """Who has the folder open; `pid` as the lock file says it, or empty."""

    pid: str


def look(folder: Path, holder: Holder | None) -> Iterator[Finding]:
    """Look at the folder, which may not be there yet."""
    if not folder.exists():
        yield _missing(folder)
        return
    if not folder.is_dir():
        yield fail("folder.place", f"{folder} is no folder", "name another with server.data or --data")
        return
    yield _access(folder)
    yield _space(folder)
    yield _system(folder)
    if holder is None:
        yield ok("folder.lock", "nobody has it open")
    else:
        yield ok("folder.lock", f"open in process {holder.pid or 'unknown'}: a server, or a command that looks at it")


def holder_of(folder: Path) -> Holder | None:
    """Who has the folder open; asked of the system, without touching the lock."""
    for path in sorted(folder.glob("*.lock")):
        if _is_locked(path):
            return Holder(pid=path.read_text(encoding="ascii", errors="replace").strip()[:20])
    return None


def size_of(folder: Path) -> int:
    """The bytes of its files."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def _missing(folder: Path) -> Finding:
    above = next((path for path in folder.absolute().parents if path.exists()), Path("/"))
    if not os.access(above, os.W_OK | os.X_OK):
        return fail("folder.place", f"{folder} is not there and cannot be made", f"let this user write in {above}")
    return note("folder.place", f"{folder} is not there yet", "the first start makes it")


def _access(folder: Path) -> Finding:
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return fail(
            "folder.place", f"{folder} cannot be written by this user", f"give it to the user: chown -R ... {folder}"
        )
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return warn("folder.place", f"others may look into {folder} (mode {mode:o})", f"chmod 700 {folder}")
    return ok("folder.place", f"{folder}, for its owner alone")


def _space(folder: Path) -> Finding:
    free, size = shutil.disk_usage(folder).free, size_of(folder)
    shown = f"{size / 2**20:,.1f} MiB used, {free / 2**20:,.0f} MiB free"
    if free < SPACE_FAIL_BYTES:
        return fail("folder.space", shown, "free space now: turns will be refused with store_failed")
    if free < SPACE_WARN_BYTES:
        return warn("folder.space", shown, "free space, or set store.retain_events to keep journals short")
    return ok("folder.space", shown)


def _system(folder: Path) -> Finding:
    kind = file_system(folder)
    if kind in NETWORK:
        return fail("folder.system", f"on a network file system ({kind})", "move it to a local disk")
    return ok("folder.system", f"on {kind or 'a file system that has no name here'}")


def file_system(folder: Path) -> str:
    """The name of the file system that holds a folder; empty where the system does not tell."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    best, kind = -1, ""
    place = str(folder.resolve())
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, more = before.split(), after.split()
        if len(fields) < 5 or not more:
            continue
        mount = fields[4].rstrip("/")
        if (place == mount or place.startswith(mount + "/")) and len(mount) > best:
            best, kind = len(mount), more[0]
    return kind


def _is_locked(path: Path) -> bool:
    """Whether a process holds a lock on a file; Linux lists them all, elsewhere it has to be tried."""
    try:
        known = Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    except OSError:
        return _try(path)
    at = path.stat()
    name = f"{os.major(at.st_dev):02x}:{os.minor(at.st_dev):02x}:{at.st_ino}"
    return any(name in line.split() for line in known.splitlines())


def _try(path: Path) -> bool:
    import fcntl

    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(file, fcntl.LOCK_UN)
        return False
