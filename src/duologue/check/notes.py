"""Where a checker notes what it finds."""

from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from duologue.check.findings import Finding, Frame, Rule, pointer
from duologue.model import limits

if TYPE_CHECKING:
    from collections.abc import Generator


MIDDLE: Final = "; where the recording begins in the middle, check it with --resumed"
"""What to do as well about a beginning that is missing."""


class Notes:
    """Collects findings; knows which frame is being looked at.

    Attributes:
        findings: so far, in the order of the frames.
        dropped: those beyond `limits.CHECK_FINDINGS` (policy: the first are kept, the rest is counted).
        here: the frame that is being looked at.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self.findings: list[Finding] = []
        self.dropped = 0
        self.here = Frame(number=0, line=1, data=b"")
        self._inside: tuple[str | int, ...] = ()

    def tell(
        self,
        rule: str,
        *where: str | int,
        found: str,
        expected: str,
        frame: Frame | None = None,
        mend: str = "",
        unbegun: bool = False,
    ) -> None:
        """Note a finding.

        Args:
            rule: its id.
            where: the steps from the frame to the value.
            found: what is there.
            expected: what should be.
            frame: another frame than the present one.
            mend: what to do, where it can be said more exactly than the rule does.
            unbegun: nothing has begun so far, so that the recording may be the later part of a longer one.
        """
        if len(self.findings) >= limits.CHECK_FINDINGS:
            self.dropped += 1
            return
        known, frame = self._rules[rule], frame or self.here
        self.findings.append(
            Finding(
                rule=rule,
                severity=known.severity,
                frame=frame.number,
                line=frame.line,
                pointer=pointer(*self._inside, *where),
                found=found,
                expected=expected,
                mend=(mend or known.mend) + (MIDDLE if unbegun else ""),
            )
        )

    @contextmanager
    def inside(self, *steps: str | int) -> "Generator[None]":
        """Look at a part of the frame: pointers begin there."""
        before = self._inside
        self._inside = (*before, *steps)
        try:
            yield
        finally:
            self._inside = before
