"""The life of a run: waiting, cancelling, listing, folders and servers that go away."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from actors.processes.run_store import RunStore
from actors.processes.runner import ProcessRunner, RunRequest
from tests.support.build_bench import BuildBench, make_bench
from tests.support.patience import until, wait_for
from tests.support.process_checks import appears
from tools.builds import plugin_tool
from tools.builds.context import BuildContext
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
    """The run is over, its exit code counts, and the server continues."""

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
