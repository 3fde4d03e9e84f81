"""`monotreme fuzz` over fake workers and a ready-made project: `campaign_program.py SCRIPT [FLAGS...]`."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import trio

import orchestrator.campaign
from actors.processes.runner import ProcessRunner
from orchestrator.__main__ import run_and_leave
from orchestrator.assembly.compilation import runner_port
from orchestrator.assembly.result import CampaignMaterial, ReportWithSources, render_output
from orchestrator.campaign import ProgramPorts, run_campaign
from orchestrator.command_line.entry import run
from orchestrator.command_line.fuzz import Ports
from simulator.compile import Selection
from simulator.project import Contract, Project, SourceFile, Unit

FAKE_WORKER = Path(__file__).parent / "fake_worker_program.py"
CONTRACT = Contract("Fake.sol", "Fake", "contract", (), b"\x00", b"\x00")
PROJECT = Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "Fake.sol", "contract Fake {}\n"),), (CONTRACT,)),))


async def prepare(request: object, tell: object, runner: ProcessRunner | None) -> tuple[Project, Selection]:
    """A server's runner gets something to run that says what a compiler would."""
    if runner is not None:
        command = [sys.executable, "-c", "print('compiled')"]
        await trio.to_thread.run_sync(runner_port(runner), command, b"", Path.cwd(), 60.0)
    return PROJECT, Selection(CONTRACT)


async def prepare_slowly(*_: object) -> tuple[Project, Selection]:
    """A compiler that runs for a minute, under a thread as the real ones are."""
    command = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
    run = runner_port(ProcessRunner())
    await trio.to_thread.run_sync(run, command, b"", Path.cwd(), 60.0)
    return PROJECT, Selection(CONTRACT)


def render_slowly(material: CampaignMaterial, findings: ReportWithSources) -> str:
    """A report that takes two seconds."""
    time.sleep(2)
    return render_output(material, findings)


if __name__ == "__main__":
    if "slow_report" in sys.argv[1]:
        orchestrator.campaign.render_output = render_slowly
    prepare_target = prepare_slowly if "slow_compiler" in sys.argv[1] else prepare
    ports = ProgramPorts(worker_command=(sys.executable, str(FAKE_WORKER), sys.argv[1]), prepare=prepare_target)
    arguments = ["fuzz", __file__, *sys.argv[2:]]
    run_and_leave(partial(run, arguments, Ports(run_campaign=partial(run_campaign, ports=ports))))
