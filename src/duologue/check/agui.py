"""AG-UI: the lifecycles of runs, messages, tool calls, steps, reasoning, state and subagents."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from duologue.check import agui_parts as parts
from duologue.check.agui_custom import Customs
from duologue.check.agui_parts import Parts
from duologue.check.agui_schema import EVENTS
from duologue.check.agui_state import States
from duologue.check.findings import Frame, JsonObject, shown
from duologue.check.latency import wrong_sum
from duologue.check.notes import Notes
from duologue.check.schema import Judge
from duologue.model.jsonwire import Json

OUTSIDE: Final = frozenset({"CUSTOM", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "RAW"})
"""What a stream of a whole session may hold between runs; a stream of runs may not."""

_judge: Final = Judge(EVENTS)


@dataclass(slots=True)
class Run:
    """A run that is open, or the last one.

    Attributes:
        over: the type of the event that ended it; empty while it is open.
    """

    frame: Frame
    thread: Json = None
    run: Json = None
    over: str = ""
    inner: Parts = field(default_factory=Parts)


class AguiTrack:
    """Follows one stream of AG-UI events.

    Args:
        session: the stream is a whole session's, with more between the runs.
        resumed: it may begin in the middle of a run.
        customs: the judge of the values of Duologue's CUSTOM events; `None` where somebody else judges those.
    """

    def __init__(
        self, notes: Notes, *, session: bool = False, resumed: bool = False, customs: Judge | None = None
    ) -> None:
        self._notes, self._session, self.resumed = notes, session, resumed
        self._run: Run | None = None
        self._waiting: dict[str, set[str]] = {}
        self._states = States(notes)
        self._customs = Customs(notes, customs)

    def take(self, frame: JsonObject) -> None:
        """Look at the next event."""
        event = frame
        kind = event.get("type")
        if not isinstance(kind, str):
            self._notes.tell("agui-type", "type", found=shown(kind), expected="the name of an event")
            return
        if kind not in _judge:
            self._unknown(kind)
            return
        faults = list(_judge.faults(kind, event))
        for fault in faults:
            self._notes.tell("agui-schema", *fault.where, found=fault.found, expected=fault.expected)
        if kind == "CUSTOM":
            self._customs.take(event)
        if kind == "RUN_STARTED":
            self._start(event)
        elif not (self._between_runs(kind) or self._misplaced(kind)):
            # What has the wrong shape opens nothing that could be missed later, and closes what its id names.
            self._inside_run(kind, event)

    def end(self, *, whole: bool) -> None:
        """Look back when nothing more comes; `whole` is false where the recording was cut by a bound."""
        run = self._run
        if run is not None and not run.over and whole:
            self._notes.tell(
                "agui-run-open",
                frame=run.frame,
                found=f"run {shown(run.run)} without an end",
                expected="RUN_FINISHED or RUN_ERROR",
            )
            run.inner.close_chunks(self._notes, "")
            run.inner.finish(self._notes)

    def _unknown(self, kind: str) -> None:
        squeezed = kind.replace("_", "").replace("-", "").replace(".", "").lower()
        near = next((name for name in EVENTS if name.replace("_", "").lower() == squeezed), None)
        mend = f"write it {near}" if near else ""
        self._notes.tell("agui-type", "type", found=shown(kind), expected="the type of an AG-UI event", mend=mend)

    def _between_runs(self, kind: str) -> bool:
        closed = self._run is None or bool(self._run.over)
        return self._session and closed and kind in OUTSIDE

    def _misplaced(self, kind: str) -> bool:
        """Whether an event stands where no run is open. A stream that was resumed may begin in one."""
        run = self._run
        if run is None:
            if not self.resumed:
                expected = "RUN_STARTED before it"
                self._notes.tell("agui-run-first", "type", found=kind, expected=expected, unbegun=True)
            self._run = Run(self._notes.here, inner=Parts(lenient=self.resumed))
            return False
        if run.over:
            self._notes.tell(
                "agui-after-run", "type", found=f"{kind} after {run.over}", expected="RUN_STARTED, or nothing"
            )
            return True
        return False

    def _start(self, event: JsonObject) -> None:
        run = self._run
        self._customs.begin()
        if run is not None and not run.over and run.run is None:
            # A stream that began without its beginning: the run that is named now is the one that was meant.
            run.thread, run.run = event.get("threadId"), event.get("runId")
            return
        if run is not None and not run.over:
            self._notes.tell(
                "agui-run-twice",
                "runId",
                found=f"a new run while {shown(run.run)} is open",
                expected="RUN_FINISHED or RUN_ERROR of the first one",
            )
            return
        self._check_resume(event)
        self._run = Run(self._notes.here, event.get("threadId"), event.get("runId"))
        if run is not None:
            self._run.inner.inherit(run.inner)

    def _check_resume(self, event: JsonObject) -> None:
        """A run that follows an interrupt answers all of it; that shows only where the event repeats its input."""
        waiting = self._waiting.pop(str(event.get("threadId")), set())
        match event.get("input"):
            case {"resume": list(entries)} if waiting:
                answered = {str(entry.get("interruptId")) for entry in entries if isinstance(entry, dict)}
            case dict() if waiting:
                answered = set[str]()
            case _:
                return
        missing = sorted(waiting - answered)
        if missing:
            self._notes.tell(
                "agui-resume",
                "input",
                "resume",
                found="no answer to " + ", ".join(map(shown, missing)),
                expected="an entry for every open interrupt of the thread",
            )

    def _inside_run(self, kind: str, event: JsonObject) -> None:
        run = self._run
        assert run is not None, "what is misplaced was told"
        run.inner.close_chunks(self._notes, kind)
        if kind in ("RUN_FINISHED", "RUN_ERROR"):
            self._finish(run, kind, event)
            return
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(run.inner, self._notes, event)
        self._states.take(kind, event)

    def _finish(self, run: Run, kind: str, event: JsonObject) -> None:
        run.over = kind
        self._check_latency(event)
        if kind == "RUN_ERROR":
            return
        for member, begun in (("threadId", run.thread), ("runId", run.run)):
            if begun is not None and event.get(member) != begun:
                self._notes.tell("agui-run-ids", member, found=shown(event.get(member)), expected=shown(begun))
        run.inner.finish(self._notes)
        match event.get("outcome"):
            case {"type": "interrupt", "interrupts": list(interrupts)}:
                ids = {str(one["id"]) for one in interrupts if isinstance(one, dict) and "id" in one}
                self._waiting[str(event.get("threadId"))] = ids
            case _:
                pass

    def _check_latency(self, event: JsonObject) -> None:
        match event.get("metadata"):
            case {"duologue": {"latency": dict() as latency}}:
                wrong = wrong_sum(latency)
            case _:
                return
        if wrong is not None:
            where = ("metadata", "duologue", "latency", "totalMs")
            self._notes.tell("agui-latency", *where, found=wrong.found, expected=wrong.expected)


_HANDLERS: Final[dict[str, Callable[[Parts, Notes, JsonObject], None]]] = {
    "TEXT_MESSAGE_START": parts.text_start,
    "TEXT_MESSAGE_CONTENT": parts.text_content,
    "TEXT_MESSAGE_END": parts.text_end,
    "TEXT_MESSAGE_CHUNK": parts.text_chunk,
    "TOOL_CALL_START": parts.tool_start,
    "TOOL_CALL_ARGS": parts.tool_args,
    "TOOL_CALL_END": parts.tool_end,
    "TOOL_CALL_CHUNK": parts.tool_chunk,
    "TOOL_CALL_RESULT": parts.tool_result,
    "MESSAGES_SNAPSHOT": parts.snapshot,
    "STEP_STARTED": parts.step_start,
    "STEP_FINISHED": parts.step_finish,
    "REASONING_START": parts.block_start,
    "REASONING_END": parts.block_end,
    "REASONING_MESSAGE_START": parts.reasoning_start,
    "REASONING_MESSAGE_CONTENT": parts.reasoning_content,
    "REASONING_MESSAGE_END": parts.reasoning_end,
    "REASONING_MESSAGE_CHUNK": parts.reasoning_chunk,
    "SUBAGENT_STARTED": parts.subagent_start,
    "SUBAGENT_FINISHED": parts.subagent_end,
    "SUBAGENT_ERROR": parts.subagent_end,
}
