"""The health of a campaign, from what its actors know."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.coverage.function_table import FunctionCoverage
from actors.coverage.tracker import CoverageTracker
from actors.priorities.manager import PriorityManager
from simulator.coverage.code_coverage import CodeCoverage
from simulator.coverage.file_coverage import FileCoverage
from simulator.coverage.frontier import FrontierSite
from simulator.health.assessment import assess
from simulator.health.evidence import CalledFunction, CheckedTest, Evidence
from simulator.health.model import CampaignHealth
from simulator.health.observations import Observations
from simulator.project import Project
from simulator.settings import CampaignSettings


class HealthNotes(msgspec.Struct, frozen=True):
    """Notes for the health of a campaign besides its coverage, at one moment. `excluded` are functions by contract
    and signature."""

    observations: Observations = Observations()
    functions: tuple[FunctionCoverage, ...] = ()
    excluded: frozenset[tuple[str, str]] = frozenset()


def health_notes(tracker: CoverageTracker, priorities: PriorityManager) -> HealthNotes:
    """The notes of this moment. Takes up to milliseconds."""
    known = priorities.statistics().functions
    excluded = frozenset((each.contract, each.signature) for each in known if each.excluded)
    return HealthNotes(tracker.observations(), tracker.functions(), excluded)


def health_of(
    end: CampaignEnd,
    settings: CampaignSettings,
    project: Project,
    notes: HealthNotes,
    coverage: tuple[Sequence[CodeCoverage], Sequence[FileCoverage], Sequence[FrontierSite]],
) -> CampaignHealth:
    """The verdict on a campaign as it stands at `end`, given coverage by code and by file, and its frontier. Takes up
    to tenths of a second: call it in a thread."""
    codes, files, frontier = coverage
    payable = {(f.contract, f.signature) for f in end.ready.functions if f.payable} if end.ready else frozenset()
    evidence = Evidence(
        settings=settings,
        project=project,
        calls=end.calls,
        tests=tuple(_test(record) for record in end.tests if record.is_test),
        functions=tuple(
            CalledFunction(
                each.contract,
                each.signature,
                (each.contract, each.signature) in payable,
                each.calls,
                each.reverts,
                (each.contract, each.signature) in notes.excluded,
            )
            for each in notes.functions
        ),
        deployed=tuple(label for _, label in end.ready.addresses) if end.ready else (),
        files=tuple(files),
        frontier=tuple(frontier),
        codes=tuple(codes),
        observations=notes.observations,
    )
    return assess(evidence)


def _test(record: TestRecord) -> CheckedTest:
    info = record.info
    passed = not record.falsified and record.state != "error"
    return CheckedTest(info.id, info.name, info.kind, info.contract, passed)
