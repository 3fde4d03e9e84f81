"""Echidna's covered.txt."""

from __future__ import annotations

import pytest

from orchestrator.report.echidna_text import render_echidna_text
from simulator.coverage.annotation import markers
from simulator.coverage.file_coverage import FileCoverage, LineCount


def test_files_have_numbers_markers_and_source(files: tuple[FileCoverage, ...]) -> None:
    """The markers are four wide; carriage returns are dropped; an empty line parts the files."""
    assert render_echidna_text(files, "/p").split("\n") == [
        "/p/src/A.sol",
        " 1 |     | contract A {",
        " 2 |     |   function f(uint a) public {",
        " 3 | *roe|     if (a > 1 && b) {",
        " 4 |     |       g();",
        " 5 |     |     }",
        " 6 |     |   }",
        " 7 |     | }",
        " 8 |     | ",
        "",
        "/p/src/B.sol",
        " 1 | *   | contract B { uint x; }",
        "",
    ]


@pytest.mark.parametrize(
    ("count", "outcomes", "expected"),
    [(0, 0, ""), (1, 0, "*"), (1, 1, "*"), (2, 2, "*r"), (2, 4, "*o"), (2, 8, "*e"), (2, 16, "*e"), (9, 31, "*roe")],
)
def test_markers_tell_how_frames_ended(count: int, outcomes: int, expected: str) -> None:
    """Success is the star alone; invalid opcodes and other errors share a letter."""
    assert markers(LineCount(1, count, "A", outcomes)) == expected


def test_lines_without_code_have_no_markers() -> None:
    """Neither have lines that never ran."""
    assert markers(None) == ""
