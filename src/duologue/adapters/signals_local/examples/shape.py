"""What the examples of a language are."""

from duologue.model.base import Value


class Examples(Value, kw_only=True):
    """What people say in each mood, one sentence a line."""

    frustration: str
    anger: str
    confusion: str
    urgency: str
    satisfaction: str
    delight: str
    neutral: str
