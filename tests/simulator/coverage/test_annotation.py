"""Annotated sources."""

from __future__ import annotations

from simulator.coverage.annotation import annotate
from simulator.coverage.code_coverage import BlockOutcome
from simulator.coverage.file_coverage import BranchCount, FileCoverage, LineCount


def test_every_line_stands_with_its_count_marks_and_what_is_missing():
    """Lines without code have no count; half-seen conditions say which outcome is missing."""
    file = FileCoverage(
        "A.sol",
        "contract A {\r\n  if (x) a(); else b();\n  c();\n}",
        (LineCount(2, 5, "A", BlockOutcome.SUCCESS | BlockOutcome.REVERT), LineCount(3, 0, "A")),
        (BranchCount(2, "if", "A", (5, 0)), BranchCount(2, "and", "A", (1, 2)), BranchCount(3, "if", "A", (0, 0))),
    )
    annotated = annotate(file)
    assert [(line.line, line.text, line.count, line.marks, line.missing) for line in annotated.lines] == [
        (1, "contract A {", None, "", ()),
        (2, "  if (x) a(); else b();", 5, "*r", ("if never false",)),
        (3, "  c();", 0, "", ()),
        (4, "}", None, "", ()),
    ]
    assert (annotated.lines_hit, annotated.lines_found) == (1, 2)
    assert (annotated.branches_hit, annotated.branches_found) == (3, 6)
