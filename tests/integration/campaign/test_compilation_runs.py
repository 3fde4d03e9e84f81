"""A campaign's compilers among the runs of the server that started it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from actors.processes.run_store import RunStore
from actors.processes.runner import ProcessRunner
from orchestrator.assembly.compilation import runner_port
from simulator.compile import ProcessError, ProcessResult
from simulator.compile.solc.runner import Job
from tools.builds.context import BuildContext
from tools.builds.table import TOOLS as BUILD_TOOLS
from tools.registry import ToolRegistry, tools_of
from tools.validation import validated

pytestmark = pytest.mark.integration


async def test_compilers_of_a_campaign_are_listed_with_the_builds(tmp_path: Path, nursery: trio.Nursery) -> None:
    """With command, exit code and output; a compiler that is stopped at a limit too."""
    runner = ProcessRunner(store=RunStore(tmp_path / "runs"))
    await nursery.start(runner.serve)
    run = runner_port(runner)
    compiler = [sys.executable, "-c", "import sys; sys.stderr.write('compiled ' + sys.stdin.read())"]
    result = await trio.to_thread.run_sync(run, compiler, b"A.sol", tmp_path, 20.0)
    assert result.stderr == b"compiled A.sol"
    with pytest.raises(ProcessError, match=r"did not end within 0.2 s"):
        await trio.to_thread.run_sync(run, [sys.executable, "-c", "import time; time.sleep(60)"], b"", tmp_path, 0.2)
    registry = ToolRegistry(tools_of(BUILD_TOOLS, BuildContext.of(runner, (tmp_path,), tmp_path)))
    listed = registry.find("run_list")
    answer = (await listed.call(validated(listed.arguments, {"tool": "campaign.compile"}))).payload
    assert isinstance(answer, dict)
    assert [(each["status"], each["exitCode"]) for each in answer["runs"]] == [("timed_out", -15), ("completed", 0)]
    raw = registry.find("run_raw")
    page = (await raw.call(validated(raw.arguments, {"runId": answer["runs"][1]["runId"]}))).payload
    assert isinstance(page, dict)
    assert page["data"] == "compiled A.sol"


async def test_compilers_of_one_project_run_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits for the file that the other writes; what became of each is told in their order."""
    script = """
import os, sys, time
own, other = sys.argv[1:]
open(own, "w").close()
while not os.path.exists(other):
    time.sleep(0.01)
print(own + os.environ.get("SETTING", ""))
"""
    jobs = [
        Job((sys.executable, "-c", script, "a", "b"), b"", tmp_path, 120.0),
        Job((sys.executable, "-c", script, "b", "a"), b"", tmp_path, 120.0, {"SETTING": " of the user"}),
        Job((str(tmp_path / "none"),), b"", tmp_path, 120.0),
    ]
    ended: list[int] = []
    port = runner_port(ProcessRunner())
    monkeypatch.setattr("orchestrator.assembly.compilation.available_cores", lambda: 4)
    results = await trio.to_thread.run_sync(port.run_all, jobs, ended.append)
    assert [each.stdout if isinstance(each, ProcessResult) else "failed" for each in results] == [
        b"a\n",
        b"b of the user\n",
        "failed",
    ]
    assert sorted(ended) == [0, 1, 2]
