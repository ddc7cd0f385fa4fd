"""The docs at `/docs`: what is shown, that nothing of it runs, and that nothing from outside is served."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from duologue.adapters.agent_knowledge.markdown import split
from duologue.server.docs_pages import Docs, docs_routes, link

pytestmark = pytest.mark.anyio

PAGE = """---
title: x
---
<!-- hidden -->
# The *page* & more

Text with `code`, [a page](other.md#part-two), [up](sub/../other.md), [out](../secret.md), [web](https://example.org/a?b=c),
[here](#tables) and [script](javascript:alert(1)). ~~Old.~~

## Tables

| key | number |
|:--|--:|
| a <b>bold</b> `<i>` | 1<br>2 |

## Code

```python
print("<script>")
```

## Same

## Same

<script>alert("x")</script>

<div onclick="alert(1)">inside</div>

Inline <img src=x onerror=alert(1)> and <style>p {}</style>.

![A picture](images/one.png "Title") ![bad](javascript:alert(1))
"""


class Tags(HTMLParser):
    """Collects the tags of a document."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def values(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (tmp_path / "secret.png").write_bytes(b"secret")
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "images").mkdir()
    (docs / "page.md").write_text(PAGE)
    (docs / "index.md").write_text("# Start\n\nThis is the start. More follows.\n")
    (docs / "other.md").write_text("Part one.\n\n## Part two\n\nText.\n")
    (docs / "sub" / "größe 1.md").write_text("# Größe\n\n[back](../page.md) [sideways](größe%201.md)\n")
    (docs / ".hidden.md").write_text("# Hidden\n")
    (docs / "leak.md").symlink_to(tmp_path / "secret.md")
    (docs / "leak.png").symlink_to(tmp_path / "secret.png")
    (docs / "linked.md").symlink_to(docs / "other.md")
    (docs / "latin.md").write_bytes(b"Gr\xfc\xdfe")
    (docs / "images" / "one.png").write_bytes(b"png")
    (docs / "images" / "two.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (docs / "notes.txt").write_text("text")
    return docs


async def get(folder: Path, path: str) -> httpx2.Response:
    app = Starlette(routes=docs_routes(folder))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://test") as client:
        return await client.get(path)


def test_renders_text_tables_and_code(folder: Path) -> None:
    document = Docs(folder).page("page")
    assert document is not None
    assert "<title>The page &amp; more · Duologue</title>" in document
    assert '<h1 id="the-page--more">The <em>page</em> &amp; more' in document
    assert "<code>code</code>" in document
    assert '<td class="right">1<br />' in document
    assert "print(&quot;&lt;script&gt;&quot;)" in document
    assert '<code class="language-python">' in document
    assert "hidden" not in document
    assert "title: x" not in document
    assert [value for value in Tags(document).values("id") if value.startswith("same")] == ["same", "same-1"]


def test_nothing_in_a_page_can_run_or_style(folder: Path) -> None:
    document = Docs(folder).page("page")
    assert document is not None
    tags = Tags(document)
    names = {name for name, _ in tags.tags}
    assert not names & {"script", "style", "iframe", "object", "base", "form"}
    attributes = {name for _, attrs in tags.tags for name in attrs}
    assert "style" not in attributes
    assert not any(name.startswith("on") for name in attributes)
    assert not any(value.startswith("javascript:") for value in tags.values("href") + tags.values("src"))
    assert "alert(&quot;x&quot;)" in document


def test_links_lead_to_where_pages_are_shown(folder: Path) -> None:
    document = Docs(folder).page("page")
    assert document is not None
    assert '<a href="/docs/other#part-two">a page</a>' in document
    assert '<a href="/docs/other">up</a>' in document
    assert "<span>out</span>" in document
    assert '<a href="https://example.org/a?b=c" rel="noopener noreferrer">web</a>' in document
    assert '<a href="#tables">here</a>' in document
    assert 'src="/docs/images/one.png" alt="A picture" title="Title" loading="lazy"' in document


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("other.md", "/docs/sub/other"),
        ("./other.md#x", "/docs/sub/other#x"),
        ("../top.md?a=1#x", "/docs/top?a=1#x"),
        ("..", "/docs"),
        ("../..", None),
        ("../../etc/passwd", None),
        ("/elsewhere", "/elsewhere"),
        ("//host/x.md", "//host/x.md"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("#x", "#x"),
        ("gr%C3%B6%C3%9Fe%201.md", "/docs/sub/gr%C3%B6%C3%9Fe%201"),
    ],
)
def test_links_are_resolved_from_their_page(href: str, expected: str | None) -> None:
    assert link(href, page="sub/page") == expected


def test_the_document_can_be_used_by_keyboard_and_screen_reader(folder: Path) -> None:
    document = Docs(folder).page("page")
    assert document is not None
    tags = Tags(document)
    assert tags.tags[0] == ("html", {"lang": "en"})
    assert ("a", {"class": "skip", "href": "#page"}) in tags.tags
    assert ("main", {"id": "page", "tabindex": "-1"}) in tags.tags
    assert [attrs for name, attrs in tags.tags if name == "h1"] == [{"id": "the-page--more"}]
    assert [attrs["aria-label"] for _, attrs in tags.tags if attrs.get("role") == "group"] == [
        "Table",
        "Code",
    ]
    assert ("a", {"href": "/docs/page", "aria-current": "page"}) in tags.tags
    assert len(set(tags.values("id"))) == len(tags.values("id"))
    assert 'href="#code">Code</a></li>' in document


@pytest.mark.parametrize(
    "page",
    [
        "../secret",
        "sub/../../secret",
        "..",
        "",
        ".",
        "/etc/passwd",
        "//etc/passwd",
        "sub//page",
        ".hidden",
        "leak",
        "latin",
        "page\0",
        "..\\secret",
        "sub",
        "nope",
        "x" * 5_000,
        "page.md",
    ],
)
def test_no_page_outside_of_the_folder(folder: Path, page: str) -> None:
    assert Docs(folder).page(page) is None


def test_a_link_within_the_folder_is_followed(folder: Path) -> None:
    assert Docs(folder).page("linked") is not None


def test_a_missing_folder_has_no_pages(tmp_path: Path) -> None:
    assert Docs(tmp_path / "nowhere").page("page") is None


async def test_lists_the_pages_start_pages_first(folder: Path) -> None:
    response = await get(folder, "/docs")
    assert response.status_code == 200
    titles = re.findall(r'<a href="(./docs/[^"]+)"[^>]*>([^<]+)</a><p>?', response.text)
    assert titles[0] == ("./docs/index", "Start")
    assert "<p>This is the start.</p>" in response.text
    assert "Secret" not in response.text
    assert "Hidden" not in response.text


async def test_a_page_is_html_under_a_strict_policy(folder: Path) -> None:
    response = await get(folder, "/docs/page")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)">', response.text)
    assert styles[-1] == "../console/docs.css"
    console = Path(__file__).parents[3] / "src" / "duologue" / "server" / "console"
    for style in styles:
        assert (console / style.removeprefix("../console/")).is_file()


async def test_names_with_spaces_and_accents_work(folder: Path) -> None:
    response = await get(folder, "/docs/sub/gr%C3%B6%C3%9Fe%201")
    assert response.status_code == 200
    assert '<a href="../../docs/page">back</a>' in response.text
    assert '<a href="../../docs/sub/gr%C3%B6%C3%9Fe%201">sideways</a>' in response.text


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/docs/", "/docs"),
        ("/docs/page.md", "/docs/page"),
        ("/docs/page/", "/docs/page"),
        ("/docs//", "/docs"),
    ],
)
async def test_other_spellings_lead_to_the_page(folder: Path, path: str, to: str) -> None:
    response = await get(folder, path)
    assert (response.status_code, urljoin(f"http://test{path}", response.headers["location"])) == (
        307,
        f"http://test{to}",
    )


async def test_below_a_path_of_another_application_links_stay_below_it(folder: Path) -> None:
    app = Starlette(routes=[Mount("/some/where", Starlette(routes=docs_routes(folder)))])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://test") as client:
        for path in ("/some/where/docs", "/some/where/docs/sub/gr%C3%B6%C3%9Fe%201", "/some/where/docs/not%2fthere"):
            tags = Tags((await client.get(path)).text)
            links = [urljoin(path, href) for href in tags.values("href") if not href.startswith("#")]
            assert "/some/where/docs/index" in links and "/some/where/" in links
            assert all(link.startswith("/some/where/") for link in links)
        moved = await client.get("/some/where/docs/sub/../page.md")
    assert urljoin("/some/where/docs/page.md", moved.headers["location"]) == "/some/where/docs/page"


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nope",
        "/docs/%2e%2e/secret",
        "/docs/..%2fsecret",
        "/docs/..%2f..%2f..%2fetc%2fpasswd",
        "/docs/leak",
        "/docs/leak.png",
        "/docs/%2fetc%2fpasswd",
        "/docs/page%00",
        "/docs/.hidden",
        "/docs/notes.txt",
        "/docs/images/none.png",
        "/docs/<script>",
    ],
)
async def test_what_is_not_there_says_what_to_do(folder: Path, path: str) -> None:
    response = await get(folder, path)
    assert response.status_code == 404
    assert "Secret" not in response.text
    if response.headers["content-type"].startswith("text/html"):
        assert "There is no such page" in response.text
        links = [urljoin(path, href) for href in Tags(response.text).values("href")]
        assert "/docs/index" in links
        assert "<script>" not in response.text


async def test_images_are_served_and_not_guessed_at(folder: Path) -> None:
    png, svg = await get(folder, "/docs/images/one.png"), await get(folder, "/docs/images/two.svg")
    assert (png.status_code, png.content, png.headers["content-type"]) == (200, b"png", "image/png")
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in svg.headers["content-security-policy"]
    assert {png.headers["x-content-type-options"], svg.headers["x-content-type-options"]} == {"nosniff"}


async def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        response = await get(folder, "/docs")
        assert response.status_code == 200
        assert "Put Markdown files" in response.text


async def test_the_list_keeps_up_with_the_folder(folder: Path) -> None:
    app = Starlette(routes=docs_routes(folder))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://test") as client:
        assert "Brand new" not in (await client.get("/docs")).text
        (folder / "new.md").write_text("# Brand new\n")
        assert "Brand new" in (await client.get("/docs")).text
        (folder / "new.md").unlink()
        assert "Brand new" not in (await client.get("/docs")).text


def test_every_passage_that_can_be_cited_has_its_anchor(folder: Path) -> None:
    document = Docs(folder).page("page")
    assert document is not None
    ids = Tags(document).values("id")
    assert all(passage.slug in ids for passage in split("page", PAGE) if passage.slug)


DOCS = Path(__file__).parents[3] / "docs"


def test_the_projects_own_docs_have_no_dead_links() -> None:
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    ids: dict[str, list[str]] = {}
    targets: list[tuple[str, str, str]] = []
    docs = Docs(DOCS)
    for page in sorted(pages):
        document = docs.page(page)
        assert document is not None, page
        tags = Tags(document)
        ids[page] = tags.values("id")
        for href in tags.values("href"):
            path, fragment = urldefrag(href)
            if path.startswith("/docs/") or (not path and fragment):
                targets.append((page, unquote(path.removeprefix("/docs/")) or page, unquote(fragment)))
    dead = [
        (page, target, fragment)
        for page, target, fragment in targets
        if not (
            (target in ids and (not fragment or fragment in ids[target]))
            or (target not in ids and (DOCS / target).is_file())
        )
    ]
    assert dead == []
