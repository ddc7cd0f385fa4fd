"""The machine: Python, memory, open files, the clock."""

import os
import platform
import resource
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from duologue.server.doctor.findings import Finding, fail, ok, warn

FILES_MIN: Final = 4_096
"""Open files below which a server with many clients runs out: each connection takes one."""

MEMORY_MIN_BYTES: Final = 256 * 2**20
"""Free memory below which a server that starts is in danger: Python with the server takes about 80 MiB."""

CLOCK_MIN_S: Final = 1_767_225_600
"""2026-01-01: this version did not exist before."""

CLOCK_MAX_S: Final = 4_102_444_800
"""2100-01-01: a clock beyond it is not set."""


def look() -> Iterator[Finding]:
    """Look at the machine."""
    yield _python()
    yield _files()
    if (memory := _memory()) is not None:
        yield memory
    yield clock(time.time())


def clock(now_s: float) -> Finding:
    """Judge the system's clock; `now_s` is seconds since 1970."""
    if not CLOCK_MIN_S <= now_s <= CLOCK_MAX_S:
        shown = datetime.fromtimestamp(min(max(now_s, 0), 32_503_680_000), UTC).date().isoformat()
        return fail(
            "machine.clock", f"the clock says {shown}", "set the clock, best by NTP: tokens and times depend on it"
        )
    return ok("machine.clock", datetime.fromtimestamp(now_s, UTC).isoformat(timespec="seconds"))


def _python() -> Finding:
    version, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    if sys.platform == "win32":
        return fail("machine.python", f"Python {version} on {system}", "run it on Linux or macOS")
    return ok("machine.python", f"Python {version} on {system}, {os.cpu_count() or 1} cores")


def _files() -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < FILES_MIN:
        return warn(
            "machine.files",
            f"{soft} open files at most (up to {'any number' if hard == resource.RLIM_INFINITY else hard})",
            f"raise it for many connections: ulimit -n {FILES_MIN}, or LimitNOFILE= of the service",
        )
    return ok("machine.files", "any number of open files" if soft == resource.RLIM_INFINITY else f"{soft} open files")


def _memory() -> Finding | None:
    """Free memory, where the system tells."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None
    # What the system holds only to be quick can be had as well; Linux counts it apart.
    free = max(free, _available())
    shown = f"{free / 2**20:,.0f} MiB of memory free"
    if free < MEMORY_MIN_BYTES:
        return warn("machine.memory", shown, "free memory: a server that is killed for it loses no event, but time")
    return ok("machine.memory", shown)


def _available() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0
