"""State tests in this process, one after the other; `evm statetest` spreads them over processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from simulator.evm.kernel_entry import Kernel
from simulator.evm.statetest.cases import StateTestError
from simulator.evm.statetest.runner import CaseResult, Summary, files_under, run_file


def run_paths(kernel: Kernel, paths: Iterable[Path], fork: str | None, report: Callable[[CaseResult], None]) -> Summary:
    """Run all cases under the paths, those of one fork when it is given; `report` gets each result as it comes.

    A file that is not a state test counts as one failure.
    """
    passed = failed = skipped = 0
    for path in files_under(paths):
        try:
            results = list(run_file(kernel, path, fork))
        except StateTestError as error:
            results = [CaseResult(str(path), path.name, "", False, str(error))]
        for result in results:
            report(result)
            passed += result.passed is True
            failed += result.passed is False
            skipped += result.passed is None
    return Summary(passed, failed, skipped)
