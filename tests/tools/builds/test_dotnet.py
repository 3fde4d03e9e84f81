"""`dotnet` by a program on PATH that prints its formats: it is in no package registry."""

from __future__ import annotations

import json

import pytest

from tests.support.build_bench import BuildBench

pytestmark = pytest.mark.integration

SEED_LINE = b"src/Services/UserService.cs(47,23): error CS0103: The name 'userId' does not exist in the current context"
SEED_DIAGNOSTIC = {
    "tool": "dotnet.build",
    "severity": "error",
    "message": "The name 'userId' does not exist in the current context",
    "code": "CS0103",
    "file": "src/Services/UserService.cs",
    "line": 47,
    "column": 23,
    "logRange": {"startLine": 12, "endLine": 12},
    "byteOffsets": {"start": 1847, "end": 1952},
}
HEAD = b"".join(b"x" * 166 + b"\n" for _ in range(10)) + b"y" * 176 + b"\n"
VSTEST = b"""\
  Determining projects to restore...
  App.Tests -> /src/App.Tests/bin/Debug/net9.0/App.Tests.dll
Test run for /src/App.Tests/bin/Debug/net9.0/App.Tests.dll (.NETCoreApp,Version=v9.0)
A total of 1 test files matched the specified pattern.
  Failed App.Tests.MathTests.Adds [42 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 4
Actual:   5
  Stack Trace:
     at App.Tests.MathTests.Adds() in /src/App.Tests/MathTests.cs:line 17
   at System.RuntimeMethodHandle.InvokeMethod(Object target)

Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 10 ms - App.Tests.dll (net9.0)
/src/Other.Tests/Bad.cs(3,9): error CS1002: ; expected [/src/Other.Tests/Other.Tests.csproj]
Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 3 ms - More.Tests.dll (net9.0)
"""


@pytest.mark.requirement("003-1", "003-3", "003-5", "003-6", "003-11", "003-D10")
async def test_the_seeds_example_comes_out_byte_for_byte(bench: BuildBench) -> None:
    """Eleven lines of 1,847 bytes, then the message: the diagnostic has the offsets 1847 to 1952."""
    assert len(HEAD) == 1847
    bench.printer("dotnet", HEAD + SEED_LINE + b"\nBuild FAILED.\n", 1)
    answer = await bench.call("dotnet_build")
    assert list(answer) == ["success", "errors", "warnings", "runId"]
    assert not answer["success"]
    assert answer["warnings"] == []
    assert json.dumps(answer["errors"]) == json.dumps([SEED_DIAGNOSTIC])
    log = (bench.runs / answer["runId"] / "raw.log").read_bytes()
    assert log[1847:1952] == SEED_LINE
    lines = await bench.call("run_logRange", runId=answer["runId"], startLine=12, lineCount=1)
    assert lines["lines"] == [SEED_LINE.decode()]


@pytest.mark.requirement("003-D13b")
async def test_the_project_in_brackets_goes_and_repetitions_are_told_once(bench: BuildBench) -> None:
    """MSBuild repeats its messages in the summary; equal errors on other lines stay."""
    one, two = b"A.cs(1,2): error CS1002: ; expected", b"A.cs(9,2): error CS1002: ; expected"
    project = b" [/src/App/App.csproj::TargetFramework=net9.0]\n"
    bench.printer("dotnet", one + project + two + project + b"\nBuild FAILED.\n\n" + one + project + two + project, 1)
    answer = await bench.call("dotnet_build")
    assert [(each["line"], each["message"]) for each in answer["errors"]] == [(1, "; expected"), (9, "; expected")]
    assert [each["logRange"]["startLine"] for each in answer["errors"]] == [1, 2]


@pytest.mark.requirement("003-12")
async def test_warnings_alone_are_a_success(bench: BuildBench) -> None:
    """Exit code 0 with warnings: success, and the warnings are told; messages of projects have no line."""
    bench.printer(
        "dotnet",
        b"/src/App/App.csproj : warning NU1701: Package 'x' was restored [/src/App.sln]\n"
        b"A.cs(1,2,1,9): warning CS0168: unused\nMSBUILD : warning MSB1009: odd\n",
    )
    answer = await bench.call("dotnet_build")
    assert answer["success"]
    assert answer["errors"] == []
    assert [(each["code"], each.get("file"), each.get("line")) for each in answer["warnings"]] == [
        ("NU1701", "/src/App/App.csproj", None),
        ("CS0168", "A.cs", 1),
        ("MSB1009", None, None),
    ]


@pytest.mark.requirement("003-4", "003-10", "003-11", "003-D5")
async def test_failed_tests_have_their_place_and_the_counts_are_summed(bench: BuildBench) -> None:
    """A failure spans its block in the log; a test project that did not compile is counted."""
    bench.printer("dotnet", VSTEST, 1)
    answer = await bench.call("dotnet_test")
    failure, broken = answer["errors"]
    assert failure["code"] == "TestFailure"
    assert failure["message"].startswith("App.Tests.MathTests.Adds: Assert.Equal() Failure: Values differ\nExpected: 4")
    assert (failure["file"], failure["line"]) == ("/src/App.Tests/MathTests.cs", 17)
    assert failure["logRange"] == {"startLine": 5, "endLine": 12}
    assert broken["code"] == "CS1002"
    assert answer["summary"] == {"passed": 7, "failed": 1, "skipped": 1, "total": 9, "projectsBuildFailed": 1}
    raw = await bench.call("run_raw", runId=answer["runId"])
    assert "at App.Tests.MathTests.Adds() in /src/App.Tests/MathTests.cs:line 17" in raw["data"]


@pytest.mark.requirement("003-7")
async def test_a_passing_test_run(bench: BuildBench) -> None:
    """The seed's example: 18 of 18."""
    bench.printer(
        "dotnet", b"Passed!  - Failed:     0, Passed:    18, Skipped:     0, Total:    18, Duration: 9 ms - A.dll\n"
    )
    answer = await bench.call("dotnet_test")
    assert answer == {
        "success": True,
        "errors": [],
        "warnings": [],
        "runId": answer["runId"],
        "summary": {"passed": 18, "failed": 0, "skipped": 0, "total": 18},
    }


@pytest.mark.requirement("003-2", "003-D13")
async def test_arguments_continue_unchanged_behind_our_own(bench: BuildBench) -> None:
    """In order, with spaces, quotes and shell characters; the environment asks for plain English output."""
    bench.program(
        "dotnet",
        "import os, sys; print(sys.argv[1:]); environ = os.environ; "
        "print(environ['DOTNET_CLI_UI_LANGUAGE'], environ['NO_COLOR'], os.getcwd())",
    )
    bench.file("sub/keep", "")
    args = ["--configuration", "Release", "/p:X=a b;$(id)", "'quoted'", "*"]
    answer = await bench.call("dotnet_build", args=args, cwd="sub")
    raw = await bench.call("run_raw", runId=answer["runId"])
    first, second = raw["data"].splitlines()
    assert first == str(["build", "-nologo", "--tl:off", *args])
    assert second == f"en 1 {bench.project.resolve() / 'sub'}"
    here = await bench.call("dotnet_build")
    assert (await bench.call("run_status", runId=here["runId"]))["cwd"] == str(bench.project.resolve())
