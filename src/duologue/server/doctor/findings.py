"""What the doctor says."""

from typing import Literal

from duologue.model.base import Value

Status = Literal["ok", "note", "warn", "fail", "skip"]


class Finding(Value, kw_only=True):
    """One thing that was looked at.

    Attributes:
        check: what, as a stable id.
        status: `ok`; `note`: worth knowing; `warn`: works, and will be regretted; `fail`: does not work; `skip`:
            could not be looked at.
        found: what is there. Never a secret, nor what people wrote.
        mend: what to do; empty where nothing is.
    """

    check: str
    status: Status
    found: str
    mend: str = ""


def ok(check: str, found: str) -> Finding:
    """Say that something is well."""
    return Finding(check=check, status="ok", found=found)


def note(check: str, found: str, mend: str = "") -> Finding:
    """Say something worth knowing."""
    return Finding(check=check, status="note", found=found, mend=mend)


def warn(check: str, found: str, mend: str) -> Finding:
    """Say that something works and will be regretted."""
    return Finding(check=check, status="warn", found=found, mend=mend)


def fail(check: str, found: str, mend: str) -> Finding:
    """Say that something does not work."""
    return Finding(check=check, status="fail", found=found, mend=mend)


def skip(check: str, found: str, mend: str = "") -> Finding:
    """Say that something could not be looked at, and why."""
    return Finding(check=check, status="skip", found=found, mend=mend)
