"""The guarded parts of a branch in the source."""

from __future__ import annotations

import pytest

from simulator.coverage.branch_kinds import BranchKind
from simulator.coverage.branch_text import branch_parts


def parts_of(source: str, piece: str, kind: BranchKind) -> tuple[str, str]:
    start = source.index(piece)
    parts = branch_parts(source.encode(), start, start + len(piece), kind)
    return source[slice(*parts.true)].strip(), source[slice(*parts.false)].strip()


@pytest.mark.parametrize(
    ("piece", "kind", "true", "false"),
    [
        ("if (f(a)) { b; } else { c; }", "if", "{ b; }", "else { c; }"),
        ("if (a) b(';'); else c;", "if", "b(';');", "else c;"),
        ("if (a) revert E({x: 1});", "if", "revert E({x: 1});", ""),
        ("for (uint i; i < 3; i++) { b; }", "loop", "{ b; }", ""),
        ("while (a) b;", "loop", "b;", ""),
        ("do { b; } while (a)", "loop", "do { b; }", ""),
        ("a ? b : c ? d : e", "ternary", "b", "c ? d : e"),
        ("a ? b ? c : d : e", "ternary", "b ? c : d", "e"),
        ("(a && b) && c", "and", "c", ""),
        ("a || f(b || c)", "or", "", "f(b || c)"),
        ("if gt(x, a) { x := 2 }", "if", "", ""),
        ("require(a, b)", "require", "", ""),
    ],
)
def test_parts_run_only_on_their_side(piece: str, kind: BranchKind, true: str, false: str) -> None:
    """What is executed only when the condition holds, and only when it does not."""
    assert parts_of(f"{piece}; after();", piece, kind) == (true, false)


def test_a_bare_loop_condition_is_taken_with_its_body() -> None:
    """The body stands behind the loop's bracket, or before it in a do loop."""
    assert parts_of("x; while (a < b) { c; } d;", "a < b", "loop") == ("{ c; }", "")
    assert parts_of("do { c; } while (a < b); d;", "a < b", "loop") == ("do { c; } while (", "")
