"""What is to be said of text in Markdown: its words without its marks, each knowing where it stood.

Spoken are words, the text of links, the host of a bare address, the content of code spans, table cells with a comma
between. Not spoken are marks, addresses, HTML tags, footnote references, fenced code and pictographs. A line end is a
space; where a paragraph, heading, list item or row ends, it is "\\n", after a full stop if a word stands there. What
the text is decides, and not how it arrived: any split of it gives the same.
"""

import re
from bisect import insort
from typing import Final

LINK_CHARS: Final = 2_048
"""Longest address inside a link that is waited for: what every browser takes."""

BRACKET_CHARS: Final = 300
"""Longest text of a link, or HTML tag, that is waited for: a long title."""

_ADDRESS_STOPS: Final = r"\s<>\"`|\u00a0\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\u4e00-\u9fff\u3040-\u30ff"
_ADDRESS: Final = re.compile(rf"(?:https?://|www\.)[^{_ADDRESS_STOPS}]{{0,{LINK_CHARS}}}", re.IGNORECASE)
_ADDRESS_BEGIN: Final = re.compile(r"(?<![A-Za-z0-9])(?:https?://|www\.)", re.IGNORECASE)
_ADDRESS_MAYBE: Final = re.compile(r"(?<![A-Za-z0-9])(?:h|ht|htt|https?|https?:|https?:/|w|ww|www)$", re.IGNORECASE)
_HOST: Final = re.compile(r"(?:https?://)?(?:[^@/\s]*@)?(?:www\.)?([^/?#:\s]*)", re.IGNORECASE)
_LINK_END: Final = re.compile(r"\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\"|\s+'[^']*')?\s*\)")
_REFERENCE: Final = re.compile(r"\[(?:\^[^\[\]\s]+|\d{1,3}| |x|X)\]")
_TAG: Final = re.compile(r"<(?:/?[A-Za-z][^<>]{0,280}|!--.{0,280}?--)>", re.DOTALL)
_AUTOLINK: Final = re.compile(r"<((?:https?://|mailto:)[^\s<>]{0,280})>", re.IGNORECASE)

_PICTOGRAPHS: Final = (
    r"\u2190-\u21ff\u2300-\u23ff\u2500-\u27bf\u2b00-\u2bff\ufe0f\u20e3\U0001f000-\U0001faff\U000e0020-\U000e007f"
)
_SIGNS: Final = re.compile(rf"[{_PICTOGRAPHS}]+")
_SQUARE: Final = re.compile(r"[\[\]]|\n\n")
_ROUND: Final = re.compile(r"[()\n]")
_JOINER: Final = "\u200d"
_PLAIN: Final = re.compile(rf"[^*_~`\[\]!<\\|\s{_PICTOGRAPHS}]+")
_BLANKS: Final = re.compile(r"[ \t\r\f\v]+")

_FENCE: Final = re.compile(r"(`{3,})[^`\n]*|(~{3,})[^~\n]*")
_RULE: Final = re.compile(r"-{3,}|_{3,}|={3,}|\*{3,}")
_HEADING: Final = re.compile(r"#{1,6}(?=[ \t\n])")
_BULLET: Final = re.compile(r"[-*+](?=[ \t\n])")
_NUMBER: Final = re.compile(r"\d{1,3}[.)](?=[ \t\n])")
_BLOCK_MAYBE: Final = re.compile(r"(?:#{1,6}|--?|__?|==?|\*\*?|\+|\d{1,3}[.)]?|``?|~~?)\Z")
_ROW_RULE: Final = re.compile(r":?-+:?")


class Plain:
    """Takes the marks out of one text as it arrives.

    What it gives is text, and for each of its code points the index of where that stood, rising.
    """

    def __init__(self) -> None:
        self._raw = ""
        self._base = 0
        self._fence = ""
        self._run = ""
        self._line_begins = True
        self._newline = -1
        self._heading = False
        self._row = False
        self._said = ""
        self._before = ""
        self._blank = -1
        self._drops: list[tuple[int, int]] = []
        self._text: list[str] = []
        self._places: list[int] = []

    @property
    def length(self) -> int:
        """How many code points came in so far."""
        return self._base + len(self._raw)

    def feed(self, text: str) -> tuple[str, list[int]]:
        """Take some more in; give what is now sure to be said, and the places of each of its code points."""
        self._raw += text
        return self._read(last=False)

    def finish(self) -> tuple[str, list[int]]:
        """Give the rest: nothing more comes in."""
        return self._read(last=True)

    def _read(self, *, last: bool) -> tuple[str, list[int]]:
        at = 0
        while at < len(self._raw):
            step = self._step(at, last=last)
            if step == 0:
                break
            at += step
        if at:
            self._before = self._raw[at - 1]
            self._base += at
            self._raw = self._raw[at:]
        if last and not self._raw and self._newline >= 0:
            self._break_line(hard=True)
        text, places = "".join(self._text), self._places
        self._text, self._places = [], []
        return text, places

    def _step(self, at: int, *, last: bool) -> int:
        """Read what stands at a place of the raw text. Returns how much it was; 0 where more has to arrive."""
        if self._fence:
            return self._in_fence(at, last=last)
        if dropped := self._dropped(self._base + at) or self._in_run(at):
            return dropped
        if self._line_begins:
            return self._line_begin(at, last=last)
        return self._inline(at, last=last)

    def _dropped(self, place: int) -> int:
        """How much of a link's address begins here."""
        while self._drops and self._drops[0][1] <= place:
            self._drops.pop(0)
        return self._drops[0][1] - place if self._drops and self._drops[0][0] <= place else 0

    def _in_run(self, at: int) -> int:
        """How much more there is of a long run of one mark, and of joiners between pictographs."""
        self._run = self._run if self._raw[at] == self._run else ""
        return self._run_length(at) if self._run else 0

    def _run_length(self, at: int) -> int:
        rest = self._raw[at:]
        return len(rest) - len(rest.lstrip(rest[0]))

    # --- Blocks

    def _in_fence(self, at: int, *, last: bool) -> int:
        """Skip fenced code up to a line's end, and see whether that line ends it."""
        end = self._raw.find("\n", at)
        line = self._raw[at : end if end >= 0 else None]
        ends = self._line_begins and len(line) < BRACKET_CHARS and line.strip().startswith(self._fence)
        if end < 0 and not last and (ends or (self._line_begins and self._fence.startswith(line.strip()))):
            return 0
        self._line_begins = end >= 0
        if ends and not line.strip().strip(self._fence[0]):
            self._fence = ""
            self._line_begins = True
        return len(line) + (end >= 0)

    def _line_begin(self, at: int, *, last: bool) -> int:
        """Read marks at the begin of a line, and decide what the line end before it was."""
        raw = self._raw
        if blanks := _BLANKS.match(raw, at):
            return blanks.end() - at
        if raw[at] == "\n":
            self._hard(at)
            return 1
        if not last and _BLOCK_MAYBE.match(raw, at):
            return 0
        if (fence := _FENCE.match(raw, at)) and (step := self._open_fence(fence, at, last=last)) is not None:
            return step
        if mark := _RULE.match(raw, at) or _HEADING.match(raw, at) or _BULLET.match(raw, at):
            self._hard(at)
            self._heading = mark.group()[0] == "#"
            self._line_begins = mark.group() in ("-", "*", "+")
            self._run = mark.group()[0] if len(mark.group()) > 2 and not self._heading else ""
            return len(mark.group())
        if raw[at] == ">":
            return 1
        if raw[at] == "|" or _NUMBER.match(raw, at):
            self._hard(at)
            self._row = raw[at] == "|"
        elif self._newline >= 0:
            self._break_line(hard=self._heading or self._row)
            self._heading = self._row = False
        self._line_begins = False
        return self._inline(at, last=last)

    def _open_fence(self, fence: re.Match[str], at: int, *, last: bool) -> int | None:
        """Begin fenced code; `None` where it is no fence."""
        raw, end = self._raw, fence.end()
        if end - at >= BRACKET_CHARS or (end < len(raw) and raw[end] != "\n"):
            return None
        if end == len(raw) and not last:
            return 0
        self._hard(at)
        self._fence = fence.group(1) or fence.group(2)
        return min(end + 1, len(raw)) - at

    def _hard(self, at: int) -> None:
        """A block ended before this place."""
        if self._newline < 0:
            self._newline = self._base + at
        self._break_line(hard=True)
        self._heading = self._row = False

    def _break_line(self, *, hard: bool) -> None:
        if hard and self._said.isalnum():
            self._say("。" if self._said >= "\u2e80" else ".", self._newline)
        if self._said not in ("", "\n"):
            self._say("\n" if hard else " ", self._newline)
        self._newline = -1

    # --- Inside of a line

    def _inline(self, at: int, *, last: bool) -> int:
        raw = self._raw
        char = raw[at]
        if char == "\n":
            self._newline = self._base + at
            self._line_begins = True
            return 1
        if blanks := _BLANKS.match(raw, at):
            self._say_blank(at)
            return blanks.end() - at
        if plain := _PLAIN.match(raw, at):
            return self._words(at, plain.end(), last=last)
        if signs := _SIGNS.match(raw, at):
            self._run = _JOINER
            return signs.end() - at
        if char in "*_~":
            return self._emphasis(at, last=last)
        if char in "[!":
            return self._bracket(at, last=last)
        if char == "<":
            return self._tag(at, last=last)
        return self._sign(at, last=last)

    def _words(self, at: int, end: int, *, last: bool) -> int:
        """Say a run without marks, up to where an address begins."""
        raw = self._raw
        before = raw[at - 1] if at else self._before
        inside = before.isascii() and before.isalnum()
        address = _ADDRESS_BEGIN.search(raw, at + inside, min(end + 3, len(raw)))
        if address is not None and address.start() == at:
            return self._address(at, last=last)
        if address is not None and address.start() < end:
            end = address.start()
        elif end == len(raw) and not last and (maybe := _ADDRESS_MAYBE.search(raw, at + inside)):
            end = maybe.start()
        if self._row and before in "| ":
            if end == len(raw) and not last and raw[end - 1] in ":-":
                end = at + len(raw[at:end].rstrip(":-"))
            elif rule := _ROW_RULE.fullmatch(raw, at, end):
                return rule.end() - at
        self._say_range(at, end)
        return end - at

    def _address(self, at: int, *, last: bool) -> int:
        """Say the host of a bare address."""
        limit = self._drops[0][0] - self._base if self._drops else len(self._raw)
        found = _ADDRESS.match(self._raw, at, limit)
        if found is None:
            self._say_range(at, at + 1)
            return 1
        if found.end() == len(self._raw) and not last and found.end() - at < LINK_CHARS:
            return 0
        whole = found.group().rstrip(".,;:!?)'*_~]")
        host = _HOST.match(whole)
        if host is None or not host.group(1):
            self._say_range(at, at + 1)
            return 1
        self._say_range(at + host.start(1), at + host.end(1))
        return len(whole)

    def _emphasis(self, at: int, *, last: bool) -> int:
        """Leave out marks of emphasis; keep signs inside of names and sums."""
        raw, char = self._raw, self._raw[at]
        end = at + self._run_length(at)
        if end - at > 2:
            self._run = char
            return end - at
        if end == len(raw) and not last:
            return 0
        after = raw[end : end + 1]
        within = (self._said.isalnum() and after.isalnum()) if char == "_" else self._is_sum(char, end - at, after)
        if within or (char == "~" and end - at == 1):
            self._say_range(at, end)
        return end - at

    def _is_sum(self, char: str, length: int, after: str) -> bool:
        """Whether a star multiplies."""
        digits = self._said.isdigit() and after.isdigit()
        return char == "*" and length == 1 and (digits or (self._said in (" ", "") and after == " "))

    def _bracket(self, at: int, *, last: bool) -> int:
        """Read a link, a picture or a reference; else say the bracket."""
        raw = self._raw
        image = raw[at] == "!"
        if image and at + 1 == len(raw) and not last:
            return 0
        begin = at + image
        if raw[begin : begin + 1] != "[":
            self._say_range(at, at + 1)
            return 1
        close = _closing(raw, begin)
        if not last and self._waits_for_link(begin, close):
            return 0
        end = _address_end(raw, close + 1) if close >= 0 and raw[close + 1 : close + 2] == "(" else -1
        if end >= 0 and _LINK_END.fullmatch(raw, close, end):
            insort(self._drops, (self._base + close, self._base + end))
            return begin + 1 - at
        reference = _REFERENCE.match(raw, begin) if close >= 0 else None
        return reference.end() - at if reference is not None else self._bare_bracket(begin, at)

    def _waits_for_link(self, begin: int, close: int) -> bool:
        """Whether more has to arrive to say if a bracket is a link."""
        raw = self._raw
        if close < 0:
            return len(raw) - begin < BRACKET_CHARS and "\n\n" not in raw[begin:]
        if close + 1 == len(raw):
            return True
        opens = raw[close + 1] == "(" and "\n" not in raw[close:]
        return opens and len(raw) - close < LINK_CHARS and _address_end(raw, close + 1) < 0

    def _bare_bracket(self, begin: int, at: int) -> int:
        self._say_range(at, begin + 1)
        return begin + 1 - at

    def _tag(self, at: int, *, last: bool) -> int:
        """Leave a tag of HTML out; say the host of an address in angles."""
        raw = self._raw
        if link := _AUTOLINK.match(raw, at):
            host = _HOST.match(link.group(1))
            shown = host is not None and host.group(1) and not link.group(1).startswith("mailto:")
            begin, end = host.span(1) if host is not None and shown else (0, len(link.group(1)))
            self._say_range(at + 1 + begin, at + 1 + end)
            return link.end() - at
        if tag := _TAG.match(raw, at):
            self._say_blank(at)
            return tag.end() - at
        follows = raw[at + 1 : at + 2]
        waits = not last and len(raw) - at < BRACKET_CHARS and (not follows or follows.isalpha() or follows in "/!")
        if waits:
            return 0
        self._say_range(at, at + 1)
        return 1

    def _sign(self, at: int, *, last: bool) -> int:
        """Read a backslash, a backtick, a bar, a closing bracket or an odd space."""
        raw, char = self._raw, self._raw[at]
        if char == "`":
            return 1
        if char == "|":
            if self._row and self._said.isalnum():
                self._say(",", self._base + at)
            return 1
        if char == "\\":
            if at + 1 == len(raw) and not last:
                return 0
            if raw[at + 1 : at + 2] and raw[at + 1] in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
                self._say_range(at + 1, at + 2)
                return 2
        self._say_range(at, at + 1)
        return 1

    # --- What is said

    def _say_range(self, begin: int, end: int) -> None:
        if end > begin:
            if self._blank >= 0:
                self._say(" ", self._blank)
            self._text.append(self._raw[begin:end])
            self._places.extend(range(self._base + begin, self._base + end))
            self._said = self._raw[end - 1]

    def _say_blank(self, at: int) -> None:
        """Say a space, unless there is one; in a table only before the next word, as a comma may come first."""
        if self._row:
            self._blank = self._base + at
        elif self._said not in ("", " ", "\n"):
            self._say(" ", self._base + at)

    def _say(self, char: str, place: int) -> None:
        if char != ",":
            self._blank = -1
        if char != " " or self._said not in ("", " ", "\n"):
            self._text.append(char)
            self._places.append(place)
            self._said = char


def _closing(raw: str, begin: int) -> int:
    """Where the bracket that opens at `begin` closes, on the same level; -1 where it does not yet."""
    end = begin + BRACKET_CHARS - 1
    return _level(_SQUARE, raw, begin, end) if raw.find("]", begin, end) >= 0 else -1


def _address_end(raw: str, begin: int) -> int:
    """Where the round bracket that opens at `begin` has been closed, in the same line; -1 where it has not."""
    end = begin + LINK_CHARS - 1
    return _level(_ROUND, raw, begin, end) + 1 or -1 if raw.find(")", begin, end) >= 0 else -1


def _level(signs: re.Pattern[str], raw: str, begin: int, end: int) -> int:
    """Where the bracket at `begin` is closed; -1 where a break comes first, or nothing."""
    depth = 0
    for sign in signs.finditer(raw, begin, end):
        if sign.group()[0] == "\n":
            return -1
        depth += 1 if sign.group() in "[(" else -1
        if depth == 0:
            return sign.start()
    return -1
