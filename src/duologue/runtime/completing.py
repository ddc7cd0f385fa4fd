"""What a client's command leaves to the store, the session and the settings."""

import msgspec

from duologue.engine.language import understood
from duologue.model.commands import Asked, Decide, GiveOutput, Photo, Refer
from duologue.model.errors import Refused
from duologue.model.inputs import AnyInput, UserTurn
from duologue.ports.clock import Clock
from duologue.ports.store import Store
from duologue.runtime import deciding, files
from duologue.runtime.hub_settings import HubSettings
from duologue.runtime.session import LiveSession
from duologue.runtime.tools.toolbox import Toolbox


class Completing:
    """Makes inputs of commands."""

    def __init__(self, store: Store, clock: Clock, *, settings: HubSettings, toolbox: Toolbox) -> None:
        self._store, self._clock, self._settings, self._toolbox = store, clock, settings, toolbox

    async def complete(self, session: LiveSession, command: Asked) -> AnyInput | None:
        """Finish a command; `None` where it has been told before.

        Raises:
            Refused: what it refers to is not there, its photo is refused, or a result is not what its tool declares.
            StoreError: the store cannot do it now.
        """
        match command:
            case Photo() | Refer():
                said = await self._shown(session, command)
            case UserTurn():
                said = command
            case GiveOutput() | Decide():
                return deciding.as_input(session, command, self._toolbox)
            case _:
                return command
        if said.tool_results:
            problem = deciding.wrong_results(session.state, said, self._toolbox)
            if problem is not None:
                raise Refused(problem)
        if self._settings.detect_language:
            said = understood(said, session.state.language)
        # A dialect whose contract has no barge-in refuses whatever the setting says.
        if "refuse" in (said.if_busy, self._settings.if_busy) and said.if_busy != "refuse":
            return msgspec.structs.replace(said, if_busy="refuse")
        return said

    async def _shown(self, session: LiveSession, command: Photo | Refer) -> UserTurn:
        subject, as_sent = session.state.subject, self._settings.photos_as_sent
        if isinstance(command, Refer):
            return await files.look_up(self._store, command, subject=subject, as_sent=as_sent)
        return await files.keep_photo(
            self._store,
            command,
            subject=subject,
            session_id=session.state.session_id,
            at_ms=self._clock.now_ms(),
            as_sent=as_sent,
        )
