"""Marks in code under test: they note what is executed, and change nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.analysis.conftest import Bench
from tools.analysis.javascript.syntax import syntax_errors
from tools.analysis.test_generator.calls import GeneratedCall, calls_of
from tools.analysis.test_generator.coverage import marked, percent
from tools.analysis.test_generator.generator import ZONES
from tools.analysis.test_generator.sandbox import SubjectExecution, observe
from tools.analysis.test_generator.subject import subject_of
from tools.javascript_sandbox.process import JavaScriptSandbox

WITHOUT_SEMICOLONS = """
function walk(a, b) {
  'use strict'
  let x = a
  ++x
  if (a > 5) x = 1
  else if (b > 2) x = 2
  else
    x = 3
  do x++; while (x < 3)
  for (let i = 0; i < 3; i++) x += i
  outer:
  for (const k of [1, 2, 3]) {
    if (k === 2) continue outer
    switch (k) {
      // a comment
      case 1: x += 1; break
      case 3:
        x += 2
      default:
        x += 4
    }
  }
  while (x > 100)
    x -= 1
  try { if (b < 0) throw new Error('neg') } catch (e) { x = -1 } finally { x += 1 }
  return a
    ? x
    : b && x
}
"""
NESTED = """
export default function nest(items = [], opts) {
  const found = items.filter((i) => i > 1 && i < 10 || i === 100)
  function inner(n) {
    if (n < 0) return 'neg'
    return 'pos'
  }
  if (found.length) for (const f of found) if (f % 2) return inner(f); else return inner(-f)
  class Local { static x = 1; get y() { return Local.x ?? 2 } }
  const { a = opts ? 1 : 2 } = opts || {}
  return a + new Local().y
}
export const arrow = n => n ? 'é😀' : null
"""
MARK = re.compile(r"reached\[\d+\]=1")

_expressions = st.recursive(
    st.sampled_from(["a", "b", "x++", "f()", "[1].length", "'é'", "() => a", "{ }.b"]).map(lambda text: f"({text})"),
    lambda inner: st.one_of(
        st.tuples(inner, inner, inner).map("({0[0]} ? {0[1]} : {0[2]})".format),
        st.tuples(inner, st.sampled_from(["&&", "||", "??", "+", ","]), inner).map("({0[0]} {0[1]} {0[2]})".format),
    ),
    max_leaves=5,
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    blocks = st.lists(inner, max_size=3).map(lambda texts: "{\n" + "\n".join(texts) + "\n}")
    either = inner | blocks
    return st.one_of(
        st.tuples(_expressions, either).map("if ({0[0]}) {0[1]}".format),
        st.tuples(_expressions, blocks, either).map("if ({0[0]}) {0[1]} else {0[2]}".format),
        st.tuples(_expressions, either).map("for (let i = 0; i < 2 && {0[0]}; i++) {0[1]}".format),
        st.tuples(_expressions, either).map(
            "again:\nfor (const k of [1]) {{ if ({0[0]}) continue again; {0[1]} }}".format
        ),
        st.tuples(_expressions, blocks).map("do {0[1]} while (x++ < 3 && {0[0]})".format),
        st.tuples(_expressions, inner, inner).map("switch ({0[0]}) {{ case 1: {0[1]}\n default: {0[2]} }}".format),
        st.tuples(blocks, blocks).map("try {0[0]} catch {0[1]}".format),
    )


_simple = _expressions.flatmap(
    lambda text: st.sampled_from(
        [f"x = {text};", f"return {text};", f"throw {text};", ";", "var v = 1;", "{ let l = 1; }"]
    )
)
_programs = st.lists(st.recursive(_simple, _compound, max_leaves=8), min_size=1, max_size=4).map("\n".join)


def function_of(body: str) -> str:
    return f"function f(a, b) {{\n  let x = 0;\n{body}\n}}"


@pytest.mark.parametrize(
    ("code", "coverage"),
    [(WITHOUT_SEMICOLONS, {"lines": 95, "branches": 100}), (NESTED, {"lines": 100, "branches": 92})],
)
async def test_lines_and_arms_are_counted(bench: Bench, code: str, coverage: dict[str, int]) -> None:
    """As V8 itself counts them: in code without braces and semicolons, in nested functions, labels and cases."""
    assert (await bench.call("test-generator", code=code))["coverage"] == coverage


@given(_programs)
@settings(max_examples=60, deadline=None)
def test_marked_code_is_the_code_with_marks(body: str) -> None:
    """It can be parsed, and without its marks it is what it was but for braces, parentheses and empty statements."""
    code = function_of(body)
    if syntax_errors(code):
        return
    subject = subject_of(code)
    marks = marked(subject)
    assert not syntax_errors(f"({marks.function})")
    found = [int(number) for number in re.findall(r"reached\[(\d+)\]=1", marks.function)]
    assert sorted(found) == list(range(len(marks.places)))
    plain = MARK.sub("", marks.function.removeprefix("(reached) => ")).replace("else {;}", "")
    ignored = str.maketrans("", "", "{}();, \n")
    assert plain.translate(ignored) == subject.expression.translate(ignored)


def test_a_name_that_the_code_has_is_not_taken_for_marks() -> None:
    """The array gets another one."""
    marks = marked(subject_of("const reached = 1;\nfunction f(reached_) { return reached; }"))
    assert marks.function.startswith("(reached__) => ")


def test_directives_stay_first() -> None:
    """`use strict` behind a mark would mean nothing."""
    marks = marked(subject_of("function f() {\n  // strict\n  'use strict'\n  return this\n}"))
    assert "// strict\n  'use strict';reached[" in marks.function


@pytest.mark.parametrize(("reached", "found", "wanted"), [(0, 0, 100), (1, 3, 33), (2, 3, 66), (3, 3, 100)])
def test_percentages_are_rounded_down(reached: int, found: int, wanted: int) -> None:
    """So that 100 means all."""
    assert percent(reached, found) == wanted


@pytest.mark.nightly
@given(st.lists(_programs, min_size=20, max_size=20))
@settings(max_examples=3, deadline=None)
async def test_marked_code_does_what_the_code_does(bodies: list[str]) -> None:
    """In V8, with the same outcome for every call."""
    codes = [code for code in map(function_of, bodies) if not syntax_errors(code)]
    for code in codes[:8]:
        subject = subject_of(code)
        marks = marked(subject)
        calls: list[GeneratedCall] = calls_of(subject.functions)[:6]
        plain = await observe(
            JavaScriptSandbox(), SubjectExecution(f"() => {subject.expression}", 0, ZONES[0], 60.0), calls
        )
        counted = await observe(
            JavaScriptSandbox(), SubjectExecution(marks.function, len(marks.places), ZONES[0], 60.0), calls
        )
        ended = [
            (one, other) for one, other in zip(plain, counted, strict=True) if "late" not in (one.kind, other.kind)
        ]
        assert all(one.agrees_with(other) for one, other in ended)
