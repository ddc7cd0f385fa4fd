"""What is said and heard in a call, which Duologue's CUSTOM events and Ghost's tell alike."""

from duologue.check.findings import shown
from duologue.check.notes import Notes


class Words:
    """Follows the words of answers that are spoken.

    Args:
        rule: the id of the rule that is broken.
    """

    def __init__(self, notes: Notes, rule: str) -> None:
        self._notes, self._rule = notes, rule
        self._heard = 0
        self._over = ""

    def begin(self) -> None:
        """Another answer begins."""
        self._heard, self._over = 0, ""

    def stop(self, why: str) -> None:
        """The answer is spoken no more: it was interrupted, or heard to its end."""
        self._over = why

    def speak(self, word: str, begin: int, end: int, *, where: tuple[str, ...]) -> None:
        """A word begins to be heard."""
        if self._over:
            found, expected = f"the word {shown(word)} after {self._over}", "no more words of that answer"
            self._notes.tell(self._rule, *where, found=found, expected=expected)
        elif begin < self._heard:
            expected = f"{self._heard} or more, where the word before it ends"
            self._notes.tell(self._rule, *where, "begin", found=str(begin), expected=expected)
        elif end <= begin:
            self._notes.tell(self._rule, *where, "end", found=str(end), expected=f"more than {begin}")
        self._heard = max(self._heard, end)


class Segments:
    """Follows what is recognised of each segment.

    Args:
        rule: the id of the rule that is broken.
    """

    def __init__(self, notes: Notes, rule: str) -> None:
        self._notes, self._rule = notes, rule
        self._known: set[int] = set()

    def begin(self) -> None:
        """Segments are counted anew, or may be."""
        self._known.clear()

    def hear(self, segment: int, *, final: bool, where: tuple[str, ...]) -> None:
        """Something of a segment was recognised. The number 0 is no segment: the client recognised it."""
        if segment in self._known:
            found, expected = f"segment {segment} after its final transcript", "nothing more of it"
            self._notes.tell(self._rule, *where, "segment", found=found, expected=expected)
        elif final and segment:
            self._known.add(segment)
