"""A campaign's actors as the facade's tools see them."""

from __future__ import annotations

from functools import partial

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.coverage.tracker import CoverageSnapshot
from actors.events.types import StopReason
from orchestrator.assembly.foundry_reproducers import foundry_replay, foundry_tests
from orchestrator.assembly.result import CampaignMaterial
from orchestrator.assembly.wiring import Actors
from orchestrator.configuration.request import CampaignRequest
from simulator.errors import SimulatorError
from simulator.foundry_tests.outcome import unverified
from simulator.foundry_tests.rendering import render_foundry_test
from simulator.project import Project
from simulator.transaction import Sequence
from tools.campaign.access import CampaignComponents


def campaign_components(request: CampaignRequest, project: Project, actors: Actors) -> CampaignComponents:
    return CampaignComponents(
        campaign=actors.campaign,
        keeper=actors.keeper,
        coverage=actors.coverage,
        log=actors.log,
        book=actors.deployment.book,
        project=project,
        settings=actors.settings,
        seed=request.seed,
        corpus=actors.corpus,
        corpus_folder=request.corpus_directory,
        foundry_test=partial(_foundry_test, request, project, actors),
        foundry_replay=partial(_foundry_replay, project, actors),
    )


def _foundry_test(request: CampaignRequest, project: Project, actors: Actors, record: TestRecord) -> str | None:
    """The test file of one finding, None where Foundry cannot check it. Runs in a thread."""
    book = actors.deployment.book()
    end = CampaignEnd(StopReason.RUNNING, 0, 0.0, (record,), None)
    corpus = actors.keeper.statistics()
    material = CampaignMaterial(request, actors.settings, project, book, end, CoverageSnapshot(()), corpus)
    try:
        for test in foundry_tests(material):
            return render_foundry_test(test, book.abi, unverified("that is done when the campaign ends").text)
    except SimulatorError:
        return None
    return None


def _foundry_replay(project: Project, actors: Actors, name: str, sequence: Sequence) -> str:
    """The test file of any sequence. Runs in a thread. Raises `SimulatorError` with the reason where there is none."""
    test = foundry_replay(name, sequence, project, actors.settings)
    return render_foundry_test(test, actors.deployment.book().abi)
