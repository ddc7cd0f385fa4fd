"""What all pages for people share: the head, the bar with the links to the others, and the styles.

A page is put together when it is first asked for, so that there is nothing to build and nothing to write twice.
"""

from html import escape
from typing import Final

from duologue.model.base import Value

ROOT_STYLES: Final = ("theme", "shell")
"""Styles of every page: the tokens, and plain elements with the bar and buttons."""

CONVERSATION_STYLES: Final = ("conversation", "answer", "payload", "call", "dialog", "acting")
"""Styles of pages that show conversations."""

VIEWPORT: Final = "width=device-width, initial-scale=1, interactive-widget=resizes-content, viewport-fit=cover"
"""A phone's keyboard makes room by making the page lower, so that the field for writing stays in sight."""

LINKS: Final = (("", "Talk"), ("sessions", "Sessions"), ("operator", "Operator"), ("docs", "Docs"))
"""The pages, in the order of the bar: the address below the server's own, and the name."""


class Framed(Value, kw_only=True):
    """A page without what all share.

    Attributes:
        name: of its style and script, and the class of its body.
        address: one of `LINKS`.
        title: of the window.
        about: one sentence, for who finds it elsewhere.
        skip: where the first link leads, and its words.
        styles: besides those of every page and its own, in order.
        script: whether it has one.
        exactly: the page is the one that its link in the bar leads to, and none below it.
        corner: HTML that stands on the right of the bar.
        body: HTML below the bar.
        up: leads from the page's address to the server's own.
    """

    name: str
    address: str
    title: str
    about: str = ""
    skip: tuple[str, str]
    styles: tuple[str, ...] = ()
    script: bool = True
    exactly: bool = True
    corner: str = ""
    body: str
    up: str = ""


def frame(page: Framed) -> str:
    """Make the whole document: no inline script and no inline style."""
    up, (target, words) = page.up, page.skip
    about = f'<meta name="description" content="{escape(page.about)}">\n' if page.about else ""
    sheets = "".join(
        f'<link rel="stylesheet" href="{up}console/{name}.css">\n' for name in (*ROOT_STYLES, *page.styles, page.name)
    )
    script = f'<script type="module" src="{up}console/{page.name}.js"></script>\n' if page.script else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="{VIEWPORT}">
<meta name="color-scheme" content="light dark">
{about}<title>{escape(page.title)} · Duologue</title>
<link rel="icon" href="{up}console/icon.svg" type="image/svg+xml">
{sheets}{script}</head>
<body class="{page.name}">
<a class="skip" href="{target}">{words}</a>
<header class="bar">
<a class="brand" href="{up or "./"}" aria-label="Duologue">\
<img src="{up}console/icon.svg" alt="" width="28" height="28"><span>Duologue</span></a>
<nav class="pages" aria-label="Pages">
{_links(page)}
</nav>
{page.corner}</header>
{page.body}</body>
</html>
"""


def _links(page: Framed) -> str:
    here = ' aria-current="page"' if page.exactly else ' class="here"'
    return "\n".join(
        f'<a href="{(page.up + address) or "./"}"{here if address == page.address else ""}>{name}</a>'
        for address, name in LINKS
    )
