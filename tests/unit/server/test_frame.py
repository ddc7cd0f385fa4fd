"""What all pages share."""

import re
from pathlib import Path

import pytest
from tests.png import IMAGES, MOST_BYTES

from duologue.server.frame import LINKS, Framed, frame
from duologue.server.routes.pages import BELOW, CONSOLE

FOLDER = Path(__file__).parents[3] / "src" / "duologue" / "server" / "console"


def test_each_file_of_a_page_has_a_page_and_one_place_where_the_bar_ends() -> None:
    assert {file.stem for file in FOLDER.glob("*.html")} == {page.name for page in CONSOLE}
    for page in CONSOLE:
        written = (FOLDER / f"{page.name}.html").read_text()
        assert written.count(BELOW) == 1
        # What all share stands in none of them.
        assert not re.search(r"<(html|head|link|nav|header)\b", written)


@pytest.mark.parametrize("page", CONSOLE, ids=lambda page: page.name)
def test_a_page_names_files_that_are_there_and_itself_in_the_bar(page: Framed) -> None:
    document = frame(page)
    for name in re.findall(r'"console/([^"]+)"', document):
        assert (FOLDER / name).is_file(), name
    current = re.findall(r'<a href="([^"]*)" aria-current="page">([^<]*)</a>', document)
    assert current == [(page.address or "./", dict(LINKS)[page.address])]


def test_a_page_below_another_leads_up() -> None:
    page = Framed(name="docs", address="docs", title="A & B", skip=("#page", "Skip"), body="", up="../", exactly=False)
    document = frame(page)
    assert "<title>A &amp; B · Duologue</title>" in document
    assert '<a href="../docs" class="here">Docs</a>' in document
    assert 'href="../console/theme.css"' in document
    assert "aria-current" not in document


def test_the_pictures_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in IMAGES.glob("*.png")}
    assert len(sizes) == 4
    assert {name: size for name, size in sizes.items() if size > MOST_BYTES} == {}
