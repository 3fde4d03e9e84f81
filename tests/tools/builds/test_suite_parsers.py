"""Diagnostics from pytest and from the runners of `npm test`."""

from __future__ import annotations

import re

import pytest

from tests.support.parser_bench import parsed, recorded
from tools.builds.diagnostics import BuildDiagnostic, Parsed
from tools.builds.plugins import (
    npm_test,
    pytest_run,
)


def told(found: Parsed) -> list[tuple[str, str | None, str]]:
    return [(each.severity, each.code, each.message) for each in found.diagnostics]


def placed(found: Parsed) -> list[tuple[str | None, int | None, int | None]]:
    return [(each.file, each.line, each.column) for each in found.diagnostics]


def only(found: Parsed) -> BuildDiagnostic:
    (each,) = found.diagnostics
    return each


def test_pytest() -> None:
    """Failures and errors with reason and last line in the project, warnings, counts."""
    found = recorded(pytest_run.PLUGIN, "pytest_failures.txt")
    assert told(found) == [
        ("warning", "DeprecationWarning", "old thing"),
        ("error", "TestFailure", "test_a.py::test_bad: AssertionError: not two"),
        ("error", "TestFailure", "test_a.py::test_par[a b]: AssertionError: assert 'a b' == 'z'"),
        ("error", "TestFailure", "test_a.py::test_par[c - d]: AssertionError: assert 'c - d' == 'z'"),
        ("error", "TestFailure", "test_a.py::TestC::test_in: ValueError: boom - dash"),
        ("error", "TestError", "test_a.py::test_err: RuntimeError: fixture"),
    ]
    assert [each[:2] for each in placed(found)] == [("test_a.py", line) for line in (18, 5, 10, 10, 12, 14)]
    bad = found.diagnostics[1]
    assert bad.log_range.end_line - bad.log_range.start_line == 7
    summary = found.summary
    assert summary is not None
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == (2, 5, 1, 8)


def test_pytest_that_cannot_collect_or_start() -> None:
    """An import that fails has the line of the import; a wrong option is told."""
    found = only(recorded(pytest_run.PLUGIN, "pytest_collection.txt"))
    assert (found.code, found.file, found.line) == ("TestError", "test_b.py", 1)
    found = only(parsed(pytest_run.PLUGIN, b"ERROR: file or directory not found: x.py\n", exit_code=4))
    assert found.code == "USAGE"
    usage = b"ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --nope\n"
    assert only(parsed(pytest_run.PLUGIN, usage, exit_code=4)).message == "unrecognized arguments: --nope"
    found = only(parsed(pytest_run.PLUGIN, b"==== no tests ran in 0.01s ====\n", exit_code=5))
    assert (found.severity, found.code) == ("error", "NO_TESTS")


def test_pytest_of_files_that_do_not_load() -> None:
    """An import that fails, a syntax error, and a conftest: the file, the line, and what was raised."""
    found = recorded(pytest_run.PLUGIN, "pytest_broken_files.txt", exit_code=2)
    assert told(found) == [
        ("error", "TestError", "test_b.py: ModuleNotFoundError: No module named 'nope_module'"),
        ("error", "TestError", "test_c.py: SyntaxError: invalid syntax"),
    ]
    assert placed(found) == [("test_b.py", 1, None), ("test_c.py", 1, None)]
    found = recorded(pytest_run.PLUGIN, "pytest_conftest.txt", exit_code=4)
    assert told(found) == [("error", "TestError", "SyntaxError: invalid syntax")]
    assert placed(found) == [("conftest.py", 3, None)]


def test_pytest_without_its_summary() -> None:
    """The tracebacks are told where the caller has turned it off."""
    log = b"=== FAILURES ===\n___ test_bad ___\ntest_a.py:3: in test_bad\nE   ValueError: boom\n=== 1 failed in 1s\n"
    found = only(parsed(pytest_run.PLUGIN, log))
    assert (found.message, found.file, found.line) == ("test_bad: ValueError: boom", "test_a.py", 3)


@pytest.mark.parametrize(
    ("name", "messages", "places", "counts"),
    [
        (
            "node_tap.txt",
            ["fails here: Expected values to be strictly equal:\n2 !== 3", "inner bad: no", "outer: 1 subtest failed"],
            [("a.test.js", 3), ("a.test.js", 4), ("a.test.js", 4)],
            (1, 3, 2, 6),
        ),
        (
            "node_spec.txt",
            [
                "outer",
                "fails here: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n2 !== 3",
                "inner bad: Error: no",
            ],
            [(None, None), ("a.test.js", 3), ("a.test.js", 4)],
            (1, 3, 2, 6),
        ),
        ("jest.txt", ["suite › fails here: expect(received).toBe(expected) // Object.is equality\n"
                      "Expected: 3\nReceived: 2"], [("b.test.js", 2)], (1, 1, 1, 3)),
        ("vitest.txt", ["v.test.mjs > suite > fails here: AssertionError: expected 2 to be 3 // Object.is equality\n"
                        "- Expected\n+ Received"], [("v.test.mjs", 3)], (1, 1, 1, 3)),
        ("mocha.txt", ["suite > fails here: AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n"
                       "2 !== 3\n-2"], [("m.js", 2)], (1, 1, 1, 3)),
    ],
)  # fmt: skip
def test_npm_test_understands_the_usual_runners(
    name: str, messages: list[str], places: list[tuple[str | None, int | None]], counts: tuple[int, ...]
) -> None:
    """Each failure once, with its reason, its place in the project, and the counts."""
    found = recorded(npm_test.PLUGIN, name)
    assert [each.message for each in found.diagnostics] == messages
    assert [each[:2] for each in placed(found)] == places
    summary = found.summary
    assert summary is not None
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == counts


@pytest.mark.parametrize(
    ("name", "told", "counts"),
    [
        ("jest_broken.txt", [
            ("suite › throws in lib: TypeError: deep", "lib.js", 1, 27),
            ("suite › pair 1 2: expect(received).toBe(expected) // Object.is equality", "a.test.js", 5, 63),
            ("suite › async rejects: nope", "a.test.js", 6, 60),
            ('suite › times out: thrown: "Exceeded timeout of 50 ms for a test while waiting for `done()` to be'
             " called.", "a.test.js", 7, 3),
            ("suite › snapshot-ish: expect(received).toEqual(expected) // deep equality", "a.test.js", 8, 54),
            ("empty.test.js: Test suite failed to run: Your test suite must contain at least one test.",
             None, None, None),
            ("bad.test.js: Test suite failed to run: SyntaxError: Unexpected token", "bad.test.js", 1, 11),
        ], (2, 5, 0, 7)),
        ("vitest_broken.txt", [
            ("bad.test.js: Error: Cannot find module './missing.js' imported from /work/app/bad.test.js",
             "bad.test.js", 1, 1),
            ("a.test.js > suite > throws in lib: TypeError: deep", "lib.js", 1, 32),
            ("a.test.js > suite > deep: AssertionError: expected { a: 1, b: { c: 2 } } to deeply equal"
             " { a: 1, b: { c: 3 } }", "a.test.js", 6, 46),
            ("a.test.js > suite > async rejects: Error: nope", "a.test.js", 7, 60),
        ], (1, 3, 1, 5)),
        ("mocha_nested.txt", [
            ('suite > times out: Error: Timeout of 50ms exceeded. For async tests and hooks, ensure "done()" is called;'
             " if returning a Promise, ensure it resolves. (/work/app/a.spec.js)", None, None, None),
            ("suite > inner > throws in lib: TypeError: deep", "/work/tj/lib.js", 1, 27),
            ("suite > inner > deep: AssertionError [ERR_ASSERTION]: Expected values to be loosely deep-equal:",
             "a.spec.js", 4, 85),
            ('hooked > "before all" hook for "x": Error: hook broke', "a.spec.js", 9, 49),
        ], (1, 4, 1, 6)),
        ("node_broken.txt", [
            ("inner bad: Expected values to be strictly deep-equal:", "a.test.js", 3, 71),
            ("outer: 1 subtest failed", "a.test.js", 3, 1),
            ("throws in lib: deep", "/work/tj/lib.js", 1, 27),
            ("async: nope", "a.test.js", 6, 50),
            ("b.test.js: SyntaxError: Unexpected token ';'", "b.test.js", 1, 1),
        ], (1, 5, 1, 7)),
    ],
)  # fmt: skip
def test_npm_test_places_failures_where_they_were_thrown(
    name: str, told: list[tuple[str, str | None, int | None, int | None]], counts: tuple[int, ...]
) -> None:
    """Nested suites, files that do not load, time limits and hooks; no code or stack in the message."""
    found = recorded(npm_test.PLUGIN, name)
    assert [(each.message.split("\n")[0], each.file, each.line, each.column) for each in found.diagnostics] == told
    assert all(not re.search(r"^(?:at |>?\s*\d+ \|)", each.message, re.MULTILINE) for each in found.diagnostics)
    summary = found.summary
    assert summary is not None
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == counts
