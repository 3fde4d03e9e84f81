"""Mutants a minute, beside the compilation that a tester of sources would need for each of them.

`python -m benchmarks.mutation [HARNESS ...]` prints the table of docs/reference/mutation.md; `--write` puts it there.
Measured are the examples, and harnesses of other projects as `FOLDER=CONTRACT[:CONFIG[:ONLY,ONLY]]`. Each is fuzzed for
a corpus by the whole command, then mutated by it; `--seconds` is for all of it. A compilation is measured without any
cache. Processor time counts what all processes used, and hardly depends on what else the machine does. At last, some
mutants of the examples are compared with the same change in the source, compiled, on sequences that a campaign makes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.same_change import SourceCheck, check_against_source
from benchmarks.measuring.surroundings import ForeignLoad, describe
from benchmarks.measuring.tables import markdown_table, write_between_markers
from simulator.compile import CompileOptions, compile_targets

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "mutation.md"
PROGRAM = (sys.executable, "-m", "orchestrator")
CORPUS_CALLS = 30_000
MUTANTS = 1_000
SECONDS = 450.0
LEAST_SECONDS = 45.0
PATIENCE = 120.0
CHECKED = 50
SEQUENCES = 40


@dataclass(frozen=True)
class Harness:
    """Harness to mutate: a contract of the project in a folder, and what of it where that is named."""

    folder: Path
    contract: str
    config: str = ""
    only: tuple[str, ...] = ()

    @staticmethod
    def parse(text: str) -> Harness:
        """`FOLDER=CONTRACT[:CONFIG[:ONLY,ONLY]]`. Raises `BenchmarkError`."""
        folder, found, rest = text.rpartition("=")
        contract, _, more = rest.partition(":")
        config, _, only = more.partition(":")
        if not found or not contract or not Path(folder).is_dir():
            raise BenchmarkError(f"{text}: should be FOLDER=CONTRACT[:CONFIG[:ONLY,ONLY]], with a folder that exists")
        return Harness(Path(folder), contract, config, tuple(filter(None, only.split(","))))

    def options(self, corpus: Path) -> list[str]:
        """Add the options of both commands."""
        configured = ["--config", self.config] if self.config else []
        return [".", "--contract", self.contract, *configured, "--corpus-dir", str(corpus), "--seed", "1"]


EXAMPLES = (
    Harness(ROOT / "examples" / "property_strength", "PotHarness"),
    Harness(ROOT / "examples" / "token", "TokenHarness"),
    Harness(ROOT / "examples" / "erc4626_inflation", "ShareVaultHarness"),
)


@dataclass(frozen=True)
class Measured:
    """Mutants of one harness by what became of them, seconds by the clock and of processors, and those of processors
    for one compilation."""

    name: str
    killed: int
    survived: int
    stillborn: int
    untried: int
    seconds: float
    processor: float
    compilation: float

    @property
    def tried(self) -> int:
        return self.killed + self.survived + self.stillborn

    def row(self) -> tuple[str, ...]:
        each = self.processor / max(self.tried, 1)
        shown = f"{self.tried}" if not self.untried else f"{self.tried} of {self.tried + self.untried}"
        return (
            self.name,
            shown,
            f"{self.killed}",
            f"{self.survived}",
            f"{each:.2f}",
            f"{60 * self.tried / max(self.seconds, 1e-9):.0f}",
            f"{1_000 * self.seconds / max(self.tried, 1) / 60:.1f}",
            f"{self.compilation:.2f}",
        )


HEAD = (
    "harness", "mutants tried", "killed", "survived", "processor seconds each", "a minute", "minutes for 1,000",
    "processor seconds of one compilation",
)  # fmt: skip


def measure(harness: Harness, seconds: float, workers: int) -> Measured:
    """Fuzz for a corpus, then try mutants for at most `seconds`, then compile once."""
    with tempfile.TemporaryDirectory() as folder:
        options = [*harness.options(Path(folder)), "--workers", str(workers)]
        fuzzed = _run(harness, ["fuzz", *options, "--test-limit", str(CORPUS_CALLS), "--format", "none"], PATIENCE)
        if fuzzed.code not in (0, 1):
            raise BenchmarkError(f"{harness.contract}: {fuzzed.errors}")
        only = [word for name in harness.only for word in ("--only", name)]
        mutate = ["mutate", *options, *only, "--mutants", str(MUTANTS), "--format", "json"]
        before = _processor_seconds()
        ran = _run(harness, mutate, seconds)
        processor = _processor_seconds() - before
        if not ran.output:
            raise BenchmarkError(f"{harness.contract}: {ran.errors}")
        report = json.loads(ran.output)
    before = _processor_seconds()
    here = Path.cwd()
    os.chdir(harness.folder)
    try:
        uncached = msgspec.structs.replace(CompileOptions(), contracts=(harness.contract,), use_cache=False)
        compile_targets([Path()], uncached)
    finally:
        os.chdir(here)
    compilation = _processor_seconds() - before
    return Measured(
        harness.contract,
        report["killed"],
        report["survived"],
        report["stillborn"],
        report["untried"],
        report["duration"],
        processor,
        compilation,
    )


def check(count: int) -> SourceCheck:
    """Compare about so many mutants of the examples with the same changes in the source."""
    found, here = SourceCheck(), Path.cwd()
    for number, harness in enumerate(EXAMPLES):
        wanted = -(-(count - found.compared) // (len(EXAMPLES) - number))
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
            shutil.copytree(harness.folder, folder, dirs_exist_ok=True)
            os.chdir(folder)
            try:
                found += check_against_source(Path(kept), harness.contract, wanted, SEQUENCES)
            finally:
                os.chdir(here)
    return found


def told(found: SourceCheck) -> list[str]:
    """Lines on such a comparison."""
    return [
        f"Of {found.compared} mutants of the examples, {found.alike} behave as the same change in the source does,"
        f" in all calls of {SEQUENCES} sequences; there, {found.telling} of them differ from the code as it is.",
        *(f"* unlike its change in the source: {each}" for each in found.different),
    ]


@dataclass(frozen=True)
class _Ran:
    code: int
    output: str
    errors: str


def _run(harness: Harness, arguments: Sequence[str], seconds: float) -> _Ran:
    """A command in the folder of a harness, interrupted after `seconds`: it then reports what it has by then."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*PROGRAM, *arguments, "--quiet", "--trust-project"],
        cwd=harness.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
    return _Ran(process.returncode, output, errors)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("harnesses", nargs="*", metavar="HARNESS", help="FOLDER=CONTRACT[:CONFIG[:ONLY,ONLY]]")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help=f"for all harnesses together, about; {SECONDS:g}"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes that try mutants; 2 unless told")
    parser.add_argument(
        "--check", type=int, default=CHECKED, metavar="N", help=f"mutants to compile; {CHECKED}, 0: none"
    )
    parser.add_argument("--only-check", action="store_true", help="measure nothing, and write nothing")
    arguments = parser.parse_args()
    if arguments.only_check:
        print("\n".join(told(check(arguments.check))))
        return
    harnesses = [*EXAMPLES, *map(Harness.parse, arguments.harnesses)]
    about, load, end = describe(None), ForeignLoad(), time.monotonic() + arguments.seconds
    results = []
    for number, harness in enumerate(harnesses):
        # What one leaves of its share is the others'.
        share = (end - time.monotonic()) / (len(harnesses) - number)
        results.append(measure(harness, max(share - LEAST_SECONDS, LEAST_SECONDS), arguments.workers))
        print(" | ".join(results[-1].row()), file=sys.stderr, flush=True)
    lines = ["  \n".join(about), "", *markdown_table(HEAD, [each.row() for each in results]), *load.warning()]
    if arguments.check:
        lines += ["", *told(check(arguments.check))]
    print("\n".join(lines))
    if arguments.write:
        write_between_markers(PAGE, "mutation", lines)


if __name__ == "__main__":
    main()
