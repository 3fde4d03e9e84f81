"""A small measured project for the coverage reports."""

from __future__ import annotations

import pytest

from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount

SOURCE = "contract A {\n  function f(uint a) public {\n    if (a > 1 && b) {\r\n      g();\n    }\n  }\n}\n"


@pytest.fixture
def files() -> tuple[FileCoverage, ...]:
    """One file with a gap in a branch and a line that never ran, one without functions."""
    return (
        FileCoverage(
            "src/A.sol",
            SOURCE,
            lines=(LineCount(3, 12_345, "A", outcomes=2 | 4 | 8), LineCount(4, 0, "A")),
            branches=(BranchCount(3, "if", "A", (0, 12_345)), BranchCount(3, "and", "A", (1, 2))),
            functions=(FunctionCount(2, 6, "A.f", 12_345), FunctionCount(8, 9, "A.g", 0)),
        ),
        FileCoverage("src/B.sol", "contract B { uint x; }", lines=(LineCount(1, 3, "B"),)),
    )
