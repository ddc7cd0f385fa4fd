"""A journal turn by turn: what was said, by which runs it was answered, and what they took."""

from collections.abc import Iterable

import msgspec

from duologue.model import events as e
from duologue.model.content import Figures, Source
from duologue.model.errors import Code
from duologue.model.voice import Latency, Preflight


class RunFigures(msgspec.Struct, kw_only=True, rename="camel"):
    """What a response took, as the engine measured it; see `model.content.Figures`."""

    ttft_ms: int | None
    duration_ms: int
    total_tokens: int
    tps: float
    quality_pass: bool
    language: str


class TurnLatency(msgspec.Struct, kw_only=True, rename="camel"):
    """What a turn of a call waited for, in ms, `None` where it did not happen; see `model.voice.Latency`."""

    transcriber_ms: int | None
    turn_detection_ms: int | None
    model_ms: int | None
    cutting_ms: int | None
    voice_ms: int | None
    total_ms: int
    preflight: Preflight | None


class Run(msgspec.Struct, kw_only=True, rename="camel"):
    """One response. Times in ms since 1970, `None` where it has not come to that.

    Attributes:
        first_text_at: when its first words came.
        made_at: when it was whole, where it was then still to be heard.
        outcome: `None` while it runs.
        superseded: the person said more before they were answered.
        will_retry: it failed, and the turn was answered again.
        author: the operator who said it; empty for the agent.
        code: why it failed.
        figures: as the engine measured them.
        characters: length of its text, in code points.
    """

    response_id: str
    attempt: int
    first_sequence: int
    started_at: int
    first_text_at: int | None = None
    made_at: int | None = None
    ended_at: int | None = None
    outcome: e.Outcome | e.Ending | None = None
    author: str = ""
    superseded: bool = False
    will_retry: bool = False
    code: Code | None = None
    message: str = ""
    figures: RunFigures | None = None
    characters: int = 0
    citations: int = 0
    tool_calls: int = 0


class TurnRow(msgspec.Struct, kw_only=True, rename="camel"):
    """One turn. Times in ms since 1970.

    Attributes:
        protocol: through which it came; empty where that is not known.
        answer: the text of its last response, as far as it came, or was heard in a call.
        outcome: `None` while it is open.
        figures: as of its last response.
        heard: how many characters of a spoken answer were heard that was cut short.
        heard_estimated: an estimate by length.
        latency: what it waited for, in a call.
    """

    turn: int
    request_id: str
    text: str
    source: Source
    protocol: str
    attachments: int
    first_sequence: int
    last_sequence: int
    accepted_at: int
    ended_at: int | None = None
    outcome: e.Outcome | e.Ending | None = None
    figures: RunFigures | None = None
    answer: str = ""
    heard: int | None = None
    heard_estimated: bool = False
    latency: TurnLatency | None = None
    responses: list[Run] = []


class Timeline:
    """Folds events into turns; give it all of a session's, in order."""

    def __init__(self) -> None:
        self._turns: list[TurnRow] = []
        self._pieces: list[str] = []

    @property
    def turns(self) -> list[TurnRow]:
        """All turns so far."""
        if self._pieces:
            self._turns[-1].answer = "".join(self._pieces)
        return self._turns

    def add(self, events: Iterable[e.AnyEvent]) -> None:
        """Take the next events."""
        for event in events:
            self._take(event)

    def _take(self, event: e.AnyEvent) -> None:
        if isinstance(event, e.TurnAccepted):
            self._turns.append(_turn(event))
            return
        # Between turns events belong to none.
        if not self._turns or event.turn != self._turns[-1].turn:
            return
        turn = self._turns[-1]
        turn.last_sequence = event.seq
        match event:
            case e.ResponseStarted():
                turn.answer, self._pieces = "", []
                turn.responses.append(_run(event))
            case e.TurnEnded():
                self._end(turn, event)
            case e.TurnResumed():
                turn.ended_at = turn.outcome = None
            case e.TurnExtended():
                turn.text = event.text
            case e.TextCompleted():
                turn.answer, self._pieces = event.text, [event.text]
            case _:
                if turn.responses:
                    self._follow(turn.responses[-1], event)

    def _end(self, turn: TurnRow, event: e.TurnEnded) -> None:
        turn.ended_at, turn.outcome, turn.figures = event.at_ms, event.outcome, _figures(event.figures)
        turn.latency = None if event.latency is None else _latency(event.latency)
        turn.heard, turn.heard_estimated = event.heard, event.heard_estimated
        if event.heard is not None:
            turn.answer, self._pieces = event.answer, [event.answer]

    def _follow(self, run: Run, event: e.AnyEvent) -> None:
        match event:
            case e.TextStarted():
                run.first_text_at = event.at_ms
            case e.TextDelta():
                run.characters = event.length
                self._pieces.append(event.text)
            case e.Cited():
                run.citations += 1
            case e.AnswerCompleted():
                run.made_at, run.figures = event.at_ms, _figures(event.figures)
            case e.ResponseEnded():
                run.ended_at, run.outcome, run.figures = event.at_ms, event.outcome, _figures(event.figures)
                run.superseded = event.superseded
            case e.ResponseFailed():
                run.ended_at, run.outcome, run.will_retry = event.at_ms, "failed", event.will_retry
                run.code, run.message = event.code, event.message
                run.figures = None if event.figures is None else _figures(event.figures)
            case e.ToolCalled():
                run.tool_calls += 1
            case _:
                pass


def _turn(event: e.TurnAccepted) -> TurnRow:
    return TurnRow(
        turn=event.turn,
        request_id=event.request_id,
        text=event.text,
        source=event.source,
        protocol=event.protocol,
        attachments=len(event.attachments) + (event.observation is not None),
        first_sequence=event.seq,
        last_sequence=event.seq,
        accepted_at=event.at_ms,
        responses=[],
    )


def _run(event: e.ResponseStarted) -> Run:
    return Run(
        response_id=event.response_id,
        attempt=event.attempt,
        author=event.author,
        first_sequence=event.seq,
        started_at=event.at_ms,
    )


def _latency(waited: Latency) -> TurnLatency:
    return TurnLatency(
        transcriber_ms=waited.transcriber_ms,
        turn_detection_ms=waited.turn_detection_ms,
        model_ms=waited.model_ms,
        cutting_ms=waited.cutting_ms,
        voice_ms=waited.voice_ms,
        total_ms=waited.total_ms,
        preflight=waited.preflight,
    )


def _figures(figures: Figures) -> RunFigures:
    return RunFigures(
        ttft_ms=figures.ttft_ms,
        duration_ms=figures.duration_ms,
        total_tokens=figures.total_tokens,
        tps=figures.tps,
        quality_pass=figures.quality_pass,
        language=figures.language,
    )
