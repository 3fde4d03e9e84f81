"""LCOV tracefiles."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.coverage.lcov import render
from simulator.coverage.line_coverage import BranchCount, FileCoverage, FunctionCount, LineCount, line_coverage
from simulator.coverage.summary import percent, summarize
from tests.support.patience import PATIENCE

FILE = FileCoverage(
    "src/A.sol",
    "",
    lines=(LineCount(3, 5, "A"), LineCount(4, 0, "A")),
    branches=(
        BranchCount(3, "if", "A", (5, 0)),
        BranchCount(3, "and", "A", (2, 3)),
        BranchCount(4, "loop", "A", (0, 0)),
    ),
    functions=(FunctionCount(2, 5, "A.f", 5), FunctionCount(7, 8, "A.g(uint256 a, bool b)", 0)),
)


def test_a_record_has_all_parts() -> None:
    """Blocks are numbered within their line; a branch that was never reached has `-` on both sides."""
    assert render([FILE]).splitlines() == [
        "TN:",
        "SF:src/A.sol",
        "FN:2,A.f",
        "FN:7,A.g(uint256 a, bool b)",
        "FNDA:5,A.f",
        "FNDA:0,A.g(uint256 a, bool b)",
        "FNF:2",
        "FNH:1",
        "BRDA:3,0,0,5",
        "BRDA:3,0,1,0",
        "BRDA:3,1,0,2",
        "BRDA:3,1,1,3",
        "BRDA:4,0,0,-",
        "BRDA:4,0,1,-",
        "BRF:6",
        "BRH:3",
        "DA:3,5",
        "DA:4,0",
        "LF:2",
        "LH:1",
        "end_of_record",
    ]


def test_relative_paths_are_put_below_the_root() -> None:
    """Absolute paths stay; line breaks in names cannot forge records."""
    files = [FILE, FileCoverage("/abs/B.sol", ""), FileCoverage("x\nSF:y.sol", "")]
    sources = [line for line in render(files, "/project").splitlines() if line.startswith("SF:")]
    assert sources == ["SF:/project/src/A.sol", "SF:/abs/B.sol", "SF:/project/x\\nSF:y.sol"]


def test_no_files_give_an_empty_tracefile() -> None:
    """A campaign that just started has nothing to tell."""
    assert render([]) == ""


def test_a_reader_of_the_tracefile_finds_the_same_percentage(recording: Callable[[str], Any]) -> None:
    """Lines hit of lines found, over all records, is what the summary says."""
    recorded = recording("maze_legacy")
    files = line_coverage(recorded.project, recorded.coverages)
    counts = [int(line.split(",")[1]) for line in render(files).splitlines() if line.startswith("DA:")]
    assert percent(sum(count > 0 for count in counts), len(counts)) == summarize(files).line_coverage


@pytest.mark.parametrize("name", ["maze_legacy", "maze_ir_optimized", "sides_ir", "requires_ir_optimized"])
def test_records_do_not_contradict_each_other(recording: Callable[[str], Any], name: str) -> None:
    """A branch was evaluated only where its line was executed, and stands on an executable line."""
    recorded = recording(name)
    for file in line_coverage(recorded.project, recorded.coverages):
        counts = {line.line: line.count for line in file.lines}
        for branch in file.branches:
            assert counts[branch.line] > 0 or not branch.reached
        for function in file.functions:
            inside = [counts[line] for line in range(function.line, function.end_line + 1) if line in counts]
            assert not inside or (function.count > 0) == any(inside)


@pytest.mark.integration
@pytest.mark.skipif(shutil.which("genhtml") is None, reason="genhtml (package lcov) is not installed")
@pytest.mark.parametrize("name", ["maze_legacy", "maze_ir_optimized", "sides_ir"])
def test_genhtml_reads_it_without_complaint(recording: Callable[[str], Any], tmp_path: Path, name: str) -> None:
    """The usual reader accepts records and figures."""
    recorded = recording(name)
    files = line_coverage(recorded.project, recorded.coverages)
    (tmp_path / files[0].path).write_text(files[0].content, encoding="utf-8")
    (tmp_path / "a.lcov").write_text(render(files, str(tmp_path)), encoding="utf-8")
    done = subprocess.run(
        ["genhtml", "--branch-coverage", "-o", "out", "a.lcov"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"({files[0].lines_hit} of {files[0].lines_found} lines)" in done.stdout
    assert f"({files[0].branches_hit} of {files[0].branches_found} branches)" in done.stdout
    assert "WARNING" not in done.stdout.upper()
