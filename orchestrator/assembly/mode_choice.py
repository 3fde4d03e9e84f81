"""The test mode of a campaign that was given none: chosen by the contract, and said."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.configuration.request import CampaignRequest
from simulator.compile.projects.harnesses import harness_of
from simulator.modes.choice import choose_mode
from simulator.project import Contract, Project


def with_mode(request: CampaignRequest, project: Project, contract: Contract) -> tuple[CampaignRequest, str]:
    """The request with a test mode, and a sentence for people when nobody had said which."""
    if request.configuration.test_mode is not None:
        return request, ""
    choice = choose_mode(harness_of(project, contract, request.configuration.prefix))
    configuration = request.configuration.model_copy(update={"test_mode": choice.mode.name})
    return replace(request, configuration=configuration), choice.note
