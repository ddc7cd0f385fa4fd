"""What the agent is told when it is made."""

from duologue.model import limits
from duologue.model.base import Value


class AguiOptions(Value, kw_only=True):
    """Where an AG-UI agent is, and how it is asked; `model/limits/` has the reasons of the defaults.

    Attributes:
        url: where runs are posted to.
        headers: sent with each run, such as credentials; names and values.
        remembers: the agent keeps the conversation by its thread id: only what is new is sent.
        images: pictures of the turn are sent, as parts of the person's message.
        silence_ms: longest wait for anything more from the agent.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    remembers: bool = False
    images: bool = True
    silence_ms: int = limits.AGUI_SILENCE_MS

    def __repr__(self) -> str:
        return f"AguiOptions(url={self.url!r}, headers={[name for name, _ in self.headers]})"
