"""Diagnostics from forge, solc and slither."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.parser_bench import OUTPUTS, parsed, recorded
from tools.builds.diagnostics import BuildDiagnostic, Parsed
from tools.builds.plugins import (
    forge_build,
    forge_test,
    slither_analyze,
    solc_compile,
)


def told(found: Parsed) -> list[tuple[str, str | None, str]]:
    return [(each.severity, each.code, each.message) for each in found.diagnostics]


def placed(found: Parsed) -> list[tuple[str | None, int | None, int | None]]:
    return [(each.file, each.line, each.column) for each in found.diagnostics]


def only(found: Parsed) -> BuildDiagnostic:
    (each,) = found.diagnostics
    return each


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
