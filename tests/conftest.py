"""What every test may use."""

import gc
import shutil
from collections.abc import Iterator

import pytest
from hypothesis import settings
from tests.clients.node import installed
from tests.counterparts.language_model import NOT_HERE, is_here, language_model
from tests.matrix import Matrix

OPENS_SOCKETS = frozenset({"e2e", "conformance"})
"""The folders whose tests talk over sockets."""

# A commit passes or fails each time alike. `make fuzz` takes the other profile: other examples each time, and more.
settings.register_profile("default", deadline=None, print_blob=True, derandomize=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile("default")


def pytest_configure(config: pytest.Config) -> None:
    """Note whose software the tests are run against."""
    config.pluginmanager.register(Matrix(config))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that none of them is left alone at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow") is not None}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Look after each file that opens sockets for what it left open: the garbage collector would blame a later one."""
    if OPENS_SOCKETS.intersection(item.path.parts) and (nextitem is None or nextitem.path != item.path):
        gc.collect()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, which is what the product runs on."""
    return "asyncio"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Give the path of the machine's Chromium, or skip the test where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.skip("no Chromium on this machine; install the package chromium to run the browser tests")


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """Serve SmolLM2 135M with llama.cpp; gives the address. Both come from wheels; neither is in the repository."""
    if not is_here():
        pytest.skip(NOT_HERE)
    with language_model() as address:
        yield address


@pytest.fixture(scope="session")
def agui_client() -> list[str]:
    """Give the command of the official AG-UI client."""
    return ["node", str(installed("agui") / "client.mjs")]
