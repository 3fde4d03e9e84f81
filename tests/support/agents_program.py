"""`monotreme` over fake workers and a ready-made project: `agents_program.py SCRIPT ARGUMENTS...`."""

from __future__ import annotations

import sys
from functools import partial

from orchestrator.__main__ import run_and_leave
from orchestrator.campaign import ProgramPorts, run_campaign
from orchestrator.command_line.entry import run
from orchestrator.command_line.fuzz import Ports
from orchestrator.configuration.request import CampaignRequest
from tests.support.campaign_program import FAKE_WORKER, prepare


def ports(script: str) -> ProgramPorts:
    return ProgramPorts(worker_command=(sys.executable, str(FAKE_WORKER), script), prepare=prepare)


def play(script: str, request: CampaignRequest) -> object:
    """As the command does, which adds a server where a port is configured."""
    from dataclasses import replace

    from orchestrator.command_line.fuzz import service_for

    return run_campaign(request, ports=replace(ports(script), service=service_for(request)))


if __name__ == "__main__":
    given = sys.argv[1]
    run_and_leave(partial(run, sys.argv[2:], Ports(run_campaign=partial(play, given), campaign_ports=ports(given))))
