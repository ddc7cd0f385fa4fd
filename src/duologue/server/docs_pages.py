"""Renders a folder of Markdown at `/docs`: the pages that the knowledge agent's citations lead to."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from duologue.adapters.agent_knowledge.index import page_order
from duologue.adapters.agent_knowledge.markdown import Heading, headings, parse, split, title_of
from duologue.adapters.agent_knowledge.pages import SUFFIX, File, find_file, read_page, scan
from duologue.adapters.agent_knowledge.quote import shorten
from duologue.model.base import Value
from duologue.server.frame import Framed, frame

PREFIX: Final = "docs/"

ROOT: Final = "/"
"""How a page leads to this server's own address where nothing stands before its path."""

IMAGES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}

PAGE_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
IMAGE_HEADERS: Final = {
    # An SVG opened by itself is a document: nothing in it may run or load.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}

HEAD_CHARS: Final = 4_000
"""How much of a page is read for its entry in the list: its title and first sentence stand there."""

SUMMARY_CHARS: Final = 160
CONTENTS_FROM: Final = 3
"""A page with fewer sections needs no list of them."""


class Entry(Value, frozen=True, kw_only=True):
    """A page in the list of pages."""

    page: str
    title: str
    summary: str

    def url(self, up: str) -> str:
        """Where it is shown, given how to get to this server's own address."""
        return up + PREFIX + quote(self.page)


class Docs:
    """A folder's pages as HTML. It remembers titles for the list, each as long as its file is unchanged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[File, Entry] = {}

    def entries(self) -> list[Entry]:
        """List the pages, start pages first; empty where the folder is missing."""
        try:
            files = scan(self._folder.resolve()).files
        except OSError:
            return []
        known = self._entries
        self._entries = {file: known.get(file) or self._entry(file) for file in files}
        return sorted(self._entries.values(), key=lambda entry: page_order(entry.page))

    def page(self, page: str, *, up: str = ROOT) -> str | None:
        """Render a page as a whole document; `None` where there is none.

        Args:
            page: its path below the folder, without `.md`.
            up: how its address leads to this server's own: pages may stand below any path, which only the proxy or
                the application around this one knows.
        """
        text = self._text(page)
        if text is None:
            return None
        tokens = parse(text)
        found = headings(tokens)
        body = render(tokens, found, page=page, up=up)
        # The list of sections stands under the title, where the page begins with one.
        title, end, rest = body.partition("</h1>\n") if body.startswith("<h1") else ("", "", body)
        return self._document(title_of(page, found), title + end + _contents(found) + rest, current=page, up=up)

    def index(self, *, up: str = ROOT) -> str:
        """Render the list of all pages."""
        entries = self.entries()
        if entries:
            body = f"<h1>Docs</h1>\n{_list(entries, up)}"
        else:
            body = "<h1>Docs</h1>\n<p>There are no pages yet. Put Markdown files (*.md) into the folder.</p>"
        return self._document("Docs", body, current=None, up=up)

    def missing(self, page: str, *, up: str = ROOT) -> str:
        """Render what is shown in place of a page that does not exist."""
        name = escape(shorten(page, SUMMARY_CHARS))
        body = (
            "<h1>There is no such page</h1>\n"
            f"<p>Nothing is called <code>{name}</code> here; it may have been renamed or removed. "
            f'Choose one of these pages, or <a href="{up}">ask the agent</a>.</p>\n'
            f"{_list(self.entries(), up)}"
        )
        return self._document("There is no such page", body, current=None, up=up)

    def _text(self, page: str) -> str | None:
        path = find_file(self._folder, page + SUFFIX)
        try:
            return read_page(path) if path else None
        except (OSError, ValueError):  # Removed since, too large or not text: not a page.
            return None

    def _entry(self, file: File) -> Entry:
        head = (self._text(file.page) or "")[:HEAD_CHARS]
        prose = (
            unit.text
            for passage in split(file.page, head)
            for unit in passage.units
            if unit.kind == "prose" and not unit.text.endswith(":")
        )
        return Entry(
            page=file.page,
            title=title_of(file.page, headings(parse(head))),
            summary=shorten(next(prose, "").replace("`", ""), SUMMARY_CHARS),
        )

    def _document(self, title: str, body: str, *, current: str | None, up: str) -> str:
        here = ' aria-current="page"'
        items = [(entry, here if entry.page == current else "") for entry in self.entries()]
        links = "\n".join(
            f'<li><a href="{escape(entry.url(up))}"{mark}>{escape(entry.title)}</a></li>' for entry, mark in items
        )
        columns = f"""<div class="columns">
<main id="page" tabindex="-1">
<article>
{body}
</article>
</main>
<nav id="pages" class="sidebar" aria-labelledby="pages-title">
<h2 id="pages-title">Pages</h2>
<ul>
{links}
</ul>
</nav>
</div>
"""
        return frame(
            Framed(
                name="docs",
                address="docs",
                title=title,
                skip=("#page", "Skip to the page"),
                script=False,
                exactly=current is None,
                corner='<a class="to-pages" href="#pages">All pages</a>\n',
                body=columns,
                up=up,
            )
        )


def docs_routes(folder: Path, *, middleware: Sequence[Middleware] = ()) -> list[Route]:
    """Make the routes `/docs` and `/docs/{page}` of a folder; images in it are served too.

    The handlers are plain functions: Starlette calls them in a thread, so that no page holds up the loop.
    """
    docs = Docs(folder)

    def index(request: Request) -> Response:
        return HTMLResponse(docs.index(up=_up(request)), headers=PAGE_HEADERS)

    def show(request: Request) -> Response:
        name, up = str(request.path_params["page"]), _up(request)
        plain = name.rstrip("/").removesuffix(SUFFIX)
        if not plain:
            return RedirectResponse(up + PREFIX.rstrip("/"))
        media_type = IMAGES.get(posixpath.splitext(name)[1].lower())
        if media_type is not None:
            image = find_file(folder, name)
            if image is not None:
                return FileResponse(image, media_type=media_type, headers=IMAGE_HEADERS)
        document = docs.page(plain, up=up)
        if document is None:
            return HTMLResponse(docs.missing(plain, up=up), status_code=404, headers=PAGE_HEADERS)
        if plain != name:
            return RedirectResponse(up + PREFIX + quote(plain))
        return HTMLResponse(document, headers=PAGE_HEADERS)

    return [
        Route("/docs", index, middleware=middleware),
        Route("/docs/{page:path}", show, middleware=middleware),
    ]


def _up(request: Request) -> str:
    """Lead from a request's address to this server's own, in a way that no path before it changes."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    below = raw.count(b"/") - str(request.scope.get("root_path", "")).count("/")
    return "../" * (below - 1) or "./"


def render(tokens: Sequence[Token], found: Sequence[Heading], *, page: str, up: str = ROOT) -> str:
    """Render parsed tokens, with ids on headings and links that lead where the pages are shown."""
    parser = MarkdownIt("commonmark")
    slugs = {heading.at: heading for heading in found}
    ready = [part for at, token in enumerate(tokens) for part in _dressed(token, slugs.get(at), page=page, up=up)]
    for heading in found:
        inline = tokens[heading.at + 1]
        inline.children = [*(inline.children or ()), *_anchor(heading)]
    return parser.renderer.render(ready, parser.options, {})


def link(href: str, *, page: str, up: str = ROOT) -> str | None:
    """Turn a link of a page into one of the site.

    Returns:
        The address; `None` where it leads to a file outside of the folder, which nobody serves.
    """
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or not parts.path:
        return href
    if parts.path.startswith("/"):
        return up + href.removeprefix("/")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path)))
    if path == ".." or path.startswith("../"):
        return None
    path = "" if path == "." else path.removesuffix(SUFFIX)
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return up + (PREFIX + quote(path) if path else PREFIX.rstrip("/")) + query + fragment


def _dressed(token: Token, heading: Heading | None, *, page: str, up: str) -> Iterator[Token]:
    """Give a token what the page needs: an id, a frame that scrolls, a class in place of a style."""
    match token.type:
        case "heading_open" if heading is not None:
            token.attrSet("id", heading.slug)
            yield token
        case "table_open":
            yield _frame("Table")
            yield token
        case "table_close":
            yield token
            yield Token("frame_close", "div", -1, block=True)
        case "fence" | "code_block":
            yield _frame("Code")
            yield token
            yield Token("frame_close", "div", -1, block=True)
        case "th_open" | "td_open":
            style = str(token.attrs.pop("style", ""))
            if style:
                token.attrSet("class", style.removeprefix("text-align:"))
            yield token
        case "inline":
            _relink(token.children or (), page=page, up=up)
            yield token
        case _:
            yield token


def _frame(label: str) -> Token:
    """Open a box in which wide content scrolls, also by keyboard."""
    attrs: dict[str, str | int | float] = {
        "class": f"wide {label.lower()}",
        "tabindex": "0",
        "role": "group",
        "aria-label": label,
    }
    return Token("frame_open", "div", 1, attrs=attrs, block=True)


def _relink(children: Iterable[Token], *, page: str, up: str) -> None:
    """Make links and images lead to where their targets are shown."""
    dead = 0
    for child in children:
        if child.type == "link_open":
            href = link(str(child.attrs.get("href", "")), page=page, up=up)
            dead += href is None
            if href is None:
                child.tag, child.attrs = "span", {}
            else:
                child.attrSet("href", href)
                if urlsplit(href).netloc:
                    child.attrSet("rel", "noopener noreferrer")
        elif child.type == "link_close" and dead:
            child.tag = "span"
            dead -= 1
        elif child.type == "image":
            source = str(child.attrs.get("src", ""))
            child.attrSet("src", link(source, page=page, up=up) or "")
            child.attrSet("loading", "lazy")


def _anchor(heading: Heading) -> list[Token]:
    """Make the sign at a heading that gives its address."""
    attrs: dict[str, str | int | float] = {
        "class": "anchor",
        "href": f"#{quote(heading.slug)}",
        "aria-label": f"Link to “{heading.text}”",
    }
    return [
        Token("text", "", 0, content=" "),
        Token("link_open", "a", 1, attrs=attrs),
        Token("text", "", 0, content="#"),
        Token("link_close", "a", -1),
    ]


def _contents(found: Sequence[Heading]) -> str:
    """List the sections of a page, where there are enough to get lost in."""
    sections = [heading for heading in found if heading.level == 2 and heading.text]
    if len(sections) < CONTENTS_FROM:
        return ""
    items = "\n".join(
        f'<li><a href="#{escape(quote(heading.slug))}">{escape(heading.text)}</a></li>' for heading in sections
    )
    return (
        '<nav class="contents" aria-labelledby="contents-title">\n'
        f'<h2 id="contents-title">On this page</h2>\n<ul>\n{items}\n</ul>\n</nav>\n'
    )


def _list(entries: Sequence[Entry], up: str) -> str:
    items = "\n".join(
        f'<li><a href="{escape(entry.url(up))}">{escape(entry.title)}</a>{_summary(entry)}</li>' for entry in entries
    )
    return f'<ul class="index">\n{items}\n</ul>'


def _summary(entry: Entry) -> str:
    return f"<p>{escape(entry.summary)}</p>" if entry.summary else ""
