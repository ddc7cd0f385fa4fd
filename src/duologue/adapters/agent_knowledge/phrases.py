"""What the agent says itself, in English and German."""

from typing import Final

from duologue.model.base import Value


class Phrases(Value, frozen=True, kw_only=True):
    """What the agent says itself. `{}` is filled in."""

    hello: str
    about: str
    about_empty: str
    welcome: str
    unknown: str
    unknown_empty: str
    unclear: str
    no_more: str
    file: str
    file_and_text: str
    tag: str
    tag_and_text: str
    tag_says: str
    from_heading: str
    tell_me: str
    and_last: str


ENGLISH: Final = Phrases(
    hello="Hello! ",
    about="I answer questions from these pages: {}. Ask me about anything in them, in your own words.",
    about_empty="I answer questions from a folder of pages, but it holds none yet.",
    welcome="You're welcome. Ask me whenever there is something else.",
    unknown="I don't know. I found nothing about that in my pages.",
    unknown_empty="I don't know anything yet: the folder that I answer from holds no pages.",
    unclear="I don't know what you are asking. Please put your question into a few words.",
    no_more="I don't know more about that than I have said.",
    file="I can't look at pictures or files: I answer from pages. Tell me in words what you want to know.",
    file_and_text="I can't look at what you sent, so this goes by your words alone. ",
    tag="I can't look up tags: I answer from written pages. {}Tell me in words what you want to know.",
    tag_and_text="I can't look up the tag, so this goes by your words alone. ",
    tag_says="The tag says: {}. ",
    from_heading="From “{}”: ",
    tell_me="Tell me about {}",
    and_last=" and ",
)

GERMAN: Final = Phrases(
    hello="Hallo! ",
    about="Ich beantworte Fragen aus diesen Seiten: {}. Frag mich in deinen eigenen Worten danach.",
    about_empty="Ich beantworte Fragen aus einem Ordner mit Seiten, aber er enthält noch keine.",
    welcome="Gern geschehen. Frag mich, wenn du noch etwas wissen willst.",
    unknown="Das weiß ich nicht. In meinen Seiten habe ich nichts dazu gefunden.",
    unknown_empty="Ich weiß noch nichts: Der Ordner, aus dem ich antworte, enthält keine Seiten.",
    unclear="Ich weiß nicht, was du fragst. Bitte sag es mit ein paar Worten.",
    no_more="Mehr als das Gesagte weiß ich dazu nicht.",
    file="Bilder und Dateien kann ich nicht ansehen: Ich antworte aus Texten. Sag mir, was du wissen willst.",
    file_and_text="Was du geschickt hast, kann ich nicht ansehen; ich richte mich nur nach deinen Worten. ",
    tag="Tags kann ich nicht nachschlagen: Ich antworte aus Texten. {}Sag mir bitte, was du wissen willst.",
    tag_and_text="Den Tag kann ich nicht nachschlagen, ich richte mich nur nach deinen Worten. ",
    tag_says="Auf dem Tag steht: {}. ",
    from_heading="Aus „{}“: ",
    tell_me="Erzähl mir von {}",
    and_last=" und ",
)


def phrases(language: str) -> Phrases:
    """Return the sentences in a conversation's language; English where there are none."""
    return GERMAN if language.lower().partition("-")[0] == "de" else ENGLISH
