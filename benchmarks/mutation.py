"""Mutants a minute, beside the compilation that a tester of sources would need for each of them.

`python -m benchmarks.mutation [PATH=CONTRACT ...]`: the examples, and harnesses of other projects given by path. Each
is fuzzed for a corpus first. A compilation is measured without any cache in the same run: only both together say
something.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from orchestrator.command_line.entry import run
from orchestrator.configuration.decide import Surroundings, make_request
from orchestrator.configuration.layers import flag_layer
from orchestrator.configuration.resolve import resolve
from orchestrator.mutation.request import MutationRequest
from orchestrator.mutation.run import run_mutation
from simulator.compile import CompileOptions, compile_targets

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
TARGETS = (
    ("property_strength", "PotHarness"),
    ("token", "TokenHarness"),
    ("erc4626_inflation", "ShareVaultHarness"),
)
CORPUS_CALLS = 50_000
MUTANTS = 1_000


@dataclass(frozen=True)
class Measured:
    """One target: its mutants by what became of them, and seconds of the run and of one compilation."""

    name: str
    killed: int
    survived: int
    stillborn: int
    seconds: float
    compilation: float

    @property
    def a_minute(self) -> float:
        return 60 * (self.killed + self.survived + self.stillborn) / max(self.seconds, 1e-9)


def measure(path: Path, contract: str, workers: int = 2) -> Measured:
    """Fuzz for a corpus, try the mutants, compile once. Raises as the commands do."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--corpus-dir", folder, "--seed", "1", "--contract", contract]
        run(["fuzz", str(path), *options, "--test-limit", str(CORPUS_CALLS), "--format", "none"])
        flags = {"contract": ("--contract", contract), "corpusDir": ("--corpus-dir", folder), "seed": ("--seed", 1)}
        configuration = resolve([flag_layer({**flags, "workers": ("--workers", workers)})]).configuration
        campaign = make_request((path,), configuration, Surroundings.observe())
        request = MutationRequest(campaign, MUTANTS, 20_000, 10.0, (), False, "json")
        report = run_mutation(request, lambda _: None).report
        began = time.perf_counter()
        compile_targets([path], msgspec.structs.replace(CompileOptions(), contracts=(contract,), use_cache=False))
        compilation = time.perf_counter() - began
    return Measured(contract, report.killed, report.survived, report.stillborn, report.duration, compilation)


def main() -> None:
    """Print a table; its last column compares a trial with one compilation."""
    targets = [(EXAMPLES / folder, contract) for folder, contract in TARGETS]
    targets += [(Path(path), contract) for path, _, contract in (each.rpartition("=") for each in sys.argv[1:])]
    print("| target | mutants | killed | survived | stillborn | mutants a minute | compilations a minute | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for path, contract in targets:
        one = measure(path, contract)
        count, compilations = one.killed + one.survived + one.stillborn, 60 / one.compilation
        print(
            f"| {one.name} | {count} | {one.killed} | {one.survived} | {one.stillborn} | {one.a_minute:.0f}"
            f" | {compilations:.0f} | {one.a_minute / compilations:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
