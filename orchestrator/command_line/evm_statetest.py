"""`monotreme evm statetest`: Ethereum's state tests from the command line."""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.command_line.help_format import GroupedCommand, GroupedOption
from orchestrator.failures import ExitCode
from orchestrator.interrupts import conclude
from orchestrator.streams import is_terminal, write_progress, write_result, write_stderr
from simulator.printable import one_line

if TYPE_CHECKING:
    from simulator.evm.statetest.runner import CaseResult
    from simulator.evm.statetest.workers import FileResult

EXAMPLES = """\
Examples:
  monotreme evm statetest stExample/add11.json
  monotreme evm statetest GeneralStateTests --fork Cancun
  monotreme evm statetest GeneralStateTests --json > results.json"""

QUIET_SECONDS = 2.0
SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_UPDATES = 0.1


@dataclass
class _Tally:
    """All results, in the order of the files once `_run` has sorted them. `named` are the files that the user named;
    others, found in a folder, may be anything."""

    files: int
    named: frozenset[Path]
    done: list[FileResult] = field(default_factory=list)
    counts: Counter[bool | None] = field(default_factory=Counter)

    def add(self, result: FileResult) -> None:
        if result.is_foreign and result.path not in self.named:
            result = _foreign(result.path)
        self.done.append(result)
        self.counts.update(case.passed for case in result.results)
        self.counts[False] += bool(result.died)

    @property
    def cases(self) -> list[CaseResult]:
        """Every result; a file that broke the process counts as one failed case."""
        from simulator.evm.statetest.runner import CaseResult

        cases: list[CaseResult] = []
        for result in self.done:
            cases += result.results
            if result.died:
                cases.append(CaseResult(str(result.path), result.path.name, "", False, result.died))
        return cases

    @property
    def refused(self) -> list[str]:
        return [result.refused for result in self.done if result.refused]

    @property
    def exit_code(self) -> ExitCode:
        if self.refused:
            return ExitCode.WRONG_INPUT
        return ExitCode.FINDINGS if self.counts[False] else ExitCode.NOTHING_FOUND

    @property
    def line(self) -> str:
        return f"{self.counts[True]} passed, {self.counts[False]} failed, {self.counts[None]} skipped"


def _foreign(path: Path) -> FileResult:
    """A file that has nothing to do with tests: one skipped case."""
    from simulator.evm.statetest.runner import CaseResult
    from simulator.evm.statetest.workers import FileResult

    return FileResult(path, (CaseResult(str(path), path.name, "", None, "the file holds no test"),))


def _statetest(paths: tuple[Path, ...], fork: str | None, workers: int | None, as_json: bool) -> int:
    from simulator.evm.statetest.fork_names import require_fork, usual_name

    if fork is not None:
        require_fork(fork)
        fork = usual_name(fork)
    tally = _run(_files(paths), frozenset(paths), fork, workers or _cores())
    conclude(tally.exit_code)
    if as_json:
        write_result(json.dumps([case_object(case) for case in tally.cases], indent=1), "json")
    else:
        _print_cases(tally.cases)
    for message in tally.refused:
        write_stderr(f"error: {one_line(message)}")
    if fork is not None and not tally.cases and not tally.refused:
        write_stderr(f"note: there are no cases of fork {one_line(fork)} in {len(tally.done)} files")
    write_stderr(tally.line) if as_json else write_result(tally.line)
    return tally.exit_code


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _files(paths: tuple[Path, ...]) -> list[Path]:
    """All files in order, each once."""
    from simulator.evm.statetest.cases import StateTestError
    from simulator.evm.statetest.runner import files_under

    files = list(dict.fromkeys(files_under(paths)))
    if not files:
        raise StateTestError(f"{paths[0]}: no .json files below this folder")
    return files


def _run(files: Sequence[Path], named: frozenset[Path], fork: str | None, workers: int) -> _Tally:
    from simulator.evm.statetest.workers import run_files
    from simulator.kernel_loader import load_kernel, load_object

    load_object()  # built once, not by every process
    tally = _Tally(len(files), named)
    progress = _Progress()
    with closing(run_files(files, fork, workers, load_kernel)) as results:
        for result in results:
            tally.add(result)
            progress.show(tally)
    progress.end()
    places = {path: place for place, path in enumerate(files)}
    tally.done.sort(key=lambda result: places[result.path])
    return tally


class _Progress:
    """A line on stderr for runs that take longer: rewritten in place on a terminal, else now and then a new one."""

    def __init__(self) -> None:
        self._is_terminal = is_terminal(sys.stderr)
        self._next = time.monotonic() + QUIET_SECONDS
        self._is_shown = False

    def show(self, tally: _Tally) -> None:
        if time.monotonic() < self._next:
            return
        pause = SECONDS_BETWEEN_UPDATES if self._is_terminal else SECONDS_BETWEEN_LINES
        self._next = time.monotonic() + pause
        self._is_shown = True
        text = f"{len(tally.done)} of {tally.files} files: {tally.line}"
        write_progress(text)

    def end(self) -> None:
        if self._is_shown and self._is_terminal:
            write_stderr("")


def case_object(case: CaseResult) -> dict[str, Any]:
    """A result as JSON. `pass` is null for a case that was skipped; `error` then says why. A case that did not run has
    no hashes."""
    data, gas, value = case.indexes
    return {
        "name": case.test or case.name,
        "fork": case.fork,
        "pass": case.passed,
        "stateRoot": "0x" + case.state_root.hex() if case.state_root else None,
        "logsHash": "0x" + case.logs_hash.hex() if case.logs_hash else None,
        "error": case.reason or None,
        "file": case.file,
        "d": data,
        "g": gas,
        "v": value,
    }


def _print_cases(cases: Iterable[CaseResult]) -> None:
    """The failed ones with what differs, then why others were skipped."""
    skipped: Counter[str] = Counter()
    for case in cases:
        if case.passed is False:
            write_result(one_line(f"FAIL {case.file}: {case.name}"))
            for problem in case.reason.split("; "):
                write_result(one_line(f"     {problem}"))
        elif case.passed is None:
            skipped[case.reason] += 1
    for reason, count in skipped.items():
        write_result(one_line(f"skipped {count}: {reason}"))


statetest = GroupedCommand(
    "statetest",
    callback=_statetest,
    examples=EXAMPLES,
    short_help="Run files of Ethereum's state tests and check state root and logs hash.",
    help="Run Ethereum's state tests (GeneralStateTests): each case of each file, below folders too. "
    "Failing cases are listed with what was expected.",
    params=[
        click.Argument(["paths"], nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."),
        GroupedOption(
            "--fork", group="Options", metavar="NAME", help="Only cases of this fork.", shown_default="every fork"
        ),
        GroupedOption(
            "--workers",
            group="Options",
            metavar="N",
            type=click.IntRange(1, 256),
            help="Processes that share the files.",
            shown_default="one for each core",
        ),
        GroupedOption(
            "--json", "as_json", group="Options", is_flag=True, help="One JSON array of results instead of text."
        ),
    ],
)
