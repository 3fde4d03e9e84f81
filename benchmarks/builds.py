"""Builds: a log of 50,000 lines from the program to the answer, and memory while 100 MB stream through.

`python -m benchmarks.builds` prints the table of docs/builds.md; `--write` puts it there. A stand-in for `dotnet`
prints the logs, so that the figures are those of the process runner, the line index and the parser.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import trio

from actors.processes.environment import build_environment
from actors.processes.run_store import RunStore
from actors.processes.runner import ProcessRunner
from benchmarks.measuring.tables import BEGIN, END, markdown_table
from tools.builds.context import BuildContext
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.registry import ToolRegistry, tools_of
from tools.validation import validated

LINES = 50_000
FLOOD = 100 << 20
ROUNDS = 5
PAGE = Path(__file__).parents[1] / "docs" / "builds.md"
_PRINTER = """#!{python}
import shutil, sys
with open({log!r}, "rb") as file:
    shutil.copyfileobj(file, sys.stdout.buffer, 1 << 16)
sys.exit(1)
"""
_OUTPUT = b"  Restored /work/app/src/Services/Services.csproj (in 212 ms) and some more words.\n"
_ERROR = b"/work/app/src/UserService.cs(%d,23): error CS0103: The name 'userId' does not exist [/work/app/App.csproj]\n"
_WARNING = (
    b"/work/app/src/UserService.cs(%d,9): warning CS0168: The variable 'x' is never used [/work/app/App.csproj]\n"
)


@dataclass(frozen=True)
class Figures:
    """Seconds and bytes. `answer` is from the call to the answer, `dispatch` to the run's id without waiting; `grown`
    is what this process's resident memory grew by at most while the flood passed."""

    answer: float
    dispatch: float
    line_range: float
    flood: float
    grown: int


class Bench:
    """The build tools over a runner of their own, in a temporary folder."""

    def __init__(self, folder: Path, runner: ProcessRunner) -> None:
        self._folder = folder
        environment = {**build_environment(), "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", "")])}
        self._registry = ToolRegistry(tools_of(BUILD_TOOLS, BuildContext.of(runner, (folder,), folder, environment)))

    def prepare(self, log: bytes) -> None:
        """Have `dotnet` print this."""
        (self._folder / "log").write_bytes(log)
        program = self._folder / "dotnet"
        program.write_text(_PRINTER.format(python=sys.executable, log=str(self._folder / "log")))
        program.chmod(0o755)

    async def call(self, name: str, **arguments: Any) -> tuple[float, dict[str, Any]]:
        """(seconds, answer)."""
        tool = self._registry.find(name)
        began = time.perf_counter()
        answer = await tool.call(validated(tool.arguments, arguments))
        assert isinstance(answer.payload, dict)
        return time.perf_counter() - began, answer.payload


def build_log(lines: int) -> bytes:
    """A log of which each hundredth line is an error or a warning."""
    made = (_ERROR % n if n % 200 == 0 else _WARNING % n if n % 100 == 0 else _OUTPUT for n in range(1, lines + 1))
    return b"".join(made)


async def measure(folder: Path) -> Figures:
    async with trio.open_nursery() as nursery:
        runner = ProcessRunner(store=RunStore(folder / "runs"))
        await nursery.start(runner.serve)
        bench = Bench(folder, runner)
        bench.prepare(build_log(LINES))
        answers = [await bench.call("dotnet_build", waitSeconds=55) for _ in range(ROUNDS)]
        assert len(answers[0][1]["errors"]) == 100
        run_id = answers[0][1]["runId"]
        ranges = [
            await bench.call("run_logRange", runId=run_id, startLine=n, lineCount=20) for n in range(1, LINES, 5_000)
        ]
        dispatches = []
        for _ in range(ROUNDS):
            seconds, started = await bench.call("dotnet_build", waitSeconds=0)
            dispatches.append(seconds)
            await bench.call("run_status", runId=started["runId"], waitSeconds=55)
        flood, grown = await _flood(bench)
        nursery.cancel_scope.cancel()
    return Figures(min(a[0] for a in answers), max(dispatches), max(r[0] for r in ranges), flood, grown)


async def _flood(bench: Bench) -> tuple[float, int]:
    bench.prepare(_OUTPUT * (FLOOD // len(_OUTPUT) + 1))
    process = psutil.Process()
    before = process.memory_info().rss
    peak = before

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, process.memory_info().rss)
            await trio.sleep(0.01)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch)
        seconds, answer = await bench.call("dotnet_build", waitSeconds=55)
        assert "status" not in answer
        nursery.cancel_scope.cancel()
    return seconds, peak - before


def table(figures: Figures) -> list[str]:
    rows = [
        (f"log of {LINES:,} lines, 500 of them diagnostics: from the call to the answer", f"{figures.answer:.2f} s"),
        ("call to `runId` with `waitSeconds: 0`, the slowest of five", f"{figures.dispatch * 1000:.0f} ms"),
        ("`run_logRange` of 20 lines in that log, the slowest of ten", f"{figures.line_range * 1000:.1f} ms"),
        (f"log of {FLOOD >> 20} MB: from the call to the answer", f"{figures.flood:.1f} s"),
        ("the server's memory grows meanwhile by at most", f"{figures.grown / 2**20:.0f} MB"),
    ]
    return markdown_table(("builds, two cores", ""), rows)


def write_table(page: Path, lines: Sequence[str]) -> None:
    begin, end = (mark.format(name="builds") for mark in (BEGIN, END))
    head, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, tail = rest.partition(end)
    page.write_text("\n".join([f"{head}{begin}", *lines, f"{end}{tail}"]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = table(trio.run(measure, Path(folder)))
    print("\n".join(lines))
    if arguments.write:
        write_table(PAGE, lines)


if __name__ == "__main__":
    main()
