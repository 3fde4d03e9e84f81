"""Comparisons and assertions in source lines."""

from __future__ import annotations

from simulator.coverage.file_coverage import BranchCount, FileCoverage, FunctionCount, LineCount
from simulator.health.sources import FunctionPlace, SourceIndex, has_short_assertions, is_assertion


def place_of(body: str, counts: dict[int, int]) -> tuple[SourceIndex, FunctionPlace]:
    lines = tuple(LineCount(line, count, "C") for line, count in sorted(counts.items()))
    function = FunctionCount(1, body.count("\n") + 1, "C.f", 1)
    file = FileCoverage("C.sol", body, lines, (), (function,))
    return SourceIndex((file,)), FunctionPlace(file, function)


def verdicts_of(body: str, *lines: int) -> list[int]:
    index, place = place_of(body, dict.fromkeys(lines, 1))
    return [line.line for line in index.verdicts(place)]


def test_an_outcome_hangs_on_comparisons_assertions_and_returned_calls():
    assert verdicts_of("function f() {\nif (a > b)\nreturn false;\nreturn true;\n}", 2, 3, 4) == [2]
    assert verdicts_of("function f() {\nassertEq(a, b);\nassert(false);\nreturn holds(a);\n}", 2, 3, 4) == [2, 4]
    assert verdicts_of("function f() {\nreturn true;\n}", 2) == []


def test_conditions_of_leaving_content_and_loops_decide_nothing():
    assert verdicts_of("function f() {\nif (a == b)\nreturn true;\nreturn x <= y;\n}", 2, 3, 4) == [4]
    assert verdicts_of("function f() {\nif (!on()) return;\nfor (i; i < n; i++) {\ng();\n}\n}", 2, 3, 4) == []


def test_shifts_arrows_comments_and_texts_are_no_comparisons():
    body = 'function f() {\nm[a << 2] >>= 1; // a == b\ng("a < b"); /* x\n> y */ h({x => y});\n}'
    assert verdicts_of(body, 2, 3, 4) == []


def test_a_comparison_on_a_further_line_belongs_to_the_statement_that_began_before():
    assert verdicts_of("function f() {\nreturn a\n== b;\n}", 2) == [2]


def test_assertions_are_found_but_those_of_false_and_of_catch_blocks():
    before = "function f() {\nassert(a);\nassertEq(a, b);\nassert(false);\n"
    body = before + "try g() {\nassert(c);\n} catch {\nassert(d);\n}\n}"
    index, place = place_of(body, dict.fromkeys(range(1, 10), 0))
    assert [line.line for line in index.assertions(place, short=False)] == [2, 3, 6]


def test_an_assertion_behind_a_condition_on_its_line_runs_where_the_condition_was_true():
    """Of several conditions on a line, or an `else`, none is known to be the one."""

    def count_of(line: str, *counts: tuple[int, int]) -> int:
        branches = tuple(BranchCount(1, "if", "C", each) for each in counts)
        function = FunctionCount(1, 1, "C.f", 1)
        file = FileCoverage("C.sol", line, (LineCount(1, 9, "C"),), branches, (function,))
        (found,) = SourceIndex((file,)).assertions(FunctionPlace(file, function), short=False)
        return found.count

    assert count_of("if (a > b) { assert(c); }", (0, 9)) == 0
    assert count_of("if (a > b) assert(c);", (1, 8)) == 9
    assert count_of("function f() public { if (a > b) { assert(c); } }", (0, 9)) == 0
    assert count_of("assert(c); if (a > b) return;", (0, 9)) == 9
    assert count_of("if (a > b) g(); else assert(c);", (0, 9)) == 9
    assert count_of("if (a) if (b) assert(c);", (0, 9), (0, 0)) == 9


def test_short_names_are_assertions_where_the_project_has_them():
    index, place = place_of("function assertTrue(bool a) {\nfunction t(bool a) {\n}", {1: 0, 2: 0})
    assert list(index.assertions(place, short=True)) == []
    index, place = place_of("function f() {\neq(a, b);\nx.t(a);\nt(a, 'b');\n}", dict.fromkeys(range(1, 6), 0))
    assert [line.line for line in index.assertions(place, short=True)] == [2, 4]
    assert list(index.assertions(place, short=False)) == []
    assert has_short_assertions(["abstract contract Asserts {}"])
    assert not has_short_assertions(["contract MyAsserts {}"])


def test_branches_of_assertions_are_told_by_function_and_by_line():
    assert is_assertion("assertEq", "if (a != b) {")
    assert is_assertion("f", "assert(a && b);")
    assert not is_assertion("f", "if (a && b) {")
