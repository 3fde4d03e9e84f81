"""Shrinking: how often a failing sequence is shrunk to the simplest one there is, on cases whose simplest is known.

`python -m benchmarks.shrinking` prints the table of docs/concepts/shrinking.md; `--write` puts it there. Each contract
of `contracts/Shrinking.sol` is fuzzed until it fails, then shrunk, with each of several seeds, by a worker's own code.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from benchmarks.contestants.targets import CONTRACTS
from benchmarks.measuring.errors import BenchmarkError
from benchmarks.measuring.finding_session import FindingSession
from benchmarks.measuring.surroundings import describe
from benchmarks.measuring.tables import markdown_table, write_between_markers
from simulator.abi.text import format_call
from simulator.compile import CompileOptions, compile_targets
from simulator.settings import CampaignSettings
from simulator.transaction import Sequence, Transaction, address_int
from simulator.worker.setup import Worker

SOURCE = CONTRACTS / "Shrinking.sol"
PAGE = Path(__file__).parents[1] / "docs" / "concepts" / "shrinking.md"
FUZZ_LIMIT = 2_000_000
ATTEMPTS = 5_000
SEEDS = 5
_CASE = re.compile(r"^// optimum: (.*)\ncontract (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """A contract and its simplest failing sequence, as `shown` writes it."""

    contract: str
    optimum: str


@dataclass(frozen=True)
class Shrinkage:
    """Result of shrinking one failing sequence. `found` is the number of its calls before."""

    result: str
    found: int
    attempts: int
    minimal: bool


@dataclass(frozen=True)
class CaseResult:
    case: Case
    runs: list[Shrinkage]

    @property
    def optimal(self) -> list[Shrinkage]:
        return [run for run in self.runs if run.result == self.case.optimum]

    @property
    def worst(self) -> str:
        """A result that is not the simplest, empty without one."""
        return next((run.result for run in self.runs if run.result != self.case.optimum), "")


def read_cases(source: str) -> list[Case]:
    """The contracts that a comment gives the simplest sequence of."""
    return [Case(contract, _normalized(optimum)) for optimum, contract in _CASE.findall(source)]


def run_case(case: Case, project: Path, full_name: str, seed: int) -> Shrinkage:
    """Raises `BenchmarkError` when the contract does not fail within `FUZZ_LIMIT` calls."""
    settings = CampaignSettings(contract=full_name, compile_hot_code=False, test_mode="property")
    session = FindingSession(project, settings, seed)
    session.fuzz(FUZZ_LIMIT)
    failure = next(iter(session.failures()), None)
    if failure is None:
        raise BenchmarkError(f"{case.contract}: nothing fails within {FUZZ_LIMIT:,} calls with seed {seed}")
    shrunk = session.shrink(failure, ATTEMPTS)
    result = shown(session.worker, shrunk.sequence)
    return Shrinkage(result, len(failure.sequence), shrunk.attempts, shrunk.minimal)


def shown(worker: Worker, sequence: Sequence) -> str:
    """A sequence in the notation of the cases: `f(1); g() value 5 after 9 s from 0x20000`."""
    return _normalized("; ".join(_shown_call(worker, call) for call in sequence))


def _shown_call(worker: Worker, call: Transaction) -> str:
    target = worker.engine.target_of(call)
    text = "wait" if target is None else format_call(target.function, call.data)
    extras = [(f"value {call.wei}", call.wei), (f"after {call.seconds} s", call.seconds)]
    extras.append((f"after {call.blocks} blocks", call.blocks))
    extras.append((f"from {address_int(call.sender):#x}", call.sender != worker.settings.senders[0]))
    return " ".join([text, *(words for words, is_there in extras if is_there)])


def _normalized(text: str) -> str:
    return text.replace(", ", ",").strip()


def measure(folder: Path, only: str, seeds: int) -> list[CaseResult]:
    """Every case whose name begins with `only`, with each seed."""
    project = compile_targets([SOURCE], CompileOptions())
    file = folder / "project"
    file.write_bytes(msgspec.msgpack.encode(project))
    names = {contract.name: contract.full_name for contract in project.contracts}
    results = []
    for case in read_cases(SOURCE.read_text(encoding="utf-8")):
        if case.contract.startswith(only):
            runs = [run_case(case, file, names[case.contract], seed) for seed in range(1, seeds + 1)]
            results.append(CaseResult(case, runs))
            print(_row(results[-1]), results[-1].worst, file=sys.stderr)
    return results


def _row(result: CaseResult) -> tuple[str, ...]:
    attempts = [run.attempts for run in result.runs]
    return (
        f"{result.case.contract}: `{result.case.optimum}`",
        f"{median(run.found for run in result.runs):.0f}",
        f"{median(attempts):,.0f}",
        f"{max(attempts):,}",
        f"{len(result.optimal)} of {len(result.runs)}",
    )


def table(results: SequenceOf[CaseResult]) -> list[str]:
    total = sum(len(result.runs) for result in results)
    optimal = sum(len(result.optimal) for result in results)
    attempts = [run.attempts for result in results for run in result.runs]
    head = ("case: its simplest failing sequence", "calls before", "attempts, median", "most", "simplest")
    summary = (f"all {len(results)} cases", "", f"{median(attempts):,.0f}", f"{max(attempts):,}")
    return markdown_table(
        head, [*map(_row, results), (*summary, f"{optimal} of {total} ({100 * optimal / total:.1f} %)")]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="failing sequences for each case")
    parser.add_argument("--only", default="", help="cases whose names begin with this")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder), arguments.only, arguments.seeds)
    if not results:
        raise SystemExit(f"{arguments.only}: no case has a name that begins with this")
    lines = table(results)
    print("\n".join(lines))
    if arguments.write:
        write_between_markers(PAGE, "shrinking", ["  \n".join(describe(None)), "", *lines])


if __name__ == "__main__":
    main()
