"""`--require sound` turns a campaign in poor health into a failing one, and changes nothing else."""

from __future__ import annotations

import pytest

from actors.campaign.status import CampaignEnd
from actors.campaign.tests import TestRecord
from actors.events.types import StopReason
from orchestrator.assembly.result import exit_code
from orchestrator.report.build import campaign_summary
from orchestrator.report.model import CampaignReport, CorpusSummary
from simulator.coverage.summary import CoverageSummary
from simulator.health.model import CampaignHealth
from simulator.worker.reports import TestInfo


def end(reason: StopReason = StopReason.TEST_LIMIT, failure: str | None = None, failed: bool = False) -> CampaignEnd:
    record = TestRecord(TestInfo(0, "echidna_a", "property", "C"), "solved" if failed else "passed")
    return CampaignEnd(reason, 10, 1.0, (record,), None, failure)


def report(verdict: str) -> CampaignReport:
    summary = campaign_summary(
        target="C", mode="property", seed=1, workers=1, calls=10, duration=1.0, stop_reason="test limit"
    )
    health = CampaignHealth(verdict, "")  # type: ignore[arg-type]
    return CampaignReport(
        campaign=summary, tests=(), coverage=CoverageSummary(0, 0), corpus=CorpusSummary(0, 0, None), health=health
    )


@pytest.mark.parametrize(("verdict", "code"), [("sound", 0), ("thin", 1), ("vacuous", 1)])
def test_only_a_sound_campaign_passes_where_that_is_required(verdict: str, code: int):
    assert exit_code(end(), report(verdict), "sound") == code
    assert exit_code(end(), report(verdict)) == 0


def test_a_campaign_of_unknown_health_is_not_sound():
    assert exit_code(end(), None, "sound") == 1


def test_other_exit_codes_stay_what_they_are():
    assert exit_code(end(failed=True), report("sound"), "sound") == 1
    assert exit_code(end(StopReason.INTERRUPTED), report("thin"), "sound") == 130
    assert exit_code(end(failure="no worker"), report("thin"), "sound") == 3
