"""What the terminal shows: an answer as it comes, and what belongs to it."""

import re
from typing import Final

import msgspec
from rich.cells import cell_len
from rich.console import Console

from duologue.server.chat_link import NOWHERE, ChatFrame, ChipPart

PAYLOAD_CHARS: Final = 2_000
"""How much of a rich payload is shown: about a screen."""

_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, which would command the terminal, and those that turn the order of letters around."""

_PIECES: Final = re.compile(r"\n|[^\S\n]+|\S+")
_ERASE: Final = "\033[K"


class Flow:
    """Breaks a text that comes in pieces into lines between words.

    A word is shown as far as it has come; if it then grows beyond the line, it is taken back and begun anew.

    Args:
        width: cells of a line; 0 breaks no lines.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._column = 0
        self._word = ""
        self._begun = False
        self._broken = False

    @property
    def column(self) -> int:
        """Cells of the last line that are taken."""
        return self._column

    def feed(self, text: str) -> str:
        """Take some more text; returns what is to be written."""
        if not self._width:
            last = text.rpartition("\n")[2]
            self._column = cell_len(last) + (0 if "\n" in text else self._column)
            return text
        return "".join([self._piece(piece) for piece in _PIECES.findall(text)])

    def _piece(self, piece: str) -> str:
        if piece.isspace():
            return self._gap(piece)
        cells = cell_len(piece)
        self._broken = False
        before = cell_len(self._word)
        self._word += piece
        whole = before + cells
        if self._column + cells <= self._width:
            self._column += cells
            return piece
        begun = self._begun or self._column == before
        # What is longer than a line the terminal breaks.
        self._column, self._begun = (whole - 1) % self._width + 1, True
        if begun:
            return piece
        return "\b" * before + _ERASE * (before > 0) + "\n" + self._word

    def _gap(self, piece: str) -> str:
        """A line's end, or spaces; after a line that was broken here neither is wanted."""
        self._word, self._begun = "", False
        cells = cell_len(piece)
        if piece == "\n" and self._broken:
            self._broken = False
            return ""
        if piece == "\n" or self._column + cells >= self._width:
            written = "" if self._broken else "\n"
            self._column, self._broken = 0, piece != "\n"
            return written
        if self._broken:
            return ""
        self._column += cells
        return piece


class Screen:
    """Shows a conversation on a console.

    Args:
        out: answers go there.
        notes: what is not the conversation itself goes there.
    """

    def __init__(self, out: Console, notes: Console) -> None:
        self._out, self._notes = out, notes
        self._flow = self._new_flow()
        self._sources: list[tuple[str, str]] = []
        self.chips: tuple[ChipPart, ...] = ()

    def said(self, text: str) -> None:
        """Show what a person said, here earlier or elsewhere."""
        self._break()
        self._out.out(f"you> {_seen(text)}", style="bold", highlight=False)

    def token(self, text: str) -> None:
        """Show some more of an answer."""
        shown = self._flow.feed(_seen(text))
        self._out.file.write(shown)
        self._out.file.flush()

    def cite(self, title: str, url: str) -> None:
        """Mark the text with the number of its source; the list of sources follows the answer."""
        source = (_seen(title), _seen(url).removeprefix(NOWHERE))
        if source not in self._sources:
            self._sources.append(source)
        self.token(f" [{self._sources.index(source) + 1}]")

    def payload(self, frame: ChatFrame) -> None:
        """Show something that is not text, as far as a terminal can."""
        self._break()
        text = msgspec.json.format(msgspec.json.encode(frame.data), indent=2).decode()
        if len(text) > PAYLOAD_CHARS:
            text = text[:PAYLOAD_CHARS] + " …"
        self._out.out(f"[{_seen(frame.payload_type)}]\n{_seen(text)}", style="cyan", highlight=False)

    def begin(self) -> None:
        """Begin an answer."""
        self._break()
        self._flow = self._new_flow()
        self._sources, self.chips = [], ()

    def end(self) -> None:
        """End an answer: its sources and what may be said next."""
        self._break()
        for number, (title, url) in enumerate(self._sources, start=1):
            self._out.out(f"  [{number}] {title}  {url}", style="dim", highlight=False)
        for number, chip in enumerate(self.chips, start=1):
            self._out.out(f"  {number}  {_seen(chip.label)}", style="cyan", highlight=False)
        self._sources = []
        if self._out.is_terminal:
            self._out.out("")

    def note(self, text: str, *, style: str = "dim") -> None:
        """Say something about the conversation."""
        self._break()
        self._notes.out(_seen(text), style=style, highlight=False)

    def error(self, text: str, *, retryable: bool) -> None:
        """Show an error, with what can be done."""
        self.note(f"error: {text}{' (send it again)' if retryable else ''}", style="red")

    def _new_flow(self) -> Flow:
        """Lines as wide as the terminal is now."""
        return Flow(self._out.width if self._out.is_terminal else 0)

    def _break(self) -> None:
        if self._flow.column:
            self.token("\n")


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text.replace("\t", "    "))
