"""Calls, measured beside Pipecat in the same run: `make bench-voice`.

Each measurement is a process of its own on one core, one after the other, with the same recorded sentence, the same
thresholds of the same voice activity model, and stand-ins with the same delays for what recognises, answers and
speaks. Results go to `benchmarks/results/voice.json` and `.md`, and a picture to `docs/images/voice-benchmark.svg`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

from rich.console import Console

from benchmarks import drawing, figures, voice_table
from benchmarks.servers import ROOT
from benchmarks.speech import recording
from benchmarks.voice_table import CARRIED_MS, PEER_CALLS, Found, Side, carried, number

LISTENED = (1, 10, 25, 50, 80)
"""Calls of which only voice activity is measured."""

FED = (25, 50)
"""Calls of which nothing is made: what the measuring itself takes."""

OURS = (1, 10, 25, 45, 50, 80, 120, 160, 200, 240)
PEER = (1, 4, 8, PEER_CALLS, 16, 20, 24)
"""Calls at once; the climb ends where they are not carried any more."""

ASKED = (1, 25, 45, 50)
"""Of ours, the limits speak of these."""

AT_ONCE = 25
PEERS = 10
"""Calls over WebRTC; their callers, on the same core, take more than the server."""

INTERRUPTED = 8
STARTS = 3
PEER_PYTHON = str(ROOT / "build" / "pipecat" / "bin" / "python")
"""Where `make bench-voice` installs it."""

PICTURE = ROOT / "docs" / "images" / "voice-benchmark.svg"


class Runs:
    """Runs measurements.

    Args:
        core: on which all of them run.
        quick: only what has a limit.
        tell: shows what runs.
    """

    def __init__(self, *, core: int, quick: bool, tell: Callable[[str], None]) -> None:
        self._core, self._tell = core, tell
        self.quick = quick
        self._recording = recording()

    def run(self, python: str, module: str, *arguments: str) -> Found:
        """Run one measurement, alone.

        Raises:
            RuntimeError: it failed.
        """
        self._tell(" ".join((module, *arguments)))
        command = [python, "-m", f"benchmarks.{module}", "--recording", str(self._recording), *arguments]
        if "--first" in arguments:
            command.append(str(time.time()))
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
        env = os.environ | {"PYTHONPATH": path}
        ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, preexec_fn=self._settle)
        if ran.returncode:
            raise RuntimeError(f"{module} failed:\n{ran.stderr[-2000:]}")
        found: Found = json.loads(ran.stdout.splitlines()[-1])
        return found

    def first_s(self, python: str, module: str) -> list[float]:
        """From the command to the first call, without the model's loading where that is told; several times."""
        all_found = [self.run(python, module, "--first") for _ in range(STARTS)]
        return [number(found, "first_call_s") - float(str(found.get("loading_s", 0))) for found in all_found]

    def _settle(self) -> None:
        os.sched_setaffinity(0, {self._core})


def measure_ours(runs: Runs) -> Side:
    """Measure our side."""
    python, side = sys.executable, Side(name="Duologue")

    def ours(module: str, calls: int, *more: str) -> Found:
        return runs.run(python, module, "--calls", str(calls), *more)

    for calls in FED:
        side.fed[calls] = ours("voice_ours", calls, "--part", "feed")
    for calls in () if runs.quick else LISTENED:
        side.listened[calls] = ours("voice_ours", calls, "--part", "ears")
    for calls in ASKED if runs.quick else OURS:
        side.calls[calls] = ours("voice_ours", calls)
        if not carried(side.calls[calls]) and calls > max(ASKED):
            break
    side.socket[AT_ONCE] = ours("voice_socket", AT_ONCE)
    side.webrtc[PEERS] = ours("voice_webrtc", PEERS)
    for manner in ("pause", "go_on"):
        side.interrupted[manner] = ours("voice_ours", INTERRUPTED, "--interrupt", "--short-speech", manner)
    side.interrupted["socket"] = ours("voice_socket", INTERRUPTED, "--interrupt")
    side.first_s = runs.first_s(python, "voice_ours")
    return side


def measure_peer(runs: Runs, python: str) -> Side:
    """Measure the peer."""
    side = Side()
    for calls in (1, PEER_CALLS) if runs.quick else PEER:
        found = side.calls[calls] = runs.run(python, "voice_peer", "--calls", str(calls))
        side.name = str(found["software"])
        if not carried(found):
            break
    side.interrupted["go_on"] = runs.run(python, "voice_peer", "--calls", str(PEER_CALLS), "--interrupt")
    side.first_s = runs.first_s(python, "voice_peer")
    return side


def keep(ours: Side, peer: Side | None) -> None:
    """Write results and picture."""
    sides = [ours, *filter(None, (peer,))]
    more = {
        side.name: {
            "calls": side.calls,
            "listening alone": side.listened,
            "measuring alone": side.fed,
            "over a socket": side.socket,
            "over WebRTC": side.webrtc,
            "interrupted": side.interrupted,
        }
        for side in sides
    }
    figures.keep("voice", voice_table.lines(ours, peer), more=more, text=voice_table.text(ours, peer))
    PICTURE.write_text(drawing.draw({side.name: side.points() for side in sides}, limit_ms=CARRIED_MS))


def main() -> None:
    """Measure, show and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", default=PEER_PYTHON, help="an interpreter that has pipecat-ai[silero]")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="on which everything runs")
    parser.add_argument("--quick", action="store_true", help="only what has a limit; nothing is kept")
    asked = parser.parse_args()
    console = Console()
    runs = Runs(core=asked.core, quick=asked.quick, tell=console.log)
    peer = None
    if shutil.which(asked.peer_python):
        peer = measure_peer(runs, asked.peer_python)
    else:
        console.print(f"no peer: there is no {asked.peer_python}; make bench-voice installs it")
    ours = measure_ours(runs)
    console.print(figures.table(voice_table.lines(ours, peer)))
    if not asked.quick:
        keep(ours, peer)


if __name__ == "__main__":
    main()
