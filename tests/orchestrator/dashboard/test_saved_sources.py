"""Coverage of a saved campaign: its own reports are read, and damaged or hostile lines do no harm."""

from __future__ import annotations

from orchestrator.dashboard.saved.sources import _add_texts, _counts
from orchestrator.report.echidna_text import render_echidna_text
from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.coverage.lcov import render

FILE = FileCoverage(
    "src/A.sol",
    "contract A {\n  if (x) y(); //  3 | *   | not a line\n}\n",
    (LineCount(2, 9, "A"),),
    (BranchCount(2, "if", "A", (0, 9)),),
    (FunctionCount(1, 3, "A.f(uint256,bool)", 9),),
)


def test_what_was_written_is_read_again():
    files = _counts(render([FILE], "/project"))
    _add_texts(files, render_echidna_text([FILE], "/project"))
    (path,) = files
    assert path == "/project/src/A.sol"
    file = files[path]
    assert [text for text, _ in file.lines] == FILE.content.split("\n")
    assert file.counts == {2: 9}
    (branch,) = file.open_branches
    assert (branch.line, branch.counts) == (2, [0, 9])
    assert [(each.name, each.line, each.count) for each in file.functions] == [("A.f(uint256,bool)", 1, 9)]


def test_damaged_lines_are_passed_over():
    files = _counts(
        "SF:a.sol\nDA:x,1\nDA:1\nDA:\u0661,1\nDA:2,1\nBRDA:2,0,7,1\nBRDA:2,0,0,-\nFN:\nFNDA:9\nend\nDA:" + "9" * 50
    )
    assert files["a.sol"].counts == {2: 1}
    assert [each.counts for each in files["a.sol"].branches.values()] == [[0, 0]]
    _add_texts(files, "a.sol\n 7 | *   | out of order\n 1 | *   | first\nelsewhere.sol\n 2 | *   | of no known file\n")
    assert files["a.sol"].lines == [("first", "*   ")]
