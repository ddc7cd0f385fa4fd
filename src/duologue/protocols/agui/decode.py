"""Reading what AG-UI clients send: the input of a run, and a cancel."""

import base64
import binascii
import re
from typing import Final

import msgspec

from duologue.model import jsonwire, limits
from duologue.model.base import Value
from duologue.model.commands import Photo, Refer
from duologue.model.content import Answer, ClientTool, ContextItem, ToolResult
from duologue.model.errors import Code, Problem
from duologue.model.inputs import UserTurn
from duologue.protocols.agui import wire
from duologue.protocols.observation import check
from duologue.protocols.observation import wire as observation

_inputs: Final = msgspec.json.Decoder(wire.RunAgentInput)
_observations: Final[msgspec.json.Decoder[observation.Observation]] = msgspec.json.Decoder(observation.Observation)
_INTERACTION: Final = re.compile(r"interaction-[0-9]+")
"""The ids of interrupts that ask for an observation; the engine makes no others like them."""

_RESULT: Final = re.compile(r"\$\.toolResults\[([0-9]+)\]")
"""How the place of a turn's result is named where it is judged."""

_cancels: Final = msgspec.json.Decoder(wire.CancelBody)
_encode: Final = msgspec.json.Encoder().encode


class InlineFile(Value, kw_only=True):
    """A file inside a message, to be stored before the turn is; `media_type` as the client has it."""

    media_type: str
    data: bytes


class Run(Value, kw_only=True):
    """The input of a run.

    Attributes:
        turn: what it brings anew; `None` where it brings nothing, and only asks for what there is.
        files: files inside the turn's message, in order.
        upload_ids: uploads that it refers to, in order.
        shown: the same turn, where it shows a photo whose bytes are to be stored or looked up first.
        results_at: the places of the messages that bring the turn's results, in order.
    """

    thread_id: str
    run_id: str
    turn: UserTurn | None
    files: tuple[InlineFile, ...] = ()
    upload_ids: tuple[str, ...] = ()
    shown: Photo | Refer | None = None
    results_at: tuple[int, ...] = ()

    def as_sent(self, problem: Problem) -> Problem:
        """Name the place of a problem as the input has it."""
        found = _RESULT.fullmatch(problem.path)
        if found is None:
            return problem
        return msgspec.structs.replace(problem, path=f"$.messages[{self.results_at[int(found[1])]}].content")


class Cancel(Value, kw_only=True):
    """A run is to be stopped; `run_id` is `None` for whichever runs."""

    thread_id: str
    run_id: str | None


def decode_cancel(body: bytes) -> Cancel | Problem:
    """Read the body of `POST /agui/cancel`."""
    read = jsonwire.read(body, _cancels)
    return read if isinstance(read, Problem) else Cancel(thread_id=read.thread_id, run_id=read.run_id)


def decode_run(body: bytes) -> Run | Problem:
    """Read the body of `POST /agui`.

    New are the messages after the last one of the assistant: the last of the user is what is said, those of tools
    are results. All else the client repeats from what it was told, and it is not run again.

    Source: AG-UI 1.0, run input, frontend tools, interrupts and resume.
    """
    read = jsonwire.read(body, _inputs)
    if isinstance(read, Problem):
        return read
    if (problem := _too_large(read)) is not None:
        return problem
    said, returned = _news(read.messages)
    results = [_result(one, place) for place, one in returned]
    for one in results:
        if isinstance(one, Problem):
            return one
    taken = _Taken() if said is None else _take(said[1].content, f"$.messages[{said[0]}].content")
    if isinstance(taken, Problem):
        return taken
    observed, answers = _observed(read.resume or ())
    if isinstance(observed, Problem):
        return observed
    turn = UserTurn(
        text=taken.text,
        request_id=read.run_id,
        message_id=said[1].id if said is not None else None,
        context=tuple(ContextItem(description=one.description, value=one.value) for one in read.context or ()),
        if_busy="refuse",
        if_asked="refuse",
        tools=tuple(
            ClientTool(name=one.name, description=one.description, parameters=one.parameters)
            for one in read.tools or ()
        ),
        tool_results=tuple(one for one in results if isinstance(one, ToolResult)),
        resume=tuple(_answer(one) for one in answers),
        interaction_id=None if observed is None else observed.interaction_id,
        state=read.state,
        forwarded_props=read.forwarded_props,
    )
    shown = turn if observed is None else check.command(turn, observed.seen)
    if isinstance(shown, Problem):
        return shown
    empty = said is None and not (turn.tool_results or turn.resume or observed)
    turn = shown if isinstance(shown, UserTurn) else shown.turn
    return Run(
        thread_id=read.thread_id,
        run_id=read.run_id,
        turn=None if empty else turn,
        files=taken.files,
        upload_ids=taken.upload_ids,
        shown=None if isinstance(shown, UserTurn) else shown,
        results_at=tuple(place for place, _ in returned),
    )


class _Observed(Value, kw_only=True):
    """What the person shows, and which of the agent's requests it answers."""

    interaction_id: str
    seen: observation.Observation


def _observed(
    entries: tuple[wire.ResumeEntry, ...],
) -> tuple[_Observed | Problem | None, tuple[wire.ResumeEntry, ...]]:
    """Take what is shown out of a run's answers: the payload of an interrupt that asks for an observation."""
    for place, entry in enumerate(entries):
        if entry.status != "resolved" or not _INTERACTION.fullmatch(entry.interrupt_id):
            continue
        others = (*entries[:place], *entries[place + 1 :])
        read = jsonwire.read(_encode(entry.payload), _observations)
        if isinstance(read, Problem):
            path = f"$.resume[{place}].payload"
            return msgspec.structs.replace(read, path=path + read.path.removeprefix("$")), others
        return _Observed(interaction_id=entry.interrupt_id, seen=read), others
    return None, entries


class _Taken(Value, kw_only=True):
    """What a message's content comes to."""

    text: str = ""
    files: tuple[InlineFile, ...] = ()
    upload_ids: tuple[str, ...] = ()


def _news(
    messages: tuple[wire.Message, ...],
) -> tuple[tuple[int, wire.UserMessage] | None, list[tuple[int, wire.ToolMessage]]]:
    """The messages that may be new, each with its place: the last of the user, and those of tools."""
    said: tuple[int, wire.UserMessage] | None = None
    returned: list[tuple[int, wire.ToolMessage]] = []
    for place, message in enumerate(messages):
        match message:
            case wire.AssistantMessage():
                said, returned = None, []
            case wire.UserMessage():
                said = (place, message)
            case wire.ToolMessage():
                returned.append((place, message))
            case _:
                pass
    return said, returned


def _take(content: wire.Content, path: str) -> _Taken | Problem:
    if isinstance(content, str):
        return _Taken(text=content)
    words: list[str] = []
    files: list[InlineFile] = []
    upload_ids: list[str] = []
    for place, part in enumerate(content):
        if isinstance(part, wire.TextPart):
            words.append(part.text)
            continue
        match part.source:
            case wire.DataSource() as source:
                data = _bytes(source.value)
                if data is None:
                    where = f"{path}[{place}].source.value"
                    return Problem(code=Code.BAD_MESSAGE, message=f"not base64 at {where}", path=where)
                files.append(InlineFile(media_type=source.mime_type, data=data))
            case wire.FileSource(value=value):
                upload_ids.append(value)
            case wire.UrlSource():
                return Problem(
                    code=Code.UNSUPPORTED,
                    message="addresses are not fetched; send the bytes as `data`, or the id of an upload as `file`",
                    path=f"{path}[{place}].source",
                )
    if len(files) + len(upload_ids) > limits.TURN_ATTACHMENTS:
        return Problem(
            code=Code.TOO_LARGE,
            message=f"a message takes at most {limits.TURN_ATTACHMENTS} files",
            path=path,
            limit=limits.TURN_ATTACHMENTS,
        )
    return _Taken(text="\n\n".join(words), files=tuple(files), upload_ids=tuple(upload_ids))


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _result(message: wire.ToolMessage, place: int) -> ToolResult | Problem:
    path = f"$.messages[{place}].content"
    content = message.content
    if not isinstance(content, str):
        if not all(isinstance(part, wire.TextPart) for part in content):
            problem = "the result of a tool is taken as text; put files into a message of the user"
            return Problem(code=Code.UNSUPPORTED, message=problem, path=path)
        content = "\n\n".join(part.text for part in content if isinstance(part, wire.TextPart))
    words = content or message.error or ""
    if len(words) > limits.TOOL_RESULT_CHARS:
        problem = f"the result has {len(words)} characters; at most {limits.TOOL_RESULT_CHARS} are taken"
        return Problem(code=Code.TOO_LARGE, message=problem, path=path, limit=limits.TOOL_RESULT_CHARS)
    return ToolResult(
        call_id=message.tool_call_id,
        content=words,
        is_error=message.error is not None,
        message_id=message.id,
    )


def _answer(entry: wire.ResumeEntry) -> Answer:
    return Answer(interrupt_id=entry.interrupt_id, status=entry.status, payload=entry.payload, metadata=entry.metadata)


def _too_large(read: wire.RunAgentInput) -> Problem | None:
    """Refuse what would be stored with every turn and is more than it may be."""
    parts: tuple[tuple[str, object], ...] = (
        ("tools", read.tools),
        ("state", read.state),
        ("forwardedProps", read.forwarded_props),
        ("resume", read.resume),
    )
    for name, value in parts:
        if value is not None and len(_encode(value)) > limits.CLIENT_DATA_BYTES:
            message = f"`{name}` is larger than {limits.CLIENT_DATA_BYTES} bytes as JSON"
            return Problem(code=Code.TOO_LARGE, message=message, path=f"$.{name}", limit=limits.CLIENT_DATA_BYTES)
    return None
