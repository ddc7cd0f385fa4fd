"""What every test may use."""

import shutil

import pytest
from hypothesis import settings

# `pytest --hypothesis-profile=fuzz`, as `make fuzz` does, looks longer for what breaks.
settings.register_profile("default", deadline=None, print_blob=True)
settings.register_profile("fuzz", deadline=None, print_blob=True, max_examples=5_000)
settings.load_profile("default")


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
