"""The four tools as clients see them."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors.runtime.errors import ProcessLimitExceeded, ProcessNotStarted
from orchestrator.logging import configure_logging
from simulator.compile.diagnostics import Diagnostic
from tests.support.schema_values import json_values
from tests.tools.analysis.conftest import Bench
from tools.analysis.table import TOOLS, AnalysisContext
from tools.deadlines import Deadlines
from tools.registry import ToolRegistry, tools_of
from tools.tool import Deadline

BOTH = ["syntax", "purity"]


@pytest.mark.requirement("001-1", "001-7")
def test_the_registry_gives_the_four_tools_by_name(bench: Bench) -> None:
    """In the form that Anthropic's API takes, and None for a name that no tool has."""
    registry: ToolRegistry = bench.dispatcher.registry
    names = [tool.name for tool in registry.get_all_tools()]
    assert names == ["analyzer", "dependencies", "filesystem", "test-generator"]
    assert registry.get_tool("nothing") is None
    assert [set(tool) for tool in registry.to_claude_tools()] == [{"name", "description", "input_schema"}] * 4


@pytest.mark.requirement("001-5", "001-8")
def test_every_tool_has_five_seconds(bench: Bench) -> None:
    """The deadline class of analysis."""
    assert {tool.deadline for tool in bench.dispatcher.registry.get_all_tools()} == {Deadline.ANALYSIS}
    assert Deadlines().milliseconds(Deadline.ANALYSIS) == 5_000


@pytest.mark.requirement("001-2", "001-9", "001-10", "001-12")
async def test_the_contracts_example_is_valid(bench: Bench) -> None:
    """`const x = 1;` with both checks."""
    answer = await bench.call("analyzer", code="const x = 1;", checks=BOTH)
    assert answer == {"success": True, "valid": True, "errors": [], "warnings": []}


@pytest.mark.requirement("001-11")
async def test_invalid_code_is_an_answer_and_no_error(bench: Bench) -> None:
    """Purity is not judged for code that cannot be read."""
    answer = await bench.call("analyzer", code="let x = ;\nx++", checks=BOTH)
    assert answer["success"] is True
    assert answer["valid"] is False
    assert [error["line"] for error in answer["errors"]] == [1]


@pytest.mark.requirement("001-12")
async def test_only_the_requested_checks_run(bench: Bench) -> None:
    """Impure code is valid syntax, and no checks find nothing."""
    assert (await bench.call("analyzer", code="x++", checks=["syntax"]))["valid"]
    assert (await bench.call("analyzer", code="x = = 1", checks=[]))["valid"]
    assert not (await bench.call("analyzer", code="x++", checks=["purity"]))["valid"]


@pytest.mark.requirement("001-3", "001-4", "001-9")
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("analyzer", {"code": "1", "checks": ["style"]}, "checks[0] must be 'syntax' or 'purity'"),
        ("analyzer", {"checks": []}, "code is required"),
        ("analyzer", {"code": 5, "checks": []}, "code must be a valid string"),
        ("filesystem", {"action": "write", "path": "a"}, "action must be 'read'"),
        ("dependencies", {"packageName": ""}, "packageName"),
        ("dependencies", {"packageName": "x", "y": 1}, "y is not a known argument"),
        ("test-generator", {"code": " "}, "code must not be empty"),
        ("test-generator", {"code": "1", "testFramework": "mocha"}, "testFramework must be 'jest'"),
    ],
)
async def test_wrong_arguments_are_named(bench: Bench, name: str, arguments: dict[str, Any], message: str) -> None:
    """As an error result, never as an exception."""
    answer = await bench.call(name, **arguments)
    assert answer["success"] is False
    assert message in answer["error"]


async def test_solidity_has_the_compilers_diagnostics_and_the_mistakes_of_harnesses(bench: Bench) -> None:
    """Errors of the compiler are errors; what a fuzzer would trip over is a warning."""
    bench.diagnostics = [Diagnostic("error", "2314", "Expected ';'", "input.sol", 3, 4)]
    wrong = await bench.call("analyzer", code="contract", checks=["syntax"], language="solidity")
    assert wrong["errors"] == [{"line": 3, "column": 4, "rule": "solc-2314", "message": "Expected ';'"}]
    bench.diagnostics = []
    code = "contract T {\n  function echidna_a(uint x) public returns (bool) { return x > 0; assert(true); }\n}"
    found = await bench.call("analyzer", code=code, checks=["syntax"], language="solidity")
    assert found["valid"]
    assert [each["rule"] for each in found["warnings"]] == ["property-with-arguments", "unreachable-assertion"]


@pytest.mark.requirement("001-13")
async def test_a_package_is_described(bench: Bench) -> None:
    """Version and description as npm prints them, with the reason when it is deprecated."""
    bench.npm = json.dumps(
        {"name": "request", "version": "2.88.2", "description": "HTTP", "deprecated": "unmaintained"}
    ).encode()
    answer = await bench.call("dependencies", packageName="request")
    assert answer == {
        "success": True,
        "exists": True,
        "version": "2.88.2",
        "description": "HTTP",
        "deprecated": "unmaintained",
    }
    assert bench.asked[0][:2] == ["npm", "view"]


@pytest.mark.requirement("001-13")
async def test_an_absent_package_does_not_exist(bench: Bench) -> None:
    """And a name that is one slip away from a well-known package says so."""
    bench.npm = json.dumps({"error": {"code": "E404", "summary": "Not Found"}}).encode()
    answer = await bench.call("dependencies", packageName="expres")
    assert answer == {"success": True, "exists": False, "similarTo": ["express"]}


@pytest.mark.requirement("001-13")
@pytest.mark.parametrize("name", ["../x", "A B", "UPPER", "--help", "node_modules", "x" * 300, "@/a", "a/b"])
async def test_an_impossible_name_is_not_asked_for(bench: Bench, name: str) -> None:
    """It cannot exist, and npm never sees it."""
    assert await bench.call("dependencies", packageName=name) == {"success": True, "exists": False}
    assert bench.asked == []


@pytest.mark.requirement("001-13")
@pytest.mark.parametrize(("given", "name"), [("react@^18.0.0", "react"), ("@types/node@latest", "@types/node")])
async def test_a_name_with_a_version_is_no_name(bench: Bench, given: str, name: str) -> None:
    """The answer says what to ask for instead."""
    answer = await bench.call("dependencies", packageName=given)
    assert answer == {"success": True, "exists": False, "reason": f"a name has no version: ask for {name}"}
    assert bench.asked == []


@pytest.mark.requirement("001-13")
@pytest.mark.parametrize(
    ("npm", "said"),
    [
        (json.dumps({"error": {"code": "ENOTFOUND", "summary": "no network"}}).encode(), "Network error"),
        (json.dumps({"error": {"code": "E503", "summary": "later"}}).encode(), "Network error"),
        (json.dumps({"error": {"code": "EJSONPARSE", "summary": "bad .npmrc"}}).encode(), "npm does not work: bad"),
        (json.dumps({"error": {"code": "MODULE_NOT_FOUND", "summary": "x"}}).encode(), "npm does not work: x"),
        (b"half a", "npm does not work: it printed no JSON: half a"),
        (b"", "npm does not work: it printed no JSON: it said nothing"),
        (b"5", "npm does not work"),
        (ProcessLimitExceeded("too slow"), "Network error"),
        (ProcessNotStarted("absent"), "npm, which is not installed"),
    ],
)
async def test_trouble_with_npm_is_an_error_result(bench: Bench, npm: bytes | Exception, said: str) -> None:
    """The package may exist all the same. A broken npm is not called an error of the network."""
    bench.npm = npm
    answer = await bench.call("dependencies", packageName="react")
    assert answer["success"] is False
    assert said in answer["error"]


@pytest.mark.requirement("001-14")
async def test_a_file_is_read_whole_or_in_part(bench: Bench) -> None:
    """The path comes back as it was given; lines count from 1."""
    (bench.root / "a.txt").write_text("one\r\ntwo\nthrée")
    whole = await bench.call("filesystem", action="read", path="./a.txt")
    assert whole == {"success": True, "content": "one\r\ntwo\nthrée", "path": "./a.txt"}
    part = await bench.call("filesystem", action="read", path="a.txt", startLine=2, endLine=9)
    assert (part["content"], part["totalLines"]) == ("two\nthrée", 3)


@pytest.mark.requirement("001-14")
@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "folder/../../secret", "../project-2/x", "up/x"])
async def test_nothing_outside_of_the_root_is_read(bench: Bench, path: str) -> None:
    """Neither by dots nor by links nor by a folder whose name begins alike."""
    (bench.root.parent / "secret").write_text("s")
    (bench.root.parent / "project-2").mkdir()
    (bench.root.parent / "project-2" / "x").write_text("s")
    (bench.root / "folder").mkdir()
    (bench.root / "link").symlink_to(bench.root.parent / "secret")
    (bench.root / "up").symlink_to(bench.root.parent / "project-2")
    answer = await bench.call("filesystem", action="read", path=path)
    assert answer == {"success": False, "error": f"Path is outside project root: {path}"}


@pytest.mark.requirement("001-14")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("none.txt", "File not found: none.txt"),
        ("folder", "folder"),
        ("binary", "binary is a binary file"),
        ("a\0b", "path must not contain NUL"),
        ("x" * 300, "Cannot read"),
        ("pipe", "Not a file: pipe"),
        ("loop", "loop"),
    ],
)
async def test_what_cannot_be_read_says_why(bench: Bench, path: str, message: str) -> None:
    """Each as an error result."""
    (bench.root / "folder").mkdir()
    (bench.root / "binary").write_bytes(b"\x7fELF\0")
    (bench.root / "loop").symlink_to(bench.root / "loop")
    os.mkfifo(bench.root / "pipe")
    answer = await bench.call("filesystem", action="read", path=path)
    assert answer["success"] is False
    assert message in answer["error"]


@pytest.mark.requirement("001-6")
async def test_an_unexpected_failure_is_logged_to_stderr(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    """stdout belongs to the protocol."""
    configure_logging()
    bench.npm = RuntimeError("broken double")
    try:
        assert (await bench.call("dependencies", packageName="react"))["success"] is False
    finally:
        structlog.reset_defaults()
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "a tool failed unexpectedly" in shown.err


async def test_a_finding_gives_its_foundry_test(bench: Bench) -> None:
    """And one that Foundry cannot check says so."""
    answer = await bench.call("test-generator", code="", findingId="abc")
    assert answer == {"success": True, "testCode": "contract Reproducer {}"}
    assert "cannot check finding x" in (await bench.call("test-generator", code="", findingId="x"))["error"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_no_arguments_make_a_tool_raise(bench: Bench, data: st.DataObject) -> None:
    """Valid or not: an answer or an error result."""
    tools = tools_of(
        TOOLS,
        AnalysisContext(
            root=bench.root,
            run=bench._run,
            sandbox=bench.sandbox,
            compile_source=bench._compile,
            foundry_test_of=bench._foundry_test,
        ),
    )
    tool = data.draw(st.sampled_from([tool for tool in tools if tool.name != "test-generator"]))
    answer = await bench.call(tool.name, **data.draw(json_values(tool)))
    assert answer["success"] or "unexpected" not in answer["error"]
