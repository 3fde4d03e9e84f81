"""Purity by the syntax tree."""

from __future__ import annotations

import pytest

from tools.analysis.javascript.purity import IMPURE_GLOBALS, MUTATORS, purity_doubts, purity_violations

PURE = [
    "const x = 1;",
    "const f = (a) => a.map((v) => v * 2).filter(Boolean).reduce((s, v) => s + v, 0);",
    "const g = ({ a, ...rest }) => ({ ...rest, b: a.toSorted() });",
    "const fail = (m) => { throw new TypeError(m); };",
    "module.exports = { f }; exports.g = g;",
    "const s = 'for (;;) x++; console.log()'; // while (true) { fs.x() }",
    "const h = (console, Date) => console.log + Date;",
    "const o = { window: 1, push: 2 }; o.window + o.document;",
    "const pick = (fs) => fs.length; Math.max(1, 2);",
    "import y from 'lodash'; const z = require('ramda');",
    "const { max } = Math; const f = (Math) => Math.random(); f.call(null, 1); o[k]();",
]
IMPURE = [
    ("for (const x of y) {}", "for-in"),
    ("while (true) {}", "while"),
    ("do {} while (x)", "do"),
    ("class A {}", "class-declaration"),
    ("const f = function () { return this.x };", "this"),
    ("with (a) {}", "with"),
    ("x++", "update-expression"),
    ("let a = 1; a = 2;", "reassignment"),
    ("o.x = 1", "reassignment"),
    ("a += 1", "augmented-assignment-expression"),
    ("delete o.x", "delete"),
    ("Math.random()", "impure-member"),
    ("Object.assign({}, a)", "impure-member"),
    ("Reflect.set(a, 'b', 1)", "impure-member"),
    ("new Map()", "construction"),
    ("const fs = require('node:fs');", "impure-module"),
    ("import { readFile } from 'fs/promises';", "impure-module"),
    ("import('x')", "dynamic-import"),
    ("x.exports.a = 1", "reassignment"),
    ("Math['random']()", "impure-member"),
    ("const { random } = Math;", "impure-member"),
    ("const { random: chance } = Math;", "impure-member"),
    ("Math?.random()", "impure-member"),
    ("a['push'](1)", "mutating-method"),
    ("Array.prototype.push.apply(a, b)", "mutating-method"),
    ("[].sort.call(a)", "mutating-method"),
]


@pytest.mark.parametrize("code", PURE)
@pytest.mark.requirement("001-12")
def test_pure_code_passes(code: str) -> None:
    """Words in strings and comments, property names and local names that hide a global are no violations."""
    assert purity_violations(code) == ()


@pytest.mark.parametrize(("code", "rule"), IMPURE)
@pytest.mark.requirement("001-12")
def test_each_kind_of_side_effect_is_named(code: str, rule: str) -> None:
    """One violation, by its rule."""
    assert rule in [found.rule for found in purity_violations(code)]


@pytest.mark.parametrize("name", sorted(IMPURE_GLOBALS - {"require"}))
def test_each_impure_global_is_named(name: str) -> None:
    """Read, called or passed on."""
    assert [found.rule for found in purity_violations(f"const f = () => g({name});")] == ["impure-global"]


@pytest.mark.parametrize("method", sorted(MUTATORS))
def test_each_mutating_method_has_an_advice(method: str) -> None:
    """The message says what to use instead."""
    (found,) = purity_violations(f"const f = (a) => a.{method}(1);")
    assert MUTATORS[method] in found.message


def test_what_only_changes_maps_and_sets_is_a_doubt() -> None:
    """The same words give new objects in libraries of immutable data."""
    assert purity_violations("const f = (m) => m.set(1, 2).add(3);") == ()
    assert len(purity_doubts("const f = (m) => m.set(1, 2).add(3);")) == 2


def test_a_violation_has_its_place() -> None:
    """Line and column from 1."""
    (found,) = purity_violations("const a = 1;\n  a.push(2);")
    assert (found.line, found.column) == (2, 3)
