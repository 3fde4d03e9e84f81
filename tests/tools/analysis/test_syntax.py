"""Syntax errors of JavaScript: found where they are, and only where engines find some."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.analysis.javascript.syntax import MAX_ERRORS, syntax_errors

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
    "import json from './a.json' with { type: 'json' }; export * as ns from 'm'; import.meta.url",
    "class A extends B { #m() { return super.m() } has(o) { return #m in o } constructor() { super() } }",
    "/[/]\\/(?<n>a)(?<!b)\\k<n>/dgimsuy.test(s); /[\\p{L}--[a-z]]/v; a / b / c",
    "function f(a, a) { var a; if (a) function g() {} return new.target } label: while (1) break label",
    "(a ?? b) || c; (-1) ** 2; [a, , b] = c; (a) = 1; f(1, 2,); yield_ = 1; var let_, of, async; async()",
    "try {} catch (e) { var e } for (const k in o, p) ; class C { get #g() { return 1 } set #g(v) {} }",
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
REFUSED = r"""
x = <div className="a" />
@decorator class D {}
a?.b = 1
new a?.b()
a ?? b || c
-1 ** 2
for (let x of a, b) {}
function f(a, a) { 'use strict' }
(a, a) => 1
function f(...a, b) {}
class A { constructor() {} constructor() {} }
class A { get constructor() {} }
class A { static prototype() {} }
class A { get x(a) {} }
class A { set x() {} }
class A { m() { this.#x } }
class A { #a; #a }
function f() { yield 1 }
'use strict'; with (a) {}
'use strict'; var public = 1
'use strict'; 017
'use strict'; delete x
export const x = 1; arguments = 1
let let = 1
function f(a) { let a }
try {} catch (e) { let e }
import a from 'x'; import { b as a } from 'y'
if (x) { import y from 'z' }
function f() { export const a = 1 }
label: label: x
super.x
function f() { super() }
class A { constructor() { super() } }
new.target
/(/
/[a/
/a/gg
01n
foo(1,, 2)
function () {}
class { }
({ a: 1, b }) = c
x => { } ()
if (1) class C {}
while (0) const y = 1
if (1) async function f() {}
while (1) function f() {}
label: function* g() {}
switch (x) { default: default: }
var enum = 1
export
""".strip().splitlines()


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


@pytest.mark.parametrize("code", REFUSED)
@pytest.mark.requirement("001-11")
def test_what_engines_refuse_is_an_error(code: str) -> None:
    """Although it fits the grammar; JSX and decorators are no JavaScript yet."""
    assert syntax_errors(code) != ()


def test_at_most_ten_errors_are_told() -> None:
    """More would not help anybody to repair the file."""
    assert len(syntax_errors("const x;\n" * 30)) == MAX_ERRORS


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
