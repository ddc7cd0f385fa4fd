"""Serves a small language model with llama.cpp's own server, OpenAI-compatible, on a free port; ends with its stdin.

Run it as `python llama_server.py MODEL.gguf`; the first line of stdout is the address. With `--embeddings`
after it, it tells what texts mean, and nothing else.

The model's own template knows no tools. With `smollm2_tools.jinja` they are written into its prompt, with an example of
a call, and llama.cpp's grammar sees to it that what it calls has the tool's schema; whether it calls one is its choice.
"""

import importlib
import sys
from pathlib import Path
from typing import Any, Final

TEMPLATE: Final = Path(__file__).parent / "smollm2_tools.jinja"


def main(model: str, *, embeddings: bool) -> None:
    """Serve until stdin is closed."""
    # The package is a compiled module without types.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 4096
    params.n_parallel = 2
    params.kv_unified = True
    # The likeliest word each time, and nothing left of other requests: a test sees the same answer on each run.
    params.sampling.temp = 0.0
    params.cache_prompt = False
    params.endpoint_slots = True
    params.chat_template = TEMPLATE.read_text(encoding="utf-8")
    # One thread: several wait for each other by spinning, which is slow on a machine that does other things too.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    if embeddings:
        params.embedding = True
        # The mean over all words.
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], embeddings="--embeddings" in sys.argv[2:])
