"""The pages say what the code does, as far as a program can tell, and lead nowhere that is not there."""

import re
import tomllib
from collections import Counter
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from duologue.adapters.agent_knowledge.markdown import headings, parse
from duologue.engine import machine
from duologue.model import limits
from duologue.model.errors import Code
from duologue.ports.outbox import Counts
from duologue.runtime.courier import DeliveryFigures
from duologue.runtime.hub import Hub
from duologue.runtime.memory.figures import MemoryFigures
from duologue.server import check_docs, log, model_docs
from duologue.server.metrics import DeliveriesCollector, DoorCollector, HubCollector, MemoryCollector
from duologue.server.settings_keys import all_keys
from duologue.testing.memory_store import MemoryStore
from duologue.testing.scripted_agent import ScriptedAgent

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TEXTS = [*sorted(ROOT.glob("*.md")), *PAGES, ROOT / "examples" / "README.md"]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", model_docs.PAGES, ids=str)
def test_the_made_parts_are_up_to_date(path: Path) -> None:
    page = text(str(path))
    assert "<!-- made: " in page
    assert page == model_docs.written(page), "run: python -m duologue.server.model_docs"


def test_the_page_of_rules_is_up_to_date() -> None:
    assert text(str(check_docs.PAGE)) == check_docs.page(), "run: python -m duologue.server.check_docs"


def test_every_part_that_is_made_stands_on_a_page() -> None:
    pages = "".join(text(str(path)) for path in model_docs.PAGES)
    assert [part for part in model_docs.made() if f"<!-- made: {part} -->" not in pages] == []


def test_a_changed_part_is_noticed() -> None:
    page = text("docs/state-machine.md")
    for changed in (
        page.replace("idle --> thinking", "idle --> speaking"),
        page.replace("| any | `cancel`", "| idle |"),
    ):
        assert changed not in (page, model_docs.written(changed))


def test_the_table_has_ten_transitions_and_the_page_every_state() -> None:
    page = text("docs/state-machine.md")
    assert model_docs.transitions().count("\n") == 2 + len(machine.TRANSITIONS) == 12
    assert [state for state in machine.STATES if f"| `{state}` |" not in page] == []


def test_every_limit_stands_in_one_table_with_its_words() -> None:
    numbers = [key for key, value in vars(limits).items() if isinstance(value, int)]
    assert sorted(row.name for row in chain.from_iterable(model_docs.topics().values())) == sorted(numbers)


def test_a_limit_that_a_setting_changes_is_its_default() -> None:
    defaults = {key.name: key.default for key in all_keys()}
    for limit, setting in model_docs.SETTINGS.items():
        assert defaults[setting] == getattr(limits, limit), limit


def test_every_error_code_is_explained() -> None:
    pages = "".join(map(Path.read_text, PAGES))
    assert [code for code in Code if f"`{code}`" not in pages] == []


@pytest.mark.anyio
async def test_every_figure_is_explained() -> None:
    page = text("docs/operations.md")
    async with Hub(store=MemoryStore(), agent=ScriptedAgent([]), clock=Still(), log=log.event_log("test")) as hub:
        deliveries = DeliveriesCollector(DeliveryFigures(), Counts(waiting=0, dead=0))
        door = DoorCollector({}, {})
        memory = MemoryCollector(MemoryFigures(), 0)
        for family in chain(HubCollector(hub, {}).collect(), deliveries.collect(), door.collect(), memory.collect()):
            shown = f"{family.name}_total" if family.type == "counter" else family.name
            assert f"| `{shown}" in page, shown


class Still:
    """A clock that stands."""

    def now_ms(self) -> int:
        return 0


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    asked = {re.split(r"[<>=\[ ]", line)[0] for line in project["dependencies"]}
    rows = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| [^|]+ \|$", text("docs/decisions/dependencies.md"), re.MULTILINE)
    assert sorted(rows) == sorted(asked)


def test_every_folder_and_port_is_in_the_architecture() -> None:
    page = text("ARCHITECTURE.md")
    source = ROOT / "src" / "duologue"
    for folder in [path for path in source.iterdir() if (path / "__init__.py").is_file()]:
        assert f"`{folder.name}/" in page, folder.name
    ports = page[page.index("| `ports/`") :].partition("\n")[0]
    for port in (source / "ports").glob("[a-z]*.py"):
        assert f"`{port.stem}`" in ports, port.stem
    for path in re.findall(r"`((?:model|engine|runtime|transports|server|ports|adapters)/[\w/]+\.py)", page):
        assert (source / path).is_file(), path


def test_every_page_is_listed_on_the_first() -> None:
    listed = set(re.findall(r"^\| \[[^]]+\]\(([^)]+)\)", text("docs/index.md"), re.MULTILINE))
    assert listed == {page.relative_to(DOCS).as_posix() for page in PAGES} - {"index.md"}


def links(path: Path) -> list[str]:
    inline = [token.children or [] for token in parse(path.read_text(encoding="utf-8")) if token.type == "inline"]
    found = [(child.attrs.get("href"), child.attrs.get("src")) for child in chain.from_iterable(inline)]
    return [str(address) for pair in found for address in pair if address]


@pytest.mark.parametrize("path", TEXTS, ids=name)
def test_no_link_is_dead(path: Path) -> None:
    for address in links(path):
        parts = urlsplit(address)
        if parts.scheme:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        assert target.exists(), f"{name(path)}: {address}"
        if parts.fragment:
            slugs = {heading.slug for heading in headings(parse(target.read_text(encoding="utf-8")))}
            assert parts.fragment in slugs, f"{name(path)}: {address}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_pages_link_only_to_what_is_served_with_them(path: Path) -> None:
    for address in links(path):
        if not urlsplit(address).scheme and not address.startswith("#"):
            assert (path.parent / urlsplit(address).path).resolve().is_relative_to(DOCS), f"{name(path)}: {address}"


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_page_has_one_title_and_no_heading_twice(path: Path) -> None:
    found = headings(parse(path.read_text(encoding="utf-8")))
    assert [heading.level for heading in found].count(1) == 1 == found[0].level
    twice = [text for text, times in Counter(heading.text for heading in found).items() if times > 1]
    assert twice == []


def test_no_question_is_asked_on_two_pages() -> None:
    """The knowledge agent would not know which of them a suggestion means."""
    asked = [
        heading.text
        for page in PAGES
        for heading in headings(parse(page.read_text(encoding="utf-8")))
        if heading.text.endswith("?")
    ]
    assert [question for question, times in Counter(asked).items() if times > 1] == []
