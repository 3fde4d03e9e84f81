"""`monotreme fuzz` over fake workers and a ready-made project: `campaign_program.py SCRIPT [FLAGS...]`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from orchestrator.campaign import CampaignPorts, run_campaign
from orchestrator.command_line.entry import run
from orchestrator.command_line.fuzz import Ports
from simulator.compile import Selection
from simulator.project import Contract, Project, SourceFile, Unit

FAKE_WORKER = Path(__file__).parent / "fake_worker_program.py"
CONTRACT = Contract("Fake.sol", "Fake", "contract", (), b"\x00", b"\x00")
PROJECT = Project("/", (Unit("0.8.30", "cancun", (SourceFile(0, "Fake.sol", "contract Fake {}\n"),), (CONTRACT,)),))


async def prepare(request: object, tell: object) -> tuple[Project, Selection]:
    return PROJECT, Selection(CONTRACT)


if __name__ == "__main__":
    ports = CampaignPorts(worker_command=(sys.executable, str(FAKE_WORKER), sys.argv[1]), prepare=prepare)
    arguments = ["fuzz", __file__, *sys.argv[2:]]
    sys.exit(run(arguments, Ports(run_campaign=partial(run_campaign, ports=ports))))
