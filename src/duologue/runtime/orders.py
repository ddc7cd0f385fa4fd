"""Carrying out what the engine orders, each by whoever does such things."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeAlias

from duologue.model.effects import (
    CloseHandoff,
    Effect,
    JudgeComplexity,
    PlaceHandoff,
    RunAgent,
    RunTool,
    StopAgent,
    StopTool,
    VoiceEffect,
)
from duologue.model.errors import StoreError
from duologue.model.inputs import HandoffFailed
from duologue.runtime.desk.desk import NOBODY, Desk
from duologue.runtime.runs import Runs
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.runs import ToolRuns

Voice: TypeAlias = Callable[[LiveSession, VoiceEffect], None]
"""Carries out what is ordered of a session's call, in order. Returns at once and does not raise."""


def carry_out(
    session: LiveSession,
    effect: Effect,
    *,
    runs: Runs,
    tools: ToolRuns,
    desk: Desk | None,
    voice: Voice | None,
    closing: bool,
) -> None:
    """Carry an effect out, or have it begun; returns at once.

    Args:
        desk: passes conversations on; without one, nobody takes them.
        voice: nothing is ordered of a call where none can be opened.
        closing: nothing is begun any more: what is stored at the very end is taken up on the next start.
    """
    match effect:
        case RunAgent(request=request):
            if not closing:
                runs.start(session, request)
        case StopAgent(response_id=response_id):
            runs.stop(session.state.session_id, response_id)
        case RunTool(order=order):
            if not closing:
                tools.start(session, order)
        case StopTool(call_id=call_id):
            tools.stop(session.state.session_id, call_id)
        case PlaceHandoff() | CloseHandoff():
            _pass_on(session, effect, desk)
        case JudgeComplexity():
            if not closing:
                runs.judge(session, effect)
        case _:
            if voice is not None:
                voice(session, effect)


def _pass_on(session: LiveSession, effect: PlaceHandoff | CloseHandoff, desk: Desk | None) -> None:
    if desk is not None:
        desk.carry_out(effect)
    elif isinstance(effect, PlaceHandoff):
        # Not from here: the events that ordered it are still being shown.
        failed = HandoffFailed(handoff_id=effect.handoff_id, reason=NOBODY)
        asyncio.get_running_loop().call_soon(_give, session, failed)


def _give(session: LiveSession, happened: HandoffFailed) -> None:
    with contextlib.suppress(StoreError):
        session.give(happened)
