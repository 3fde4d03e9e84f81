"""Tools on runs: waiting, reading, cancelling, listing; bad input; output of every kind."""

from __future__ import annotations

import os
import shutil
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from actors.processes.run_store import RunStore
from actors.processes.runner import CommandLimits, ProcessRunner, RunRequest
from tests.support.build_bench import BuildBench, make_bench
from tests.support.patience import until, wait_for
from tests.support.process_checks import appears
from tools.builds import plugin_tool
from tools.builds.arguments import check_arguments
from tools.builds.context import BuildContext
from tools.builds.plugins import PLUGINS
from tools.builds.run_reading import _whole_characters
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.progress import reporting_to
from tools.registry import ToolRegistry, tools_of

pytestmark = pytest.mark.integration

SLEEPER = "import os, time\nprint('up', flush=True)\nopen('up', 'w').write(str(os.getpid()))\ntime.sleep(60)"


async def finished_run(bench: BuildBench, output: bytes, exit_code: int = 0) -> dict[str, Any]:
    bench.printer("dotnet", output, exit_code)
    return await bench.call("dotnet_build")


@pytest.mark.requirement("003-D2", "X1", "X2")
async def test_a_long_run_is_handed_back_and_polled(bench: BuildBench) -> None:
    """The seed's shape plus `status: running`; its log is readable meanwhile; the end comes by run_status."""
    code = "import os, time\nprint('A.cs(1,2): error CS1: x', flush=True)\nopen('up', 'w').close()\n"
    code += "while not os.path.exists('go'): time.sleep(0.01)\nraise SystemExit(1)"
    bench.program("dotnet", code)
    answer = await bench.call("dotnet_build", waitSeconds=0)
    run_id = answer["runId"]
    assert answer == {"success": False, "errors": [], "warnings": [], "runId": run_id, "status": "running"}
    await appears(bench.project / "up")
    await until(lambda: bench.has_logged(b"CS1"))
    status = await bench.call("run_status", runId=run_id)
    assert (status["status"], status["totalLines"], status["completedAt"]) == ("running", 1, None)
    assert (await bench.call("run_raw", runId=run_id))["data"] == "A.cs(1,2): error CS1: x\n"
    (bench.project / "go").touch()
    done = await bench.call("run_status", runId=run_id, waitSeconds=55)
    assert (done["status"], done["exitCode"], done["errors"][0]["code"]) == ("completed", 1, "CS1")
    assert done["tool"] == "dotnet.build"
    assert done["startedAt"].endswith("Z")


@pytest.mark.requirement("X2")
async def test_clients_hear_of_progress_while_a_call_waits(bench: BuildBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the seconds so far, which only grow."""
    told: list[float] = []

    async def report(seconds: float, text: str) -> None:
        told.append(seconds)
        assert text.startswith("dotnet.build: queued" if len(told) == 1 else "dotnet.build: running")
        if len(told) == 3:
            (bench.project / "go").touch()

    monkeypatch.setattr("tools.builds.plugin_tool.PROGRESS_SECONDS", 0.05)
    bench.program("dotnet", "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)")
    with reporting_to(report):
        answer = await bench.call("dotnet_build", waitSeconds=55)
    assert answer["success"]
    assert told == sorted(set(told))


async def test_cancelling_ends_the_run_and_says_so(bench: BuildBench) -> None:
    """The process is gone; the answer on the run has the code CANCELLED; cancelling again changes nothing."""
    bench.program("dotnet", SLEEPER)
    run_id = (await bench.call("dotnet_build", waitSeconds=0))["runId"]
    await appears(bench.project / "up")
    assert await bench.call("run_cancel", runId=run_id) == {"runId": run_id, "cancelled": True, "status": "cancelled"}
    status = await bench.call("run_status", runId=run_id)
    assert [(each["code"], each["tool"]) for each in status["errors"]] == [("CANCELLED", "dotnet.build")]
    assert not (await bench.call("run_cancel", runId=run_id))["cancelled"]


async def test_a_caller_that_goes_away_does_not_end_its_run(bench: BuildBench) -> None:
    """The run belongs to the process runner."""
    bench.program("dotnet", "import os, time\nopen('up', 'w')\nwhile not os.path.exists('go'): time.sleep(0.01)")
    with trio.CancelScope() as call:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: bench.call("dotnet_build"))
            await appears(bench.project / "up")
            call.cancel()
    (bench.project / "go").touch()
    (run,) = (await bench.call("run_list"))["runs"]
    assert (await bench.call("run_status", runId=run["runId"], waitSeconds=55))["success"]


@pytest.mark.requirement("003-D2")
async def test_a_run_over_its_time_says_timeout(mock_clock: MockClock, bench: BuildBench) -> None:
    """What was printed before is still parsed. Time stands still until it is printed."""
    bench.program("dotnet", "import time\nprint('A.cs(1,2): warning CS1: x', flush=True)\ntime.sleep(3600)")
    answer: dict[str, Any] = {}

    async def build() -> None:
        answer.update(await bench.call("dotnet_build", timeoutSeconds=0.5))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(build)
        await trio.to_thread.run_sync(wait_for, lambda: bench.has_logged(b"CS1"))
        mock_clock.jump(1.0)
    assert not answer["success"]
    assert [each["code"] for each in answer["errors"]] == ["TIMEOUT"]
    assert [each["code"] for each in answer["warnings"]] == ["CS1"]


@pytest.mark.requirement("003-13", "X4")
async def test_a_missing_command_is_one_error_without_a_place(bench: BuildBench) -> None:
    """No file, no line, no run."""
    answer = await bench.call("slither_analyze")
    assert not answer["success"]
    (error,) = answer["errors"]
    assert error["message"].startswith("Command not found: slither")
    assert not {"file", "line", "column"} & set(error)
    assert answer["runId"] == ""


@pytest.mark.requirement("003-14", "003-D3")
async def test_a_forbidden_command_is_permission_denied(bench: BuildBench) -> None:
    """Whether the mode or the kernel forbids it."""
    bench.program("slither", "", mode=0o644)
    assert [each["code"] for each in (await bench.call("slither_analyze"))["errors"]] == ["PERMISSION_DENIED"]
    file = bench.program("dotnet", "")
    file.write_text("#!/no/such/interpreter\n")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["COMMAND_NOT_STARTED"]
    file.write_text(f"#!{bench.project}\n")  # the kernel refuses to execute a folder
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["PERMISSION_DENIED"]


@pytest.mark.requirement("003-D3", "003-D4")
@pytest.mark.parametrize("tool", ["npm_install", "pnpm_install", "bun_install"])
async def test_installs_ask_for_confirmation_first(bench: BuildBench, tool: str) -> None:
    """Nothing runs without `confirmed: true`; the answer says what would."""
    program = tool.partition("_")[0]
    bench.program(program, "open('ran', 'w')")
    for confirmed in ({}, {"confirmed": False}):
        answer = await bench.call(tool, args=["left-pad"], **confirmed)
        assert answer["errors"][0]["code"] == "PERMISSION_DENIED"
        assert answer["errors"][0]["message"] == "Operation cancelled: confirmation required"
        assert answer["runId"] == ""
        asked = {key: answer[key] for key in ("confirmation_required", "tool", "args", "cwd")}
        cwd = str(bench.project.resolve())
        assert asked == {"confirmation_required": True, "tool": f"{program}.install", "args": ["left-pad"], "cwd": cwd}
        assert not (bench.project / "ran").exists()
    assert (await bench.call(tool, args=["left-pad"], confirmed=True))["success"]
    assert (bench.project / "ran").exists()
    assert (await bench.refusal("dotnet_build", confirmed=True)).message.startswith("confirmed is not a known argument")


@pytest.mark.requirement("X11")
@pytest.mark.parametrize("cwd", ["..", "/", "/etc", "nowhere", "link", "../project-sibling", "a\0b"])
async def test_commands_stay_inside_the_roots(bench: BuildBench, cwd: str) -> None:
    """Parents, links, siblings with the same beginning, and folders that do not exist: INVALID_CWD."""
    (bench.project / "link").symlink_to("/tmp")
    (bench.project.parent / "project-sibling").mkdir()
    bench.program("dotnet", "open('ran', 'w')")
    error = await bench.refusal("dotnet_build", cwd=cwd)
    assert error.details["reason"] == "INVALID_CWD"
    assert (await bench.call("run_list"))["total"] == 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("eslint_lint", ["--config", "x"]), ("eslint_lint", ["-c", "x"]), ("eslint_lint", ["-cx"]),
        ("eslint_lint", ["--rulesdir=x"]), ("eslint_lint", ["--plugin", "x"]),
        ("eslint_lint", ["--resolve-plugins-relative-to", "x"]), ("eslint_lint", ["-o", "x"]),
        ("npm_install", ["--prefix=/tmp"]), ("npm_install", ["-g"]), ("pnpm_install", ["-C", "x"]),
        ("bun_install", ["--cwd", "x"]), ("forge_test", ["--ffi"]), ("forge_build", ["--use", "/bin/sh"]),
        ("forge_build", ["--root=."]), ("pytest_run", ["-p", "x"]), ("slither_analyze", ["--json", "x"]),
        ("dotnet_build", ["/etc/passwd"]), ("dotnet_build", ["../other/App.csproj"]),
        ("npm_install", ["--glob"]), ("npm_install", ["-gD"]), ("npm_install", ["file:../../x"]),
        ("npm_install", ["~/x"]), ("slither_analyze", ["--js=x"]), ("pytest_run", ["-pno:x"]),
        ("dotnet_build", ["--output=/usr/x"]), ("solc_compile", ["src/../../x.sol"]),
        ("solc_compile", ["@oz/=/etc/"]), ("solc_compile", ["-o/tmp/x"]), ("dotnet_build", ["link/App.csproj"]),
        ("eslint_lint", ["link"]), ("slither_analyze", ["--solc", "/bin/sh"]),
    ],
)  # fmt: skip
async def test_some_arguments_are_refused(bench: BuildBench, tool: str, args: list[str]) -> None:
    """Options that load foreign code or leave the folder, and paths outside the roots: nothing runs."""
    (bench.project / "link").symlink_to(bench.programs)
    bench.program("App.csproj", "")
    error = await bench.refusal(tool, args=args)
    assert error.details["reason"] == "BLOCKED_ARGUMENT"
    assert (await bench.call("run_list"))["total"] == 0


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("eslint.lint", ("--parser-options=x", "src", "--cache", "--fix")),
        ("pytest.run", ("--co", "-k", "a or b", "-x", "tests/test_a.py::test_b[../c]")),
        (
            "slither.analyze",
            (".", "--solc-remaps", "x=y", "--exclude-low", "--detect", "x", "--solc-args", "a"),
        ),
        ("npm.install", ("--prefer-offline", "a@^1.0.0", "file:./local")),
        ("dotnet.build", ("/p:X=/etc", "/nologo", "-c", "Release")),
        ("forge.test", ("-vvv", "--match-path", "test/*.sol")),
        ("solc.compile", ("--bin", "src/../A.sol", "@openzeppelin/=lib/oz/")),
    ],
)
def test_ordinary_arguments_are_taken(tmp_path: Path, tool: str, args: tuple[str, ...]) -> None:
    """What only resembles a refused option or a path outside."""
    (plugin,) = (each for each in PLUGINS if each.name == tool)
    check_arguments(plugin, args, (tmp_path.resolve(),), tmp_path.resolve())


@pytest.mark.requirement("X5", "X6", "003-2")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"args": "x"}, "args must be a list"), ({"args": [1]}, "args[0] must be a valid string"),
        ({"cwd": 1}, "cwd must be a valid string"), ({"shell": True}, "shell is not a known argument"),
        ({"waitSeconds": 56}, "waitSeconds must be less than or equal to 55"),
        ({"waitSeconds": -1}, "waitSeconds must be greater than or equal to 0"),
        ({"args": ["a\0b"]}, "args[0] must not contain a NUL"),
        ({"args": ["x"] * 257}, "args must have at most 256 items"),
        ({"args": ["x" * 8193]}, "args[0] "),
    ],
)  # fmt: skip
async def test_bad_arguments_are_named(bench: BuildBench, arguments: dict[str, Any], said: str) -> None:
    """Each with its field and the allowed form; values are not echoed at length."""
    error = await bench.refusal("dotnet_build", **arguments)
    assert error.code == "INVALID_INPUT"
    assert said in error.message
    assert len(error.message) < 500


@pytest.mark.requirement("003-D7", "003-16", "X3")
async def test_unknown_runs_are_not_found(bench: BuildBench) -> None:
    """Malformed ids as well as unknown ones, for every tool on runs, by either spelling."""
    for run_id in ("abc123", "e5f6g7h8-...", "../../../etc", str(uuid.uuid4()), ""):
        for tool in ("run_raw", "run.raw", "run_status", "run_cancel"):
            error = await bench.refusal(tool, runId=run_id)
            assert error.details["reason"] == "RUN_NOT_FOUND"
        for tool in ("run_logRange", "run.logRange"):
            error = await bench.refusal(tool, runId=run_id, startLine=1, lineCount=1)
            assert error.details["reason"] == "RUN_NOT_FOUND"


@pytest.mark.requirement("003-16", "003-D1", "X3", "X14")
async def test_dotted_names_reach_the_same_tools(bench: BuildBench) -> None:
    """Published with underscores, called either way, dotted inside of answers."""
    names = [tool.name for tool in bench.registry.get_all_tools()]
    assert names == [
        "dotnet_build", "dotnet_test", "npm_install", "pnpm_install", "bun_install", "eslint_lint", "forge_build",
        "forge_test", "solc_compile", "slither_analyze", "pytest_run", "npm_test", "run_raw", "run_logRange",
        "run_status", "run_cancel", "run_list",
    ]  # fmt: skip
    for name in names:
        assert bench.registry.get_tool(name.replace("_", ".")) is bench.registry.get_tool(name)
    bench.printer("dotnet", b"")
    await bench.call("dotnet.build")
    assert (await bench.call("run_list", tool="dotnet.build"))["total"] == 1
    assert (await bench.call("run_list", tool="dotnet_build"))["total"] == 1
    assert (await bench.call("run_list", tool="dotnet_test"))["total"] == 0


@pytest.mark.requirement("003-9", "003-D12")
async def test_success_follows_the_exit_code(bench: BuildBench) -> None:
    """Failed without a diagnostic: errors are empty and the raw log shows what happened. Exit 0 with errors printed:
    success, and they are told."""
    answer = await finished_run(bench, b"Segmentation fault\n", 139)
    assert (answer["success"], answer["errors"]) == (False, [])
    assert (await bench.call("run_raw", runId=answer["runId"]))["data"] == "Segmentation fault\n"
    answer = await finished_run(bench, b"A.cs(1,1): error CS1: x\n", 0)
    assert (answer["success"], len(answer["errors"])) == (True, 1)
    bench.program("dotnet", "import os\nprint('A.cs(1,1): error CS1: x', flush=True)\nos.abort()")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["CS1", "SIGNAL"]
    assert answer["errors"][1]["message"].endswith("dotnet was ended by SIGABRT")
    answer = await finished_run(bench, b"", 2)
    assert answer["errors"][0]["code"] == "NO_OUTPUT", "there is nothing that run_raw could show"
    assert (await finished_run(bench, b"", 0))["errors"] == []


@pytest.mark.requirement("003-8", "003-D8", "003-D9")
async def test_line_ranges(bench: BuildBench) -> None:
    """1-based and inclusive; a start below 1 is 1, one behind the end gives no lines."""
    answer = await finished_run(bench, b"".join(b"line %d\n" % n for n in range(1, 101)))

    async def lines(start: int, **more: int) -> dict[str, Any]:
        return await bench.call("run_logRange", runId=answer["runId"], startLine=start, **more)

    page = await lines(3, lineCount=2)
    assert page == {"lines": ["line 3", "line 4"], "startLine": 3, "endLine": 4, "totalLines": 100, "hasMore": True}
    assert len((await lines(1))["lines"]) == 50
    for start in (0, -5):
        assert (await lines(start, lineCount=1))["lines"] == ["line 1"]
        assert (await lines(start, lineCount=1))["startLine"] == 1
    assert not (await lines(99, lineCount=2))["hasMore"]
    empty = await lines(101)
    assert empty == {"lines": [], "startLine": 101, "endLine": 100, "totalLines": 100, "hasMore": False}
    error = await bench.refusal("run_logRange", runId=answer["runId"], startLine=1, lineCount=501)
    assert "lineCount must be less than or equal to 500" in error.message


@pytest.mark.requirement("003-8", "003-D11")
async def test_pages_of_raw_output_put_together_are_the_log(bench: BuildBench) -> None:
    """No page cuts a character, and `length` counts bytes."""
    text = "aé€😀\n" * 4
    answer = await finished_run(bench, text.encode())
    for length in (1, 2, 3, 4, 5, 7, 64):
        offset, pages = 0, []
        while True:
            page = await bench.call("run_raw", runId=answer["runId"], offset=offset, length=length)
            pages.append(page["data"])
            offset += page["length"]
            if not page["hasMore"]:
                break
        assert offset == len(text.encode())
        if length >= 4:
            assert "".join(pages) == text
    page = await bench.call("run_raw", runId=answer["runId"], offset=10_000)
    assert (page["data"], page["length"], page["hasMore"]) == ("", 0, False)
    assert "length must be" in (await bench.refusal("run_raw", runId=answer["runId"], length=65_537)).message


@given(st.text("aé€😀", max_size=30), st.integers(1, 40))
def test_a_page_ends_between_characters(text: str, length: int) -> None:
    """Where the page has room for one at all."""
    data = text.encode()
    taken = _whole_characters(data[: length + 3], length)
    assert len(taken) <= length
    assert taken or not data
    if length >= 4:
        taken.decode()


@pytest.mark.requirement("003-D11", "003-D13", "003-15")
async def test_binary_and_coloured_output(bench: BuildBench) -> None:
    """Colours and cursor movements go, bytes that are no text become U+FFFD, offsets stay those of the log."""
    prefix = b"\x00\xff\xfe binary \xc3\n" + b"50%\r100%\n"
    line = b"\x1b[31mA.cs(1,2): \x1b]8;;http://x\x07error\x1b]8;;\x07 CS1: caf\xc3\xa9 \xff\x1b[0m"
    answer = await finished_run(bench, prefix + line + b"\r\n\xe2\x82", 1)
    (error,) = answer["errors"]
    assert error["message"] == "café \ufffd"
    assert error["byteOffsets"] == {"start": len(prefix), "end": len(prefix + line)}
    page = await bench.call("run_logRange", runId=answer["runId"], startLine=1, lineCount=9)
    assert page["lines"] == ["\ufffd\ufffd binary \ufffd", "100%", "A.cs(1,2): error CS1: café \ufffd", "\ufffd"]
    raw = await bench.call("run_raw", runId=answer["runId"])
    assert "\x1b[31m" in raw["data"]


@pytest.mark.requirement("003-15", "003-D6", "003-D14", "X13")
async def test_answers_are_bounded(bench: BuildBench) -> None:
    """A hundred of each severity, the number of the others, messages of 2,000 characters; all are stored."""
    output = b"".join(b"A.cs(%d,1): error CS1: %s\n" % (n, b"m" * 3_900) for n in range(1, 151))
    answer = await finished_run(bench, output + b"A.cs(1,1): warning CS2: w\n", 1)
    assert (len(answer["errors"]), len(answer["warnings"]), answer["omitted"]) == (100, 1, 50)
    assert len(answer["errors"][0]["message"]) == 2_000
    stored = (bench.runs / answer["runId"] / "diagnostics.json").read_text()
    assert stored.count('"CS1"') == 150


@pytest.mark.requirement("X13")
async def test_compact_diagnostics_leave_out_what_is_said_elsewhere(tmp_path: Path, nursery: trio.Nursery) -> None:
    """On request, or by the server's setting; the run keeps the full ones."""
    bench = await make_bench(tmp_path, nursery)
    output = b"A.cs(1,2): error CS1: x\nA.cs(3,4): warning CS2: y\n"
    bench.printer("dotnet", output, 1)
    compact = {
        "errors": [{"message": "x", "code": "CS1", "file": "A.cs", "line": 1, "column": 2}],
        "warnings": [{"message": "y", "code": "CS2", "file": "A.cs", "line": 3, "column": 4}],
    }
    full = await bench.call("dotnet_build")
    answer = await bench.call("dotnet_build", compact=True)
    assert answer == {"success": False, **compact, "runId": answer["runId"]}
    assert len(str(answer["errors"])) < len(str(full["errors"])) / 2
    status = await bench.call("run_status", runId=answer["runId"])
    assert status["errors"] == full["errors"]
    status = await bench.call("run_status", runId=full["runId"], compact=True)
    assert {key: status[key] for key in compact} == compact
    registry = ToolRegistry(
        tools_of(BUILD_TOOLS, BuildContext.of(bench.runner, (bench.project,), bench.project, compact=True))
    )
    setting = replace(bench, registry=registry)
    assert (await setting.call("run_status", runId=full["runId"]))["errors"] == compact["errors"]
    assert (await setting.call("run_status", runId=full["runId"], compact=False))["errors"] == full["errors"]


async def test_a_run_whose_folder_is_deleted_meanwhile_is_answered(bench: BuildBench) -> None:
    """With the code STORAGE; reading what is gone is an error of the call, not of the server."""
    code = "import os, time\nprint('A.cs(1,2): error CS1: x', flush=True)\nopen('up', 'w').close()\n"
    bench.program("dotnet", code + "while not os.path.exists('go'): time.sleep(0.01)")
    run_id = (await bench.call("dotnet_build", waitSeconds=0))["runId"]
    await appears(bench.project / "up")
    shutil.rmtree(bench.runs)
    for tool, more in (("run_raw", {}), ("run_logRange", {"startLine": 1})):
        error = await bench.refusal(tool, runId=run_id, **more)
        assert error.details["reason"] == "STORAGE"
    (bench.project / "go").touch()
    status = await bench.call("run_status", runId=run_id, waitSeconds=55)
    assert (status["status"], [each["code"] for each in status["errors"]]) == ("storage_failed", ["STORAGE"])
    assert (await bench.refusal("run_raw", runId=run_id)).details["reason"] == "RUN_NOT_FOUND"
    assert (await bench.call("run_list"))["runs"][0]["status"] == "storage_failed"
    bench.program("dotnet", "import shutil\nshutil.rmtree(" + repr(str(bench.runs)) + ")")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["STORAGE"]


async def test_a_local_program_that_leads_out_of_the_roots_is_not_run(bench: BuildBench) -> None:
    """A project's `node_modules/.bin` may be full of links; those within the project are its own."""
    folder = bench.project / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    outside = bench.program("elsewhere", "print('out')")
    (folder / "slither").symlink_to(outside)
    answer = await bench.call("slither_analyze")
    assert [each["code"] for each in answer["errors"]] == ["PERMISSION_DENIED"]
    assert "leads out of the allowed roots" in answer["errors"][0]["message"]
    bench.program("slither", "print('of PATH')")
    answer = await bench.call("slither_analyze")
    assert (await bench.call("run_raw", runId=answer["runId"]))["data"] == "of PATH\n"
    (folder / "slither").unlink()
    outside.rename(bench.project / "own")
    (folder / "slither").symlink_to("../../own")
    answer = await bench.call("slither_analyze")
    assert (await bench.call("run_raw", runId=answer["runId"]))["data"] == "out\n"


async def test_without_solc_the_projects_own_compilers_are_asked(tmp_path: Path, nursery: trio.Nursery) -> None:
    """Its messages are those of solc; what it does not take is said as solc would say it."""
    bench = await make_bench(tmp_path, nursery, environment={"PATH": "/nowhere"})
    bench.file("A.sol", 'pragma solidity ^0.8.0;\nimport "./None.sol";\ncontract A {}\n')
    answer = await bench.call("solc_compile", args=["A.sol", "--optimize"])
    assert not answer["success"]
    (error,) = answer["errors"]
    assert (error["message"], error["file"], error["line"]) == ('import "./None.sol" is not found', "A.sol", 2)
    (error,) = (await bench.call("solc_compile", args=["A.sol", "--bogus"]))["errors"]
    assert error["message"].startswith("solc arguments: --bogus is not understood")
    (error,) = (await bench.call("solc_compile"))["errors"]
    assert error["message"].startswith("no Solidity files")
    bench.printer("solc", b"Error: of PATH\n", 1)
    assert [each["message"] for each in (await bench.call("solc_compile"))["errors"]] == ["of PATH"]


@pytest.mark.parametrize("megabytes", [8, pytest.param(100, marks=pytest.mark.nightly)])
async def test_a_flood_is_logged_whole_and_parsed(bench: BuildBench, megabytes: int) -> None:
    """The last line of it is found with its exact place."""
    code = "import sys\nblock = b'a line of some output\\n' * 47_663\n"
    code += f"for _ in range({megabytes}): sys.stdout.buffer.write(block)\n"
    bench.program("dotnet", code + "print('A.cs(1,2): error CS1: the end')\nraise SystemExit(1)")
    answer = await bench.call("dotnet_build", waitSeconds=55)
    if "status" in answer:
        answer = await bench.call("run_status", runId=answer["runId"], waitSeconds=55)
    (error,) = answer["errors"]
    assert error["logRange"]["startLine"] == megabytes * 47_663 + 1
    start = error["byteOffsets"]["start"]
    assert start == megabytes * 47_663 * 22
    assert (await bench.call("run_raw", runId=answer["runId"], offset=start))["data"].startswith("A.cs(1,2)")


async def test_a_progress_bar_does_not_hide_what_was_drawn_last(bench: BuildBench) -> None:
    """A line may be drawn over for megabytes; its end is parsed, and its place is the whole line."""
    bar = b"".join(b"\r%s %d%%" % (b"#" * 90, n % 100) for n in range(3_000))
    answer = await finished_run(bench, bar + b"\rA.cs(1,2): error CS1: x\r\nnext\n", 1)
    (error,) = answer["errors"]
    assert (error["message"], error["line"], error["logRange"]["startLine"]) == ("x", 1, 1)
    assert error["byteOffsets"] == {"start": 0, "end": len(bar) + 24}
    page = await bench.call("run_logRange", runId=answer["runId"], startLine=1, lineCount=2)
    assert page["lines"] == ["A.cs(1,2): error CS1: x", "next"]


async def test_output_beyond_its_limit_ends_the_run(tmp_path: Path, nursery: trio.Nursery) -> None:
    """OUTPUT_LIMIT, with what the log has of it."""
    bench = await make_bench(tmp_path, nursery, CommandLimits(output=200_000))
    bench.program("dotnet", "print('A.cs(1,2): error CS1: x')\nwhile True: print('x' * 999)")
    answer = await bench.call("dotnet_build")
    assert [each["code"] for each in answer["errors"]] == ["CS1", "OUTPUT_LIMIT"]


@pytest.mark.requirement("X7")
async def test_the_list_has_every_run_newest_first(bench: BuildBench) -> None:
    """With what a caller's command recorded too, filtered and limited; times are UTC with milliseconds."""
    first = await finished_run(bench, b"one\n")
    second = await finished_run(bench, b"two\n", 1)
    await bench.runner.run([os.fspath(bench.programs / "dotnet")], folder=bench.project, tool="campaign.compile")
    answer = await bench.call("run_list")
    assert [run["tool"] for run in answer["runs"]] == ["campaign.compile", "dotnet.build", "dotnet.build"]
    assert [run["runId"] for run in answer["runs"][1:]] == [second["runId"], first["runId"]]
    assert answer["runs"][1]["exitCode"] == 1
    assert len(answer["runs"][0]["completedAt"]) == len("2026-01-01T00:00:00.000Z")
    assert (await bench.call("run_list", limit=1))["total"] == 3
    assert (await bench.call("run_list", status="cancelled")) == {"runs": [], "total": 0}


async def test_runs_of_other_projects_are_listed_on_request(bench: BuildBench, tmp_path: Path) -> None:
    """The store is that of the user, and may hold runs of every project."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    bench.program("dotnet", "print('x')")
    await bench.runner.run([os.fspath(bench.programs / "dotnet")], folder=elsewhere, tool="campaign.compile")
    assert (await bench.call("run_list"))["total"] == 0
    assert (await bench.call("run_list", allProjects=True))["total"] == 1


@pytest.mark.requirement("003-8")
async def test_runs_outlive_their_server(bench: BuildBench, tmp_path: Path, nursery: trio.Nursery) -> None:
    """Another server on the same folder answers the same."""
    before = await finished_run(bench, b"A.cs(1,2): error CS1: x\n", 1)
    later = await make_bench(tmp_path, nursery)
    after = await later.call("run_status", runId=before["runId"])
    assert {key: after[key] for key in before} == before
    assert (await later.call("run_raw", runId=before["runId"]))["data"] == "A.cs(1,2): error CS1: x\n"


async def test_commands_get_no_secrets_and_local_programs(tmp_path: Path, nursery: trio.Nursery) -> None:
    """The scrubbed environment, `node_modules/.bin` first on PATH, an empty stdin, and the mark of the run."""
    bench = await make_bench(tmp_path, nursery, environment={"GITHUB_TOKEN": "x", "AWS_PROFILE": "y"})
    folder = bench.project / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    bench.program("dotnet", "import os, sys\nprint(sorted(os.environ), os.environ['PATH'], repr(sys.stdin.read()))")
    answer = await bench.call("dotnet_build")
    data = (await bench.call("run_raw", runId=answer["runId"]))["data"]
    assert "GITHUB_TOKEN" not in data
    assert "AWS_PROFILE" not in data
    assert "MONOTREME_RUN" in data
    assert f" {folder.resolve()}:" in data
    assert data.endswith("''\n")


async def test_a_parser_that_fails_costs_the_diagnostics_only(
    bench: BuildBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run is over, its exit code counts, and the server goes on."""

    def explode() -> bytes:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(plugin_tool, "stored_form", lambda found: explode() if found.diagnostics else b"{}")
    answer = await finished_run(bench, b"A.cs(1,2): error CS1: x\n")
    assert (answer["success"], answer["errors"]) == (True, [])
    assert (await bench.call("run_list"))["total"] == 1
    # Which stream depends on whether something in this process has set up the log.
    assert "a build parser failed" in "".join(capsys.readouterr())


async def test_starting_is_refused_without_a_serving_runner(tmp_path: Path) -> None:
    """A typed error, not a hang."""
    runner = ProcessRunner(store=RunStore(tmp_path))
    with pytest.raises(Exception, match="takes no commands"):
        runner.start(RunRequest(tool="a.b", argv=("/bin/true",), folder=tmp_path))
