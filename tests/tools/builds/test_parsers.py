"""Each plugin's parser on output recorded from the real program, and all of them on anything."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.parser_bench import OUTPUTS, parsed, recorded
from tools.builds.diagnostics import MAX_STORED, BuildDiagnostic, Parsed, collected, diagnostic
from tools.builds.plugins import (
    PLUGINS,
    bun_install,
    dotnet_build,
    eslint_lint,
    forge_build,
    forge_test,
    npm_install,
    npm_test,
    pnpm_install,
    pytest_run,
    slither_analyze,
    solc_compile,
)
from tools.builds.responses import parsed_form, stored_form
from tools.builds.text import plain


def told(found: Parsed) -> list[tuple[str, str | None, str]]:
    return [(each.severity, each.code, each.message) for each in found.diagnostics]


def placed(found: Parsed) -> list[tuple[str | None, int | None, int | None]]:
    return [(each.file, each.line, each.column) for each in found.diagnostics]


def only(found: Parsed) -> BuildDiagnostic:
    (each,) = found.diagnostics
    return each


def test_npm_tells_a_failure_once_with_its_code() -> None:
    """The reason without npm's advice and the paths of its logs; the log range spans what npm said."""
    found = only(recorded(npm_install.PLUGIN, "npm_etarget.txt"))
    assert (found.code, found.message) == ("ETARGET", "No matching version found for left-pad@99.0.0.")
    assert (found.log_range.start_line, found.log_range.end_line) == (1, 4)
    found = only(recorded(npm_install.PLUGIN, "npm_eresolve.txt"))
    assert found.code == "ERESOLVE"
    assert found.message.startswith("unable to resolve dependency tree\nWhile resolving: t@1.0.0\nFound: react@16.0.0")
    assert "report" not in found.message
    found = only(recorded(npm_install.PLUGIN, "npm_bad_json.txt"))
    assert found.code == "EJSONPARSE"
    assert "JSON.parse " not in found.message
    assert only(recorded(npm_install.PLUGIN, "npm_e404.txt")).message.splitlines() == [
        "404 Not Found - GET https://registry.npmjs.org/this-package-does-not-exist-at-all-xyz",
        "The requested resource 'this-package-does-not-exist-at-all-xyz@^1.0.0' could not be found or you do not have"
        " permission to access it.",
    ]
    found = only(recorded(npm_install.PLUGIN, "npm_script.txt"))
    assert (found.code, found.message) == ("3", "in /work/app\ncommand failed\ncommand sh -c echo doing; exit 3")


def test_npm_warnings_of_both_spellings() -> None:
    """With their code where they have one; notes on npm's own settings are none of the project's."""
    found = parsed(
        npm_install.PLUGIN,
        b"npm warn deprecated request@2.88.2: request has been deprecated\n"
        b'npm WARN ERESOLVE overriding peer dependency\nnpm warn Unknown user config "nodedir". This will stop\n'
        b"npm warn\nnpm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r/x\n",
    )
    assert told(found) == [
        ("warning", "deprecated", "request@2.88.2: request has been deprecated"),
        ("warning", "ERESOLVE", "overriding peer dependency"),
        ("error", "E404", "404 Not Found - GET https://r/x"),
    ]


def test_pnpm_of_both_generations() -> None:
    """Lines up to version 11, boxes after that: the same code and the same reason."""
    reason = "No matching version found for left-pad@99.0.0 while fetching it from https://registry.npmjs.org/"
    for name in ("pnpm10_no_version.txt", "pnpm12_no_version.txt"):
        assert told(recorded(pnpm_install.PLUGIN, name)) == [("error", "ERR_PNPM_NO_MATCHING_VERSION", reason)]
    found = only(recorded(pnpm_install.PLUGIN, "pnpm12_bad_json.txt"))
    assert found.message.endswith("read package manager policy: key must be a string at line 1 column 14")
    assert only(recorded(pnpm_install.PLUGIN, "pnpm10_bad_json.txt")).message.startswith("Expected double-quoted")
    found = recorded(pnpm_install.PLUGIN, "pnpm12_warnings.txt", exit_code=0)
    assert [each[0] for each in told(found)] == ["warning"]


def test_pnpm_tells_peers_and_scripts() -> None:
    """Which dependency wants what; the script that has failed; the file that is no JSON."""
    found = recorded(pnpm_install.PLUGIN, "pnpm10_peers.txt", exit_code=0)
    assert told(found)[-2:] == [
        ("warning", None, "Issues with peer dependencies found"),
        ("warning", "peer", "react-dom 18.2.0: unmet peer react@^18.2.0: found 16.0.0"),
    ]
    found = recorded(pnpm_install.PLUGIN, "pnpm10_script.txt")
    assert told(found)[-1] == ("error", "ELIFECYCLE", "Command failed with exit code 3.")
    found = parsed(pnpm_install.PLUGIN, b" ERROR  Expected a comma while parsing '{' in /work/app/x/package.json \n")
    assert only(found).file == "x/package.json"


def test_bun() -> None:
    """Errors with the place that follows them."""
    found = recorded(bun_install.PLUGIN, "bun_no_version.txt")
    assert [each.message for each in found.diagnostics] == [
        'No version matching "99.0.0" found for specifier "left-pad" (but package exists)',
        "left-pad@99.0.0 failed to resolve",
    ]
    found = recorded(bun_install.PLUGIN, "bun_bad_json.txt")
    assert placed(found) == [("proj/package.json", 1, 14)]
    assert only(found).log_range.end_line == only(found).log_range.start_line + 1


@pytest.mark.requirement("003-D9")
def test_eslint_has_places_but_none_in_the_log() -> None:
    """Files are told from the working folder, severities and rules as eslint gives them."""
    report = (
        b'[{"filePath":"/work/app/src/a.js","messages":[{"ruleId":"no-undef","severity":2,"message":"m","line":3,'
        b'"column":9},{"ruleId":null,"fatal":true,"severity":2,"message":"Parsing error","line":1,"column":0},'
        b'{"ruleId":"x","severity":1,"message":"w"}],"errorCount":2}]'
    )
    found = parsed(eslint_lint.PLUGIN, b"(node:1) Warning\n" + report, stdout=report)
    assert told(found) == [("error", "no-undef", "m"), ("error", None, "Parsing error"), ("warning", "x", "w")]
    assert placed(found) == [("src/a.js", 3, 9), ("src/a.js", 1, None), ("src/a.js", None, None)]
    assert all(each.log_range.start_line == 0 for each in found.diagnostics)
    assert all(each.byte_offsets.end == 0 for each in found.diagnostics)


def test_eslint_that_cannot_lint_says_why() -> None:
    """Exit code 2 and a text."""
    text = b'\nOops! Something went wrong! :(\n\nESLint: 10.15.0\n\nNo files matching "x" were found.\nCheck.\n'
    found = only(parsed(eslint_lint.PLUGIN, text, stdout=b"", exit_code=2))
    assert (found.code, found.message) == ("FATAL", 'No files matching "x" were found.\nCheck.')


def test_eslint_whose_rule_crashes_names_file_and_rule() -> None:
    """Without the stack, which the log has."""
    log = (OUTPUTS / "eslint_crash.txt").read_bytes()
    found = only(parsed(eslint_lint.PLUGIN, log, stdout=b"", exit_code=2))
    assert (found.code, found.message) == ("FATAL", 'Error: rule exploded\nRule: "p/boom"')
    assert (found.file, found.line) == ("src/a.js", 1)


def test_eslint_with_too_many_warnings_says_so() -> None:
    """`--max-warnings` fails a run without errors."""
    log = b"[]\nESLint found too many warnings (maximum: 0).\n"
    found = only(parsed(eslint_lint.PLUGIN, log, stdout=b"[]"))
    assert (found.severity, found.code, found.log_range.start_line) == ("error", "MAX_WARNINGS", 2)


def test_forge_build_has_the_compilers_places() -> None:
    """From its text; the exit code decides."""
    found = only(recorded(forge_build.PLUGIN, "forge_build_error.txt"))
    assert (found.severity, found.code, found.message) == ("error", "7576", "Undeclared identifier.")
    assert (found.file, found.line, found.column) == ("src/A.sol", 3, 85)
    assert (found.log_range.start_line, found.log_range.end_line) == (4, 8)
    found = only(recorded(forge_build.PLUGIN, "forge_build_warning.txt", exit_code=0))
    assert (found.severity, found.code, found.line) == ("warning", "2072", 3)


def test_forge_build_with_json_fails_although_forge_does_not() -> None:
    """`forge build --json` ends with 0 whatever the compiler says."""
    report = (
        b'{"errors":[{"sourceLocation":{"file":"src/A.sol","start":1,"end":2},"type":"DeclarationError","severity":'
        b'"error","errorCode":"7576","message":"Undeclared identifier.","formattedMessage":"DeclarationError:'
        b' Undeclared identifier.\\n --> src/A.sol:3:85:\\n"}],"sources":{},"contracts":{}}'
    )
    found = parsed(forge_build.PLUGIN, report, exit_code=0)
    assert found.failed
    assert placed(found) == [("src/A.sol", 3, 85)]


def test_forge_test_has_reasons_and_lines(tmp_path: Path) -> None:
    """The line of a failed test comes from its file; a counterexample is told."""
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "A.t.sol").write_text("contract ATest {\n  function testFuzz_x(uint256 v) public {}\n}")
    found = parsed(forge_test.PLUGIN, (OUTPUTS / "forge_test.json").read_bytes(), folder=tmp_path)
    assert told(found) == [
        ("error", "TestFailure", "ATest.testFuzz_x(uint256): seven (counterexample: 7)"),
        ("error", "TestFailure", "ATest.test_bad(): seven"),
    ]
    assert placed(found) == [("test/A.t.sol", 2, None), ("test/A.t.sol", None, None)]
    summary = found.summary
    assert summary is not None
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == (1, 2, 0, 3)


def test_forge_test_with_traces_points_into_the_log() -> None:
    """`-vvv` asks for text: each failure once, its range ends with its trace."""
    assert forge_test.argv(()) == ("test", "--json")
    assert forge_test.argv(("-vvv", "--match-test", "x")) == ("test", "-vvv", "--match-test", "x")
    found = recorded(forge_test.PLUGIN, "forge_test_verbose.txt")
    value = "2079061648886809643168703490208091856733 [2.079e39]"
    assert told(found)[1:] == [
        ("error", "TestFailure", f"ATest.invariant_small(): grown (sequence of 1: set({value}))"),
        ("error", "TestFailure", "ATest.testFuzz_x(uint256): big (counterexample: 1272)"),
        ("error", "TestFailure", "ATest.test_bad(): seven"),
    ]
    assert {each.file for each in found.diagnostics[1:]} == {"test/A.t.sol"}
    lines = (OUTPUTS / "forge_test_verbose.txt").read_text().splitlines()
    bad = found.diagnostics[-1].log_range
    assert lines[bad.start_line - 1].startswith("[FAIL: seven] test_bad()")
    assert lines[bad.end_line - 1] == "  at ATest.test_bad"
    summary = found.summary
    assert summary is not None
    assert (summary.passed, summary.failed, summary.skipped, summary.total) == (3, 3, 0, 6)


def test_forge_test_reasons_of_several_lines() -> None:
    """Belong to their own test; a setup that failed and an inherited test have their contract."""
    found = recorded(forge_test.PLUGIN, "forge_test_reasons.txt")
    messages = [each.message for each in found.diagnostics if each.severity == "error"]
    assert messages[0] == "BadSetup.setUp(): setup broke"
    assert messages[-2:] == ["ATest.test_seven(): Seven(7)", 'ATest.test_string(): a "quoted"\nreason']
    assert len(messages) == 7
    lines = (OUTPUTS / "forge_test_reasons.txt").read_text().splitlines()
    place = found.diagnostics[-1].log_range
    assert lines[place.start_line - 1] == '[FAIL: a "quoted"'
    assert lines[place.end_line - 1] == "  at ATest.test_string"


def test_forge_without_tests_and_with_unknown_options() -> None:
    """No tests are a warning, because forge is content; an option that it does not take is an error."""
    found = only(parsed(forge_test.PLUGIN, b"No tests found in project! Forge looks for `test`\n", exit_code=0))
    assert (found.severity, found.code) == ("warning", "NO_TESTS")
    for plugin in (forge_build.PLUGIN, forge_test.PLUGIN):
        found = only(parsed(plugin, b"error: unexpected argument '--bogus' found\n\nUsage: forge\n", exit_code=2))
        assert (found.code, found.message) == ("USAGE", "unexpected argument '--bogus' found")


def test_forge_test_that_does_not_compile() -> None:
    """The compiler's error, no counts, one project that failed to build."""
    found = recorded(forge_test.PLUGIN, "forge_build_error.txt")
    assert [each.code for each in found.diagnostics] == ["7576"]
    assert found.summary is not None
    assert (found.summary.total, found.summary.projects_build_failed) == (0, 1)


def test_a_sequence_that_broke_an_invariant_is_told() -> None:
    """The calls, the first eight of them."""
    call = b'{"func_name":"set","args":"[1]","raw_args":"1"}'
    report = (
        b'{"test/I.t.sol:I":{"test_results":{"invariant_x()":{"status":"Failure","reason":"broken","counterexample":'
    )
    report += b'{"Sequence":[12,[' + b",".join([call] * 9) + b"]]}}}}}"
    message = only(parsed(forge_test.PLUGIN, report)).message
    assert message == "I.invariant_x(): broken (sequence of 9: " + "; ".join(["set(1)"] * 8) + "; …)"


@pytest.mark.requirement("003-D6")
def test_solc_and_what_is_only_information() -> None:
    """With and without codes; notes go with their message; `Info` is stored but not answered."""
    text = b"""\
Warning: SPDX license identifier not provided in source file.
--> A.sol

Error (7576): Undeclared identifier. Did you mean "x"?
 --> A.sol:3:85:
  |
3 | contract A {}
  |            ^
Note: The other declaration is here:
 --> A.sol:1:1:
ParserError: Expected ';' but got '}'
 --> dir/B.sol:4:9
Info (4591): There are more than 256 warnings. Ignoring the rest.
"""
    found = parsed(solc_compile.PLUGIN, text)
    assert told(found) == [
        ("warning", None, "SPDX license identifier not provided in source file."),
        ("error", "7576", 'Undeclared identifier. Did you mean "x"?'),
        ("error", "ParserError", "Expected ';' but got '}'"),
        ("info", "4591", "There are more than 256 warnings. Ignoring the rest."),
    ]
    assert placed(found)[:3] == [("A.sol", None, None), ("A.sol", 3, 85), ("dir/B.sol", 4, 9)]


def test_slither_by_impact() -> None:
    """High is an error, medium and low are warnings, the rest is information."""
    assert [(each.severity, each.code) for each in recorded(slither_analyze.PLUGIN, "slither.json").diagnostics] == [
        ("info", "solc-version")
    ]
    report = (OUTPUTS / "slither.json").read_bytes()
    for impact, severity in ((b"High", "error"), (b"Medium", "warning"), (b"Low", "warning"), (b"Odd", "info")):
        found = only(parsed(slither_analyze.PLUGIN, report.replace(b"Informational", impact)))
        assert found.severity == severity
    assert (found.file, found.line, found.column) == ("src/A.sol", 2, 1)
    failed = parsed(slither_analyze.PLUGIN, b'{"success":false,"error":"Traceback\\nInvalid compilation","results":{}}')
    assert failed.failed
    assert only(failed).message == "Invalid compilation"
    assert only(parsed(slither_analyze.PLUGIN, b"Traceback\nKeyError: 'x'\n", stdout=b"")).message == "KeyError: 'x'"


def test_slither_whose_project_does_not_compile_tells_the_compilers_errors() -> None:
    """Behind the prefixes that slither puts before them; other failures are what was raised."""
    found = recorded(slither_analyze.PLUGIN, "slither_compilation.txt")
    assert told(found)[1:] == [("error", "7576", "Undeclared identifier.")]
    assert placed(found) == [("src/X.sol", None, None), ("src/X.sol", 1, 36)]
    log = b"Traceback (most recent call last):\n  File x\nValueError: Error: no-such is not a detector\nmore\n"
    assert only(parsed(slither_analyze.PLUGIN, log)).message == "ValueError: Error: no-such is not a detector"
    report = b"'forge build {x}' running\n" + (OUTPUTS / "slither.json").read_bytes()
    assert only(parsed(slither_analyze.PLUGIN, report)).code == "solc-version"


def test_slither_gets_the_project_unless_a_target_is_given() -> None:
    """The target is positional and comes first; the caller decides what fails."""
    argv = slither_analyze.argv
    assert argv(()) == (".", "--json", "/dev/stdout", "--fail-high")
    assert argv(("src/A.sol", "--fail-low")) == ("src/A.sol", "--fail-low", "--json", "/dev/stdout")
    assert argv(("--exclude-dependencies",)) == (".", "--exclude-dependencies", "--json", "/dev/stdout", "--fail-high")


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


@pytest.mark.requirement("003-D13b")
def test_repetitions_are_dropped_by_place_and_text() -> None:
    """Equal but for the line: two. Equal but for white space: one. More than are stored: counted."""
    one = diagnostic("t", "error", "a  b", code="C", file="f", line=1)
    same = diagnostic("t", "error", "a b", code="C", file="f", line=1)
    other = diagnostic("t", "error", "a b", code="C", file="f", line=2)
    assert collected([one, same, other]).diagnostics == (one, other)
    many = collected(diagnostic("t", "error", str(n)) for n in range(MAX_STORED + 5))
    assert (len(many.diagnostics), many.omitted) == (MAX_STORED, 5)


WORDS = st.sampled_from(
    [
        *("error", "warning", "npm error ", "npm warn ", "code ", ": ", "(", ")", "1,2", "[", "]", " - ", "FAILED "),
        *("x.py", "::", "Failed ", "Stack Trace:", "Error Message:", "\n", "\r\n", "\t", "  ", "Error (7): ", " --> "),
        *("{", "}", '"', "not ok 1 - ", "✖ ", "(1ms)", "  ● ", "ERR_PNPM_X ", "Error: ", "  × ", "  ├─▶ ", "Oops!"),
        *("ESLint:", "=== ", "___ ", "\x1b[31m", "A.cs(1,2): error CS1: x", "# pass 3", " in a:line 3", "9" * 30),
        *("Passed!  - Failed: 1, Passed: 2, Skipped: 3, Total: 6", "[x.csproj]", "\0", "\ufffd"),
        *(
            "[FAIL: x]",
            "[PASS] t() (gas: 1)",
            "Ran 1 test for a.sol:A\n",
            "calldata=set(uint256) args=[1]",
            " t() (runs: 0)",
        ),
    ]
)
LOGS = st.one_of(st.binary(max_size=400), st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=40).map("".join).map(
    lambda text: text.encode("utf-8", "surrogatepass")))  # fmt: skip


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
@given(log=LOGS, exit_code=st.sampled_from([0, 1, 2, -9]))
@settings(max_examples=60, deadline=None)
def test_no_output_breaks_a_parser(plugin: object, log: bytes, exit_code: int) -> None:
    """Whatever a command prints: no exception, places inside the log, and the result can be stored."""
    found = parsed(plugin, log, exit_code=exit_code)  # type: ignore[arg-type]
    for each in found.diagnostics:
        assert 0 <= each.byte_offsets.start <= each.byte_offsets.end <= len(log)
        assert each.log_range.start_line <= each.log_range.end_line <= log.count(b"\n") + 1
        assert each.line is None or each.line >= 1
    assert parsed_form(stored_form(found)) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["errors", "messages", "filePath", "results", "detectors", "test_results", "counterexample",
                         "Single", "Sequence", "status", "elements", "source_mapping", "lines", "success", "severity",
                         "message", "check", "impact", "errorCode"]), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.parametrize("plugin", [each for each in PLUGINS if each.separate], ids=lambda plugin: plugin.name)
@given(value=JSON)
@settings(max_examples=60, deadline=None)
def test_no_json_breaks_a_parser(plugin: object, value: object) -> None:
    """Reports of another shape are no reports."""
    parsed(plugin, msgspec.json.encode(value))  # type: ignore[arg-type]


@given(st.text(max_size=200))
def test_plain_text_has_no_escapes_or_controls(text: str) -> None:
    """And is no longer than what it came from."""
    result = plain(text)
    assert "\x1b" not in result
    assert all(character >= " " or character == "\t" for character in result if character not in "\n")
    assert len(result) <= len(text)


def test_a_line_of_brackets_and_blanks_is_read_in_time() -> None:
    """Patterns that would take seconds on 4,096 characters of the worst kind would stall here."""
    for text in ("error " * 600, "(" * 4_000 + "error", " " * 4_000 + "error: x", "a: " * 1_300 + "error", "[" * 4_000):
        for plugin in PLUGINS:
            parsed(plugin, (text + "\n").encode() * 3)
    assert parsed(dotnet_build.PLUGIN, b"Program Files (x86)/A.cs(1,2): error CS1: x").diagnostics[0].line == 1
