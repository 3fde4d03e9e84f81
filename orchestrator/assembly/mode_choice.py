"""The test mode of a campaign that was given none: chosen by the contract, and said."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.configuration.request import CampaignRequest
from simulator.compile.projects.harnesses import harness_of
from simulator.modes.assertion import ASSERTION
from simulator.modes.choice import choose_mode
from simulator.modes.property import PROPERTY
from simulator.project import Contract, Project


def with_mode(request: CampaignRequest, project: Project, contract: Contract) -> tuple[CampaignRequest, str]:
    """Return the request with a test mode, and a sentence that tells the choice when the user made none."""
    if request.configuration.test_mode is not None:
        return request, ""
    harness = harness_of(project, contract, request.configuration.prefix)
    choice = choose_mode(harness)
    note = choice.note
    if harness.asserts and choice.mode is PROPERTY:
        note += f". Asserts in its code are not checked then; --test-mode {ASSERTION.name} checks them alone"
    configuration = request.configuration.model_copy(update={"test_mode": choice.mode.name})
    return replace(request, configuration=configuration), note
