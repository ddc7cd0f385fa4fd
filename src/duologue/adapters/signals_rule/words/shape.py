"""What a list of words is, in one language."""

from duologue.model.base import Value


class Words(Value, kw_only=True):
    """How feelings are said in one language: entries between commas, without regard to case and accents.

    An entry is a word or several; `*` at its end stands for any ending, `!` before it makes it count twice, `~` half.

    Attributes:
        frustration: it does not work, it takes too long, once more.
        anger: insults, threats, outrage.
        confusion: not understood, not known.
        urgency: it has to be now.
        satisfaction: content, thankful.
        delight: more than content.
        negations: turn round what follows in the same clause.
        intensifiers: make the next words count more.
        diminishers: make the next words count less.
        turns: what follows counts more than what was before, such as "but".
        negated_after: how many words after a feeling a negation may stand.
    """

    frustration: str
    anger: str
    confusion: str
    urgency: str
    satisfaction: str
    delight: str
    negations: str
    intensifiers: str
    diminishers: str
    turns: str
    negated_after: int = 0
