"""Syntax errors of JavaScript: found where they are, and only where engines find some."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.analysis.javascript.syntax import MOST_ERRORS, syntax_errors

VALID = [
    "const x = 1;",
    "a?.b ?? c; x ||= 1n; 1_000;",
    "class A { #x = 1; static { } get y() { return this.#x } }",
    "export default async function* (a, b = 2, ...[c]) { yield await a }",
    "import x, { y as z } from 'm'; export * from 'n'; export { z };",
    "label: for (const { a, b: [c] } of d) { if (a) continue label; else break }",
    "await fetch(`x${{ a: 1 }.a}`);",
    "module.exports = { f() {}, get g() { return 1 } };",
    "var a; var a; function a() {}",
    "switch (1) { case 1: break; default: { let a } }",
    "#!/usr/bin/env node\n'use strict';",
]
INVALID = [
    ("const x = ;", 1, 9),
    ("function f( {", 1, 13),
    ("let a = 1;\nlet a = 2;", 2, 5),
    ("const x;", 1, 7),
    ("return 5", 1, 1),
    ("if (a) { continue }", 1, 10),
    ("foo(;", 1, 5),
    ("function f() {\n  await g();\n}", 2, 3),
    ("for (const x of y) break z;", 1, 20),
    ("const {a};", 1, 7),
    ("'é'; let b = );", 1, 14),
]


@pytest.mark.parametrize("code", VALID)
@pytest.mark.requirement("001-10")
def test_valid_code_of_every_module_system_has_no_errors(code: str) -> None:
    """ES2020 and later, CommonJS and ES modules."""
    assert syntax_errors(code) == ()


@pytest.mark.parametrize(("code", "line", "column"), INVALID)
@pytest.mark.requirement("001-11")
def test_an_error_is_at_its_line_and_column(code: str, line: int, column: int) -> None:
    """Both count from 1, columns in characters."""
    first = syntax_errors(code)[0]
    assert (first.line, first.column) == (line, column)


def test_at_most_ten_errors_are_told() -> None:
    """More would not help anybody to repair the file."""
    assert len(syntax_errors("const x;\n" * 30)) == MOST_ERRORS


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80) | st.text("(){}[]=>.,;'`\"$/*+-let const if=function ", max_size=80))
def test_any_text_is_judged(code: str) -> None:
    """Nothing raises, and places are inside of the text."""
    lines = code.split("\n")
    for error in syntax_errors(code):
        assert 1 <= error.line <= len(lines)
        assert error.column >= 1


def test_code_may_nest_deeper_than_python_recurses() -> None:
    """Ten thousand brackets are no reason to fail."""
    assert syntax_errors("(" * 10_000 + "1" + ")" * 10_000) == ()
