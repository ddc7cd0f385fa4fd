"""Relaying one run: what the agent says is given to its session, until it ends."""

import asyncio
import traceback
from contextlib import aclosing
from typing import Final

from duologue.model import limits
from duologue.model.agent import AgentRequest, Text
from duologue.model.errors import Code, StoreError
from duologue.model.inputs import (
    AgentAsked,
    AgentCalled,
    AgentCancelled,
    AgentFailed,
    AgentFinished,
    AgentHandedOff,
    AgentNoted,
    AgentRequested,
    AgentReturned,
    AgentSpoke,
    ObservationAsked,
    UpgradeAsked,
)
from duologue.ports.agent import Agent, Files, PlainAgent
from duologue.runtime.blame import ends_the_task
from duologue.runtime.events_log import EventLog
from duologue.runtime.items import TEXT_CHARS, heard_of, sayable
from duologue.runtime.reach import declared
from duologue.runtime.recall import Looks
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox

PLACES = 4
"""Innermost frames of a failed agent that are logged: where it broke and who called."""

START_ROUNDS = 3
"""Rounds of the event loop before an agent is asked: as many as a response takes to begin."""


ENDS: Final = (
    AgentFinished,
    AgentFailed,
    AgentAsked,
    AgentCancelled,
    ObservationAsked,
    AgentHandedOff,
    UpgradeAsked,
)
"""What ends a run, as it is heard: `model.agent.RunEnd`, or what became of an item that could not be taken."""


async def relay(
    session: LiveSession,
    *,
    agent: Agent,
    plain: PlainAgent | None,
    request: AgentRequest,
    files: Files,
    log: EventLog,
    toolbox: Toolbox,
    recall: Looks | None = None,
) -> None:
    """Run the agent for one response, and give the session what it says.

    Ends when the agent does, when the session has failed, or when cancelled; a cancelled run says nothing more.
    """
    response_id = request.response_id
    try:
        if recall is not None:
            found = await recall.look(request)
            found.tell(session, response_id)
            request = found.given_to(request)
        ended = await _pass_on(session, agent=agent, plain=plain, request=request, files=files, toolbox=toolbox)
        if not ended:
            message = "the agent's stream stopped before the answer was finished"
            _fail(session, response_id, code=Code.AGENT_TRUNCATED, message=message)
    except StoreError:
        return
    # The boundary of the actor: an agent may raise anything, and only its own turn may suffer.
    except BaseException as error:
        if ends_the_task(error):
            raise
        log(
            "agent_failed",
            session=request.session_id,
            response=response_id,
            error=type(error).__name__,
            error_at=_place(error),
            **{"pii.detail": str(error)},
        )
        message = "the agent failed; the server's log says how"
        if session.failure is None:
            _fail(session, response_id, code=Code.AGENT_FAILED, message=message)


def _place(error: BaseException) -> str:
    """Where an exception was raised; the names of files and functions say nothing of what people wrote."""
    frames = traceback.extract_tb(error.__traceback__)[-PLACES:]
    return " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))


async def _pass_on(
    session: LiveSession,
    *,
    agent: Agent,
    plain: PlainAgent | None,
    request: AgentRequest,
    files: Files,
    toolbox: Toolbox,
) -> bool:
    """Pass the agent's items on; true when it said that it was done."""
    response_id = request.response_id
    given = 0
    # Who asked is still being answered: their stream begins first, and the first words do not pile up before it.
    for _ in range(START_ROUNDS):
        await asyncio.sleep(0)
    say, visible = session.say, False
    asked = agent.run(request, files) if plain is None else plain.answer(request, files)
    async with aclosing(asked) as items:
        async for item in items:
            # First the way of all tokens but an answer's first one, with nothing in it that can be left out.
            if not (
                isinstance(item, str) and item.isascii() and len(item) <= TEXT_CHARS and say(response_id, item)
            ) and not _say(session, response_id, item):
                heard = heard_of(item, response_id)
                if isinstance(heard, AgentRequested):
                    heard = declared(heard, toolbox, session)
                session.give(heard)
                visible = visible or not isinstance(heard, AgentNoted | AgentCalled | AgentReturned | AgentSpoke)
                if isinstance(heard, ENDS):
                    return True
            # A stream that never waits by itself must not starve the others, nor outrun the store.
            given += 1
            if given == limits.RUN_ITEMS:
                given = 0
                await _pause(session)
    return plain is not None and _finish(session, response_id, visible=visible)


def _say(session: LiveSession, response_id: str, item: object) -> bool:
    """Say some more text of any kind; false where it is none, or the first, or cannot be said."""
    said = item.text if isinstance(item, Text) else item
    return isinstance(said, str) and sayable(said) and session.say(response_id, said)


def _finish(session: LiveSession, response_id: str, *, visible: bool) -> bool:
    """Finish an answer whose stream has ended, if the person can see any of it; blank text is nothing to see."""
    turn = session.state.open
    if turn is None or turn.response.response_id != response_id:
        return True
    if not visible and not "".join(turn.response.pieces).strip():
        return False
    session.give(AgentFinished(response_id=response_id))
    return True


async def _pause(session: LiveSession) -> None:
    await asyncio.sleep(0)
    while session.crowded:
        await session.changed()
        if session.failure is not None:
            raise session.failure


def _fail(session: LiveSession, response_id: str, *, code: Code, message: str) -> None:
    session.give(AgentFailed(response_id=response_id, code=code, message=message, retryable=True))
