"""Branches of the source, told from checks of the compiler."""

from __future__ import annotations

import pytest

from simulator.coverage.branch_kinds import branch_kind


def kind_of(source: str, piece: str) -> str | None:
    data = source.encode()
    start = data.index(piece.encode())
    return branch_kind(data, start, start + len(piece.encode()))


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ("if (a) { b; }", "if"),
        ('require(a > b, "why")', "require"),
        ("for (uint i; i < 3; i++) { }", "loop"),
        ("while (a) { }", "loop"),
        ("do { } while (a);", "loop"),
        ("a && b", "and"),
        ("a || b && c", "or"),
        ("f(a && b) ? c : d", "ternary"),
        ("a > 3 ? b == c : d", "ternary"),
    ],
)
def test_statements_and_operators_are_branches(piece: str, kind: str) -> None:
    """The source of the jump names its kind; of several operators the weakest is the one that jumps."""
    assert kind_of(f"{{ {piece} }}", piece) == kind


@pytest.mark.parametrize(
    "piece",
    [
        "a + b",
        "token.transfer(a && b)",
        "items[i || j]",
        'f("a && b")',
        "x = a && b",
        "return a || b",
        "assert(a && b)",
        "iffy(a)",
        "while (true) { }",
        "a /* && */ + b",
        "function f() public { if (a) {} }",
        "contract C { }",
    ],
)
def test_compiler_checks_are_no_branches(piece: str) -> None:
    """Operators inside of brackets, quotes and comments belong to others."""
    assert kind_of(f"{{ {piece} }}", piece) is None


@pytest.mark.parametrize(
    ("source", "piece", "kind"),
    [
        ("for (uint i = 0; i < n % 4; i++) {}", "i < n % 4", "loop"),
        ("while ( list.length > 0) {}", "list.length > 0", "loop"),
        ("while (open) {}", "open", "loop"),
        ("while (token.pay(x)) {}", "token.pay(x)", None),
        ("if (a < b) {}", "a < b", None),
        ("for (uint i = a < b; ok; i++) {}", "a < b", None),
    ],
)
def test_a_bare_condition_is_a_branch_only_of_a_loop(source: str, piece: str, kind: str | None) -> None:
    """The IR pipeline gives loops the range of their condition; a call there has checks of its own."""
    assert kind_of(source, piece) == kind
