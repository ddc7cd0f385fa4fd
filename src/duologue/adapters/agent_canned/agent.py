"""The port around a table of answers."""

import re
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from duologue.adapters.agent_canned.words import courteous
from duologue.engine.complexity_words import small_talk
from duologue.model.agent import AgentItem, AgentRequest, Finished, Text
from duologue.model.base import Value
from duologue.model.routing import Upgrade
from duologue.ports.agent import Files

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Canned(Value, kw_only=True):
    """One answer, and all that it is an answer to: whole messages, but for case and marks."""

    said: tuple[str, ...]
    answer: str


class CannedAgent:
    """Answers what it has an answer for, at once, and passes everything else on to a larger tier.

    Source: `duologue.ports.agent.Agent`.

    Args:
        answers: the table; the first that fits counts.
        name: for people and figures.
        courtesies: greetings, thanks and partings are answered too, in the conversation's language.
    """

    def __init__(self, answers: Sequence[Canned] = (), *, name: str = "canned", courtesies: bool = True) -> None:
        self._answers: dict[tuple[str, ...], str] = {}
        for one in answers:
            for said in one.said:
                self._answers.setdefault(_words(said), one.answer)
        self._name, self._courtesies = name, courtesies

    @property
    def name(self) -> str:
        """A short name for people and figures."""
        return self._name

    async def run(self, request: AgentRequest, files: Files) -> AsyncGenerator[AgentItem, None]:  # noqa: ARG002
        """Answer one turn, as the port says. Cancellation: it holds nothing."""
        answer = self.answer_to(request)
        if answer is None:
            yield Upgrade()
            return
        yield Text(text=answer)
        yield Finished()

    def answer_to(self, request: AgentRequest) -> str | None:
        """What it answers; `None` where it has no answer, or the turn shows something besides its words."""
        if request.attachments or request.observation is not None or request.resume or request.tool_results:
            return None
        words = _words(request.text)
        if (known := self._answers.get(words)) is not None:
            return known
        courtesy = small_talk(list(words)) if self._courtesies else None
        return None if courtesy is None else courteous(courtesy, request.language)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower().replace("’", "'") for word in _WORD.findall(text))
