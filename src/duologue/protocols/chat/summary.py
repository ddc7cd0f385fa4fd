"""One turn as one JSON object, for a client that takes no stream."""

from collections.abc import Sequence
from typing import Final, Literal, assert_never

import msgspec
from msgspec import UNSET, UnsetType

from duologue.model import events as e
from duologue.protocols.chat import errors, wire
from duologue.protocols.chat.links import absolute
from duologue.protocols.chat.project import chip_parts, figures_part, interrupt_part, payload_version, project

_encode: Final = msgspec.json.Encoder().encode


class _Gathered:
    """What the events of the turn come to; a new response begins anew."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.request_id = ""
        self.turn = 0
        self.outcome: e.Outcome | Literal["unfinished"] = "unfinished"
        self.figures: wire.FiguresPart | UnsetType = UNSET
        self.restart("")

    def restart(self, response_id: str) -> None:
        self.response_id = response_id
        self.text: list[str] = []
        self.citations: list[wire.CitationPart] = []
        self.chips: tuple[wire.ChipFrame, ...] = ()
        self.payloads: list[wire.PayloadPart] = []
        self.interrupts: tuple[wire.InterruptPart, ...] = ()
        self.waiting: tuple[str, ...] = ()
        self.error: wire.ErrorPart | UnsetType = UNSET

    def take(self, event: e.AnyEvent) -> None:
        match event:
            case e.TurnAccepted():
                self.request_id, self.turn = event.request_id, event.turn
            case e.ResponseStarted():
                self.restart(event.response_id)
            case e.TextDelta():
                self.text.append(event.text)
            case e.TextCompleted():
                self.text = [event.text]
            case e.Cited():
                self.citations.append(
                    wire.CitationPart(
                        title=event.title, url=absolute(event.url, self._base), snippet=event.snippet or UNSET
                    )
                )
            case e.Suggested():
                self.chips = chip_parts(event.chips)
            case e.Showed():
                self.payloads.append(
                    wire.PayloadPart(
                        payload_type=event.payload_type,
                        payload_version=payload_version(event),
                        data=event.data,
                    )
                )
            case e.ResponseFailed():
                self.error = _error(event)
            case e.ResponseEnded():
                self.interrupts = tuple(interrupt_part(one) for one in event.interrupts)
                self.waiting = event.pending_calls
            case e.TurnEnded():
                self.outcome, self.figures = event.outcome, figures_part(event.figures)
            case (
                e.SessionStarted()
                | e.CapabilitiesChanged()
                | e.TextStarted()
                | e.Noted()
                | e.ToolCalled()
                | e.ToolReturned()
                | e.StateChanged()
                | e.SessionEnded()
                | e.HistoryTrimmed()
                | e.VoiceEvent()
                | e.ActingEvent()
            ):
                pass
            case _:
                assert_never(event)


def summarise(session_id: str, events: Sequence[e.AnyEvent], base: str) -> bytes:
    """Write one turn's events as the plain JSON answer.

    Args:
        session_id: the conversation.
        events: from the turn's `TurnAccepted` to its `TurnEnded`, in order; where the end is missing,
            the outcome is `unfinished`.
        base: this server's own address, for citations of its pages.
    Returns:
        A JSON object; text, citations and the rest are those of the turn's last response, `events` are all.
    """
    gathered = _Gathered(base)
    for event in events:
        gathered.take(event)
    frames = (project(event, base) for event in events)
    body = wire.SummaryBody(
        session_id=session_id,
        request_id=gathered.request_id or errors.SESSION_WIDE,
        turn=gathered.turn,
        response_id=gathered.response_id,
        outcome=gathered.outcome,
        text="".join(gathered.text),
        citations=tuple(gathered.citations),
        chips=gathered.chips,
        payloads=tuple(gathered.payloads),
        interrupts=gathered.interrupts,
        pending_tool_calls=gathered.waiting,
        error=gathered.error,
        figures=gathered.figures,
        events=tuple(msgspec.Raw(frame) for frame in frames if frame is not None),
    )
    return _encode(body)


def _error(event: e.ResponseFailed) -> wire.ErrorPart:
    return wire.ErrorPart(
        code=errors.code_word(event.code, retryable=event.retryable),
        message=event.message,
        retryable=event.retryable,
        reason=event.code,
    )
